import { html, type Html } from './html.ts';
import type { Page } from './site.ts';

/** The end of the bar: who is signed in, with what they have left. */
export function barEnd({ account, language, t }: Page): Html {
  if (account === null) return html``;
  return html`<span class="balance">${language.count(t.units.credits, account.balance)}</span>`;
}
