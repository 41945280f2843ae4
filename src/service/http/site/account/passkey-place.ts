import { mayHavePasskeys } from '../../../rules/sign-in/passkeys.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import type { Page } from '../frame/site.ts';
import { fill } from '../language/fill.ts';

const loopbacks = new Set(['127.0.0.1', '[::1]']);

/** What to say where a passkey would be offered, at an address for which browsers make none; null: they make one. */
export function noPasskeysHere({ base, url, t, site, href }: Page): Html | null {
  const own = URL.parse(base);
  if (own === null || mayHavePasskeys(own.origin)) return null;
  const { protocol, host, hostname, port } = own;
  // A service without a name of its own answers on this machine's name, too.
  const named = site.config.baseUrl === null && protocol === 'http:' && loopbacks.has(hostname);
  const there = `http://localhost${port === '' ? '' : `:${port}`}`;
  return html`<p class="small soft">
    ${fill(t.signIn.passkeyPlace, { host })}
    ${named && html`<a href="${there + href(url)}">${fill(t.signIn.passkeyThere, { there })}</a>`}
  </p>`;
}
