import type { Account } from '../../../rules/accounts/account.ts';

import { amountField, note } from '../account/parts.ts';
import { html } from '../../../../library/core/markup.ts';
import type { Page } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { factsPanel, type PayPage } from './shell.ts';

/**
 * GET /credits/<token>: choose an amount of credits to buy for an account.
 * @param cameBack from the checkout, without having paid
 */
export function buyPage(page: Page, account: Account, cameBack: boolean): PayPage {
  const { t, language } = page;
  const available = account.balance - account.reserved;
  return {
    title: t.credits.buy,
    body: html`${cameBack && note(t.pay.cameBack, t.pay.cameBackToBuy)}${factsPanel([
        [t.pay.account, account.id],
        [
          t.credits.available,
          fill(t.pay.creditsOf, {
            credits: language.count(t.units.credits, available),
            amount: language.money(available),
          }),
        ],
      ])}
      <form method="post" class="panel pad stack">
        ${amountField(page)}
        <button class="btn go l" type="submit">${t.credits.toPayment}</button>
        <p class="small soft">${t.credits.cardsElsewhere}</p>
      </form>`,
  };
}
