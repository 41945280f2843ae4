import { html, type Html } from './html.ts';
import { icon } from './icon.ts';
import type { Page } from './site.ts';

/** The end of the bar: the account's credits, or a link to sign in. */
export function barEnd({ account, language, t, href, url }: Page): Html {
  if (account === null) {
    const next = url === '/' || url.startsWith('/sign-in') ? '' : `?next=${encodeURIComponent(url)}`;
    return html`<a class="btn s" href="${href(`/sign-in${next}`)}">${t.frame.signIn}</a>`;
  }
  return html`<a class="balance" href="${href('/credits')}"
      >${language.count(t.units.credits, account.balance - account.reserved)}</a
    >
    <a class="btn s only" href="${href('/files')}" aria-label="${t.account.nav}">${icon('user')}</a>`;
}
