// What the pages of signing in show.
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Account } from '../../../rules/accounts/account.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import type { Content } from '../frame/layout.ts';
import type { Page } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { fault, note } from './parts.ts';
import { noPasskeysHere } from './passkey-place.ts';

/** For people who are signed in: a fresh sign-in, before what an old one may not do. */
export function confirmPage(page: Page, { id, email }: Account, next: string | null): Content {
  const { t, href, site } = page;
  const byMail = site.service.signIn.mails && email !== null;
  return {
    title: t.signIn.again,
    opener: isToConsent(next),
    mainClass: 'wrap',
    scripts: ['passkey'],
    body: html`<div class="section stack-l signin">
      <div class="stack-s">
        <h1>${t.signIn.again}</h1>
        <p class="soft">${t.signIn.againLead}</p>
      </div>
      <form class="stack" method="post" action="${href('/sign-in')}">
        ${next !== null && html`<input type="hidden" name="next" value="${next}" />`}
        ${
          byMail &&
          html`<p>${fill(t.signIn.againMail, { email })}</p>
            <input type="hidden" name="email" value="${email}" />`
        }
        <div class="row">
          ${byMail && html`<button class="btn go l" type="submit">${icon('mail')}${t.signIn.send}</button>`}
          ${passkeyButton(page, next)}
        </div>
        ${passkeyNote(page)}
      </form>
      ${!byMail && operatorNote(page, id)}
      <p class="small soft"><a href="${href(next ?? '/account')}">${t.signIn.againBack}</a></p>
    </div>`,
  };
}

/** Programs in a browser open the question of consent as a window, and the answer's page there tells them. */
const isToConsent = (next: string | null): boolean => next?.startsWith('/connect/') === true;

function passkeyButton(page: Page, next: string | null): Html | null {
  const { t, href } = page;
  if (noPasskeysHere(page) !== null) return null;
  return html`<button
    class="btn l"
    type="button"
    hidden
    data-passkey="${href('/sign-in/passkey')}"
    data-next="${href(next ?? '/files')}"
    data-failed="passkey-failed"
  >
    ${icon('pass')}${t.signIn.passkey}
  </button>`;
}

/** Below the button: what the script shows when it fails, or why there is none. */
const passkeyNote = (page: Page): Html =>
  noPasskeysHere(page) ??
  html`<div id="passkey-failed" hidden>${fault(page.t.signIn.passkeyFailed, page.t.signIn.passkeyFailedHelp)}</div>`;

export function signInPage(page: Page, next: string | null, told: Html | null): Content {
  const { t, href, site } = page;
  const { mails, open } = site.service.signIn;
  return {
    title: t.signIn.title,
    mainClass: 'wrap',
    opener: isToConsent(next),
    scripts: ['passkey'],
    body: html`<div class="section stack-l signin">
      <div class="stack-s">
        <h1>${t.signIn.title}</h1>
        <p class="soft">${open ? t.signIn.lead : t.signIn.leadClosed}</p>
      </div>
      ${told}
      <form class="stack" method="post" action="${href('/sign-in')}">
        ${next !== null && html`<input type="hidden" name="next" value="${next}" />`}
        <div class="field">
          <label for="email">${t.signIn.email}</label
          ><input
            class="input"
            id="email"
            name="email"
            type="email"
            autocomplete="username webauthn"
            inputmode="email"
            maxlength="254"
            required
          />
        </div>
        <div class="row">
          <button class="btn go l" type="submit">${icon('mail')}${mails ? t.signIn.send : t.signIn.how}</button>
          ${passkeyButton(page, next)}
        </div>
        ${passkeyNote(page)}
      </form>
      <p class="small soft">${t.signIn.noAccount} <a href="${href('/')}">${t.signIn.toTools}</a></p>
    </div>`,
  };
}

/** After a mail was sent. Every address gets one, so it says nothing of accounts. */
export function codePage(page: Page, email: string, next: string | null, told: Html | null): Content {
  const { t, href } = page;
  const texts = t.signIn;
  const address = email.trim().toLowerCase();
  const hidden = html`<input type="hidden" name="email" value="${address}" />${
      next !== null && html`<input type="hidden" name="next" value="${next}" />`
    }`;
  return {
    title: texts.look,
    opener: isToConsent(next),
    mainClass: 'wrap',
    body: html`<div class="section stack-l signin">
      <div class="stack-s">
        <h1>${texts.look}</h1>
        <p class="soft" role="status">${fill(texts.onItsWay, { email: address })}</p>
      </div>
      ${told}
      <form class="stack" method="post" action="${href('/sign-in/code')}">
        ${hidden}
        <div class="field">
          <label for="code">${texts.code}</label
          ><input
            class="input num"
            id="code"
            name="code"
            type="text"
            inputmode="numeric"
            autocomplete="one-time-code"
            pattern="\\s*([0-9][\\s\\-]*){6}"
            maxlength="12"
            size="8"
            required
            aria-describedby="code-help"
          />
          <p class="hint" id="code-help">${texts.codeHelp}</p>
        </div>
        <div class="row"><button class="btn go l" type="submit">${texts.title}</button></div>
      </form>
      <form class="row" method="post" action="${href('/sign-in')}">
        ${hidden}<button class="btn s" type="submit">${texts.sendAgain}</button
        ><a class="btn s quiet" href="${href(next === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`)}"
          >${texts.otherAddress}</a
        >
      </form>
    </div>`,
  };
}

/** Why no mail was sent: always for a reason of the asker or the service, never of the address. */
export function notAsked({ t, language }: Page, { code, details }: EarshotError): Html {
  const texts = t.signIn;
  if (code === 'bad_request') return fault(texts.noAddress, texts.noAddressHelp);
  if (code !== 'rate_limited') return fault(texts.notSent, texts.notSentHelp);
  const minutes = Math.ceil(Number(details?.['retryAfterSeconds'] ?? 60) / 60);
  return fault(texts.tooMany, fill(texts.tooManyHelp, { minutes: language.count(t.units.minutes, minutes) }));
}

/** The operator's command that makes a link. */
export const operatorNote = ({ t }: Page, who: string): Html =>
  html`<div class="note" role="status">
    ${icon('info')}
    <div>
      <h2 class="label">${t.signIn.ask}</h2>
      <p>${t.signIn.askHelp}</p>
      <div class="code">
        <pre tabindex="0"><code>earshot sign-in ${who}</code></pre>
        <button class="btn only s quiet" type="button" data-copy hidden aria-label="${t.frame.copy}">
          ${icon('copy')}
        </button>
      </div>
    </div>
  </div>`;

export const endedNote = ({ t }: Page): Html =>
  html`<div class="note" role="status">
    ${icon('clock')}
    <div>
      <h2 class="label">${t.signIn.ended}</h2>
      <p>${t.signIn.endedHelp}</p>
    </div>
  </div>`;

export async function linkContent(page: Page, token: string, browser: string | null, opens = false): Promise<Content> {
  const { t, href, site } = page;
  const again = html`<p><a class="btn" href="${href('/sign-in')}">${t.signIn.newLink}</a></p>`;
  const shell = (body: Html, status = 200): Content => ({
    title: t.signIn.title,
    status,
    mainClass: 'wrap',
    body: html`<div class="section stack-l signin">
      <h1>${t.signIn.title}</h1>
      ${body}
    </div>`,
  });
  try {
    const { signIn } = site.service;
    const state = await (opens && browser !== null
      ? signIn.openLink(token, browser)
      : signIn.linkState(token, browser));
    if (state === 'by_code') return shell(html`${note(t.signIn.byCode, t.signIn.byCodeHelp)}${again}`, 403);
    if (state === 'other_browser')
      return shell(html`${fault(t.signIn.otherBrowser, t.signIn.otherBrowserHelp)}${again}`, 403);
  } catch (thrown) {
    if (!(thrown instanceof EarshotError) || thrown.code !== 'not_found') throw thrown;
    return shell(html`${fault(t.signIn.used, t.signIn.usedHelp)}${again}`, 404);
  }
  return shell(
    html`<p class="soft">${t.signIn.press}</p>
      <form method="post" action="${href(`/sign-in/${encodeURIComponent(token)}`)}">
        <button class="btn go l" type="submit">${t.signIn.title}</button>
      </form>`,
  );
}
