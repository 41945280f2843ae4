import { type IconName, icons } from '../../../../site/icons.ts';
import { anyToolSign, toolSigns } from '../../../../site/tool-signs.ts';
import { html, type Html, trusted } from './html.ts';

/** A decorative icon beside a text. */
export const icon = (name: IconName, more = ''): Html =>
  html`<svg class="${`icon ${more}`.trim()}" viewBox="0 0 24 24" aria-hidden="true">${trusted(icons[name])}</svg>`;

/** The icon of a tool. */
export const toolSign = (slug: string): Html =>
  html`<svg class="ti" viewBox="0 0 32 32" aria-hidden="true">${trusted(toolSigns[slug] ?? anyToolSign)}</svg>`;
