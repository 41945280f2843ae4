import type { NextTool } from '../../../../site/bench-data.ts';
import type { Page } from '../frame/site.ts';
import { toolText } from './tool-text.ts';

const most = 4;

/** Tools to use next on the result: those that take one recording, the usual ones first. */
export const nextTools = (page: Page, slug: string): readonly NextTool[] =>
  page.site.tools
    .filter((tool) => tool.slug !== slug && tool.shown.next !== null)
    .toSorted((a, b) => Number(a.shown.next) - Number(b.shown.next))
    .slice(0, most)
    .map((tool) => ({ title: toolText(page, tool).title, url: page.href(`/tools/${tool.slug}`) }));
