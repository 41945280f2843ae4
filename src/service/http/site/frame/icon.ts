import * as icons from '../../../../site/icons.ts';
import type { AnyTool } from '../../../../library/tools/declare/define.ts';
import { html, type Html, trusted } from '../../../../library/core/markup.ts';

const contents = { ...icons };

/** A decorative icon beside a text. */
export const icon = (name: keyof typeof contents, more = ''): Html =>
  html`<svg class="${`icon ${more}`.trim()}" viewBox="0 0 24 24" aria-hidden="true" ...${trusted(contents[name])} />`;

/** The icon of a tool. */
export const toolSign = ({ shown }: AnyTool): Html =>
  html`<svg class="ti" viewBox="0 0 32 32" aria-hidden="true" ...${trusted(shown.sign)} />`;
