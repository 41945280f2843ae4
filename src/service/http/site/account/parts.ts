// Parts that several pages of an account have.
import { html, type Html, type Part } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import type { Page } from '../frame/site.ts';
import { fill } from '../language/fill.ts';

import type { OwnPage } from './session.ts';

/** An error with what to do. */
export const fault = (title: string, text: Part): Html =>
  html`<div class="note fault" role="alert">
    ${icon('warn')}
    <div>
      <h2 class="label">${title}</h2>
      <p>${text}</p>
    </div>
  </div>`;

/** A note. */
export const note = (title: string, text: Part, more: Part = null): Html =>
  html`<div class="note" role="status">
    ${icon('info')}
    <div>
      <h2 class="label">${title}</h2>
      <p>${text}</p>
      ${more}
    </div>
  </div>`;

/** A form of a signed-in person. */
export const ownForm = ({ href, formToken }: OwnPage, action: string, body: Part, className = ''): Html =>
  html`<form method="post" action="${href(action)}" class="${className}">
    <input type="hidden" name="form" value="${formToken}" />${body}
  </form>`;

/** A button with a confirmation that needs no script. */
export const confirmed = (page: OwnPage, action: string, texts: Confirmation, fields: Part = null): Html =>
  html`<details class="confirm">
    <summary class="btn s fault">${texts.button}<span class="sr"> ${texts.what}</span></summary>
    ${ownForm(
      page,
      action,
      html`<p class="small">${texts.consequence}</p>
        ${fields}<button class="btn s fault" type="submit">${texts.yes}</button>`,
      'stack-s pad',
    )}
  </details>`;

interface Confirmation {
  readonly button: string;
  /** The object of the action, for screen readers. */
  readonly what: string;
  readonly consequence: string;
  readonly yes: string;
}

/** A secret that is shown this once. */
export const secretOnce = (t: Page['t'], title: Part, secret: string, help: string): Html =>
  html`<section class="once" aria-labelledby="new-key" tabindex="-1" autofocus>
    <h2 id="new-key" class="label">${title}</h2>
    <div class="secret">
      <output><code>${secret}</code></output
      ><button class="btn go" type="button" data-copy hidden>${icon('copy')}${t.keys.copy}</button>
    </div>
    <p class="small">${help}</p>
  </section>`;

/** Amounts of money to choose from, from the smallest payment on. */
export function amountField({ t, site, language }: Page): Html {
  const least = site.config.minimumPaymentCents;
  const amounts = [1, 2, 5, 10].map((times) => times * least);
  return html`<fieldset class="field">
    <legend>${t.credits.amount}</legend>
    <div class="seg">
      ${amounts.map(
        (cents, index) =>
          html`<label
            ><input type="radio" name="cents" value="${cents}" checked="${index === 0}" /><span class="num"
              >${language.money(cents)}</span
            ></label
          >`,
      )}
    </div>
    <p class="hint">${fill(t.credits.amountHelp, { credits: least, amount: language.money(least) })}</p>
  </fieldset>`;
}

/** A table that folds on phones. */
export const table = (heads: readonly Part[], rows: readonly Html[], caption: string): Html =>
  html`<table class="table fold">
    <caption class="sr">
      ${caption}
    </caption>
    <thead>
      <tr>
        ${heads}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;

export const head = (text: string): Html => html`<th scope="col">${text}</th>`;
export const numberHead = (text: string): Html => html`<th scope="col" class="r">${text}</th>`;
/** Header of a column of buttons. */
export const hiddenHead = (text: string): Html => html`<th scope="col"><span class="sr">${text}</span></th>`;

/** A cell with the name of its column, which shows on phones. */
export const cell = (label: string, text: Part): Html => html`<td data-l="${label}">${text}</td>`;
export const numberCell = (label: string, text: Part): Html => html`<td data-l="${label}" class="r num">${text}</td>`;

/** A page of a list with the link to the next. */
export const olderLink = (page: OwnPage, path: string, cursor: string | null): Html | null =>
  cursor === null
    ? null
    : html`<div class="panel-foot">
        <a
          class="small push"
          href="${page.href(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`)}"
          >${page.t.account.older}</a
        >
      </div>`;

/** Placeholder for an empty list. */
export const empty = (title: string, text: Part, more: Part = null): Html =>
  html`<section class="panel empty">
    <div class="flatline" aria-hidden="true"></div>
    <h2 class="h3">${title}</h2>
    <p class="soft">${text}</p>
    ${more}
  </section>`;
