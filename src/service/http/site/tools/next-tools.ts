import type { NextTool } from '../../../../site/bench-data.ts';
import type { Page } from '../frame/site.ts';
import { toolText } from './tool-text.ts';

/** Tools to use next on the result: those that take one recording, the usual ones first. */
const usual = ['transcribe', 'remove-fillers', 'remove-silence', 'loudness', 'remove-noise', 'convert'];
const most = 4;

export const nextTools = (page: Page, slug: string): readonly NextTool[] =>
  usual
    .filter((each) => each !== slug)
    .flatMap((each) => page.site.tools.filter((tool) => tool.slug === each))
    .slice(0, most)
    .map((tool) => ({ title: toolText(page, tool).title, url: page.href(`/tools/${tool.slug}`) }));
