import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from './icon.ts';
import type { Page } from './site.ts';
import type { Account } from '../../../rules/accounts/account.ts';

/** Credits that an account may spend, in words. */
export const creditsLeft = ({ balance, reserved }: Account, { language, t }: Page): string =>
  language.count(t.units.credits, balance - reserved);

/** The end of the bar: the account's credits, or a link to sign in. */
export function barEnd(page: Page): Html {
  const { account, t, href, url } = page;
  if (account === null) {
    const next = url === '/' || url.startsWith('/sign-in') ? '' : `?next=${encodeURIComponent(url)}`;
    return html`<a class="btn s" href="${href(`/sign-in${next}`)}">${t.frame.signIn}</a>`;
  }
  return html`<a class="balance" href="${href('/credits')}" data-balance="${href('/credits/left')}"
      >${creditsLeft(account, page)}</a
    >
    <a class="btn s only" href="${href('/files')}" aria-label="${t.account.nav}">${icon('user')}</a>`;
}
