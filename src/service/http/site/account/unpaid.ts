import type { Payment } from '../../../rules/money/payment-store.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import type { Page } from '../frame/site.ts';
import { fill } from '../language/fill.ts';

import { fault, note } from './parts.ts';

/** The page of an open payment reloads at this interval, seconds. */
export const againSeconds = 5;

/**
 * A payment that is not confirmed: it waits, can be gone on with, or has ended without a payment. The provider is
 * asked, because people who leave its page come back without a word from it.
 * @param elsewhere a link to begin again, or to leave it; null: none
 */
export async function unpaid(
  { t, site, language }: Page,
  payment: Payment,
  elsewhere: { readonly href: string; readonly name: string } | null,
): Promise<{ readonly body: Html; readonly refreshSeconds?: number }> {
  const texts = t.receipts;
  // When the provider cannot be asked, the payment may be on its way.
  const onward =
    payment.status === 'open' ? await site.service.payments.goOn(payment).catch(() => ({ url: null })) : null;
  const leave = (look: string): Html | null =>
    elsewhere === null ? null : html`<a class="${look}" href="${elsewhere.href}">${elsewhere.name}</a>`;
  if (onward === null)
    return {
      body: html`${fault(payment.failure === null ? texts.closed : texts.declined, texts.closedHelp)}
        <p class="row">${leave('btn s')}</p>`,
    };
  const amount = language.money(payment.amountCents);
  if (onward.url !== null)
    return {
      body: html`${note(texts.notPaid, fill(texts.notPaidHelp, { amount }))}
        <p class="row"><a class="btn go" href="${onward.url}">${texts.goOn}</a>${leave('btn')}</p>`,
    };
  return {
    refreshSeconds: againSeconds,
    body:
      payment.provider === 'operator'
        ? html`${note(texts.byOperator, fill(texts.byOperatorHelp, { amount, id: payment.id }))}
            <p class="measure">${site.config.paymentInstructions}</p>`
        : note(texts.waiting, texts.waitingHelp),
  };
}
