import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors.ts';
import { statusOf } from '../../server/errors.ts';
import type { Account, Language } from '../../../rules/records.ts';
import { readCookie } from '../../interface/cookies.ts';
import { callerOf } from '../../server/mount.ts';
import { addressKey, createRateLimiter, rateLimited } from '../../server/rate-limit.ts';
import { html, type Html } from '../frame/html.ts';
import { icon } from '../frame/icon.ts';
import { ownPath } from '../frame/own-path.ts';
import { type Content, sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { deviceOf } from './device.ts';
import { fault } from './parts.ts';
import { noPasskeysHere } from './passkey-place.ts';
import { dropSession, keepSession, openOwnPage } from './session.ts';
import { readForm } from './view.ts';

/** Identifies the browser that requested a link. */
const browserCookie = 'svc.sign_in';
/** Links that one network address may request in a minute. */
const linksPerMinute = 5;
const passkeysPerMinute = 20;

/** /sign-in, its links, passkeys, and /sign-out. */
export function signInRoutes(scope: FastifyInstance, site: Site): void {
  const { signIn } = site.service;
  const limiter = createRateLimiter();
  const options = { config: { access: 'public' as const } };
  const limit = (request: FastifyRequest, kind: string, quota: number): void => {
    const state = limiter.take(`${kind}:${addressKey(callerOf(request).ip)}`, quota);
    if (!state.allowed) throw rateLimited(state);
  };

  type Asked = { Querystring: { next?: string; ended?: string; again?: string } };
  scope.get<Asked>('/sign-in', options, async (request, reply) => {
    const page = await openPage(site, request, reply);
    const next = ownPath(request.query.next);
    if (page.account !== null && request.query.again !== undefined)
      return sendPage(reply, page, confirmPage(page, page.account, next));
    if (page.account !== null) return reply.redirect(page.href(next ?? '/files'), 303);
    return sendPage(reply, page, signInPage(page, next, request.query.ended === undefined ? null : endedNote(page)));
  });

  scope.post('/sign-in', options, async (request, reply) => {
    const page = await openPage(site, request, reply);
    const { email = '', next } = readForm(site, request, null);
    limit(request, 'link', linksPerMinute);
    const browser = readCookie(request, browserCookie) ?? randomBytes(32).toString('base64url');
    try {
      signIn.requestLink({
        email,
        browser,
        next: ownPath(next),
        language: page.language.code as Language,
        device: deviceOf(request.headers['user-agent']),
      });
    } catch (thrown) {
      if (!(thrown instanceof EarshotError)) throw thrown;
      const { noAddress, noAddressHelp } = page.t.signIn;
      const told = fault(noAddress, noAddressHelp);
      return sendPage(reply, page, { ...signInPage(page, ownPath(next), told), status: statusOf(thrown) });
    }
    keepBrowser(site, request, reply, browser);
    return sendPage(reply, page, signInPage(page, ownPath(next), askedNote(page, email)));
  });

  type ByToken = { Params: { token: string } };
  const linkPage = async (request: FastifyRequest<ByToken>, reply: FastifyReply): Promise<FastifyReply> => {
    // The page's address is a secret until the link is used.
    void reply.header('referrer-policy', 'no-referrer');
    const page = await openPage(site, request, reply);
    const { token } = request.params;
    const known = readCookie(request, browserCookie);
    if (request.method !== 'GET') return sendPage(reply, page, await linkContent(page, token, known ?? null));
    const browser = known ?? randomBytes(32).toString('base64url');
    const content = await linkContent(page, token, browser, true);
    keepBrowser(site, request, reply, browser);
    return sendPage(reply, page, content);
  };
  // Mail scanners open links, so a GET does not use a link up. It binds those that the operator's command prints.
  scope.get<ByToken>('/sign-in/:token', options, linkPage);

  scope.post<ByToken>('/sign-in/:token', options, async (request, reply) => {
    readForm(site, request, null);
    limit(request, 'follow', passkeysPerMinute);
    const device = deviceOf(request.headers['user-agent']);
    try {
      const signedIn = await signIn.followLink(
        request.params.token,
        readCookie(request, browserCookie) ?? null,
        device,
      );
      await endEarlier(site, request, reply);
      keepSession(site, request, reply, signedIn);
      return reply
        .header('cache-control', 'no-store')
        .redirect(site.rootPath + (ownPath(signedIn.next) ?? '/files'), 303);
    } catch (thrown) {
      // The page shows the reason.
      if (thrown instanceof EarshotError && statusOf(thrown) < 500) return linkPage(request, reply);
      throw thrown;
    }
  });

  passkeyRoutes(scope, site, (request) => limit(request, 'passkey', passkeysPerMinute));

  scope.post('/sign-out', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    readForm(site, request, page);
    await endEarlier(site, request, reply);
    dropSession(site, request, reply);
    return reply.header('cache-control', 'no-store').redirect(`${site.rootPath}/`, 303);
  });
}

/** Signing in with a passkey, by script. */
function passkeyRoutes(scope: FastifyInstance, site: Site, limit: (request: FastifyRequest) => void): void {
  const { signIn } = site.service;
  const options = { config: { access: 'public' as const } };

  scope.post('/sign-in/passkey/challenge', options, async (request, reply) => {
    readForm(site, request, null);
    limit(request);
    return reply.header('cache-control', 'no-store').send(await signIn.passkeyChallenge(originOf(site, request)));
  });

  scope.post('/sign-in/passkey', options, async (request, reply) => {
    readForm(site, request, null);
    limit(request);
    const device = deviceOf(request.headers['user-agent']);
    const signedIn = await signIn.signInByPasskey(originOf(site, request), request.body, device);
    await endEarlier(site, request, reply);
    keepSession(site, request, reply, signedIn);
    return reply.header('cache-control', 'no-store').send({});
  });
}

/** The origin that browsers bind passkeys to. */
export function originOf({ config }: Site, request: FastifyRequest): string {
  const { protocol, host } = callerOf(request);
  return config.baseUrl === null ? `${protocol}://${host}` : new URL(config.baseUrl).origin;
}

/** The session that this browser had. */
async function endEarlier(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const page = await openOwnPage(site, request, reply);
  if (page !== null) await site.service.signIn.endSession(page.account, page.session.id).catch(() => undefined);
}

function keepBrowser(site: Site, request: FastifyRequest, reply: FastifyReply, browser: string): void {
  const secure = callerOf(request).protocol === 'https' ? '; Secure' : '';
  void reply.header(
    'set-cookie',
    `${browserCookie}=${browser}; Path=${site.rootPath}/sign-in; Max-Age=3600; HttpOnly; SameSite=Lax${secure}`,
  );
}

/** For people who are signed in: a fresh sign-in, before what an old one may not do. */
function confirmPage(page: Page, { id, email }: Account, next: string | null): Content {
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

function signInPage(page: Page, next: string | null, told: Html | null): Content {
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

/** The answer is the same whether or not the address is known. */
function askedNote(page: Page, email: string): Html {
  const { t, site } = page;
  const address = email.trim().toLowerCase();
  if (site.service.signIn.mails)
    return html`<div class="note" role="status">
      ${icon('mail')}
      <div>
        <h2 class="label">${t.signIn.look}</h2>
        <p>${fill(t.signIn.onItsWay, { email: address })}</p>
      </div>
    </div>`;
  return operatorNote(page, address);
}

/** The operator's command that makes a link. */
const operatorNote = ({ t }: Page, who: string): Html =>
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

const endedNote = ({ t }: Page): Html =>
  html`<div class="note" role="status">
    ${icon('clock')}
    <div>
      <h2 class="label">${t.signIn.ended}</h2>
      <p>${t.signIn.endedHelp}</p>
    </div>
  </div>`;

async function linkContent(page: Page, token: string, browser: string | null, opens = false): Promise<Content> {
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
