import type { FreeRunView } from '../../../rules/free-runs/free-run-use-cases.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import type { Page } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { lengthOf, timeOf } from '../account/formats.ts';
import { staysOf } from '../frame/terms.ts';
import { note } from '../account/parts.ts';
import { toolName } from '../tools/tool-text.ts';
import { factsPanel, type PayPage } from './shell.ts';

/** What the finish page shows. */
interface FinishPage {
  readonly view: FreeRunView;
  readonly files: readonly StoredFile[];
  /** The receipt of this browser's own payment; null: none. */
  readonly receiptUrl: string | null;
  /** Has this browser begun to pay, and come back before it had paid? */
  readonly cameBack: boolean;
}

/** GET /finish/<token>: the price of the whole file, what stays of the payment, and the button to the checkout. */
export function finishPage(page: Page, { view, files, receiptUrl, cameBack }: FinishPage): PayPage {
  const { t, language } = page;
  const { run, finish, finishedBy } = view;
  const texts = t.pay;
  const about = factsPanel([
    [texts.tool, toolName(page, run.tool)],
    [
      files.length === 1 ? texts.files.one : texts.files.other,
      files.map(({ filename }) => filename).join(', ') || texts.gone,
    ],
    run.whole === null ? null : [texts.length, lengthOf(Math.round(run.whole.billing.seconds))],
    run.whole === null
      ? null
      : [
          texts.filePrice,
          fill(texts.creditsOf, {
            credits: language.count(t.units.credits, run.whole.credits),
            amount: language.money(run.whole.credits),
          }),
        ],
  ]);
  const receipt = receiptUrl !== null && html`<p><a href="${receiptUrl}">${texts.show}</a></p>`;
  const title = texts.finish;
  if (finishedBy !== null) return { title, body: html`${note(texts.paidTitle, texts.paidHelp)}${about}${receipt}` };
  if (finish === null || run.whole === null)
    return { title, body: html`${note(texts.nothing, texts.nothingHelp)}${about}${receipt}` };
  return {
    title,
    body: html`${cameBack && note(texts.cameBack, texts.cameBackHelp)}${about}${payForm(page, finish.priceCredits, run.whole.credits)}${receipt}
      <p class="small soft">${fill(texts.noSignUp, { time: timeOf(language, run.expiresAt) })}</p>`,
  };
}

function payForm(page: Page, payCents: number, fileCents: number): Html {
  const { t, language } = page;
  const texts = t.pay;
  const stays = staysOf(language, payCents, fileCents);
  return html`<form method="post" class="panel pad stack">
    <p class="price">
      <span class="sum">${language.money(payCents)} <small>${texts.youPay}</small></span>
    </p>
    ${stays !== null && html`<p>${stays}</p>`}
    <button class="btn go l" type="submit">${fill(texts.button, { amount: language.money(payCents) })}</button>
  </form>`;
}
