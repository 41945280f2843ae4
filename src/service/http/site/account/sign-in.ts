import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { statusOf } from '../../server/errors.ts';
import type { Arriving, SignedIn } from '../../../rules/sign-in/sign-in-use-cases.ts';
import { mailLanguage } from '../../../rules/accounts/account.ts';
import { readCookie } from '../../interface/cookies.ts';
import { callerOf } from '../../server/mount.ts';
import { addressKey, createRateLimiter, rateLimited } from '../../server/rate-limit.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Site } from '../frame/site.ts';
import { ownPath } from '../frame/own-path.ts';
import { errorText } from '../language/said.ts';
import { deviceOf } from './device.ts';
import { fault } from './parts.ts';
import { codePage, confirmPage, endedNote, linkContent, notAsked, operatorNote, signInPage } from './sign-in-pages.ts';
import { dropSession, keepSession, openOwnPage } from './session.ts';
import { readForm } from './view.ts';

/** Identifies the browser that requested a link, and the one that has signed in before. */
const browserCookie = 'svc.sign_in';
/** The longest that browsers keep a cookie. */
const browserSeconds = 400 * 86_400;
const triesPerMinute = 20;

const options = { config: { access: 'public' as const } };

/** Refuses more tries of a kind than one network address may have. */
type Limit = (request: FastifyRequest, kind: 'follow' | 'passkey') => void;

/** /sign-in, its links, passkeys, and /sign-out. */
export function signInRoutes(scope: FastifyInstance, site: Site): void {
  const { signIn } = site.service;
  const limiter = createRateLimiter();
  const limit: Limit = (request, kind) => {
    const state = limiter.take(`${kind}:${addressKey(callerOf(request).ip)}`, triesPerMinute);
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
    const browser = readCookie(request, browserCookie) ?? randomBytes(32).toString('base64url');
    try {
      await signIn.requestLink({
        email,
        browser,
        network: addressKey(callerOf(request).ip),
        next: ownPath(next),
        language: mailLanguage(page.language.code),
        device: deviceOf(request.headers['user-agent']),
      });
    } catch (thrown) {
      if (!(thrown instanceof EarshotError)) throw thrown;
      request.errorCode = thrown.code;
      const told = notAsked(page, thrown);
      // The mail server's trouble is not this process's.
      const status = thrown.code === 'internal_error' ? 503 : statusOf(thrown);
      const wait = thrown.details?.['retryAfterSeconds'];
      if (typeof wait === 'number') void reply.header('retry-after', String(wait));
      return sendPage(reply, page, { ...signInPage(page, ownPath(next), told), status });
    }
    keepBrowser(site, request, reply, browser);
    if (signIn.mails) return sendPage(reply, page, codePage(page, email, ownPath(next), null));
    return sendPage(reply, page, signInPage(page, ownPath(next), operatorNote(page, email.trim().toLowerCase())));
  });

  scope.post('/sign-in/code', options, async (request, reply) => {
    const page = await openPage(site, request, reply);
    const { code = '', email = '', next } = readForm(site, request, null);
    limit(request, 'follow');
    try {
      return await welcome(site, request, reply, await signIn.followCode(code, arriving(request)));
    } catch (thrown) {
      if (!(thrown instanceof EarshotError) || statusOf(thrown) >= 500) throw thrown;
      request.errorCode = thrown.code;
      const { message, nextAction } = errorText(page.t, thrown);
      const told = fault(message, nextAction);
      const content =
        thrown.code === 'not_found'
          ? signInPage(page, ownPath(next), told)
          : codePage(page, email.slice(0, 254), ownPath(next), told);
      return sendPage(reply, page, { ...content, status: statusOf(thrown) });
    }
  });

  type ByToken = { Params: { token: string } };
  const linkPage = async (request: FastifyRequest<ByToken>, reply: FastifyReply): Promise<FastifyReply> => {
    const page = await openPage(site, request, reply);
    const { token } = request.params;
    const known = readCookie(request, browserCookie);
    // The page's address is a secret until the link is used.
    const secret = { secretAddress: true };
    if (request.method !== 'GET')
      return sendPage(reply, page, { ...(await linkContent(page, token, known ?? null)), ...secret });
    const browser = known ?? randomBytes(32).toString('base64url');
    const content = await linkContent(page, token, browser, true);
    keepBrowser(site, request, reply, browser);
    return sendPage(reply, page, { ...content, ...secret });
  };
  // Mail scanners open links, so a GET does not use a link up. It binds those that the operator's command prints.
  scope.get<ByToken>('/sign-in/:token', options, linkPage);

  scope.post<ByToken>('/sign-in/:token', options, async (request, reply) => {
    readForm(site, request, null);
    limit(request, 'follow');
    try {
      return await welcome(site, request, reply, await signIn.followLink(request.params.token, arriving(request)));
    } catch (thrown) {
      // The page shows the reason.
      if (thrown instanceof EarshotError && statusOf(thrown) < 500) return linkPage(request, reply);
      throw thrown;
    }
  });
  passkeyRoutes(scope, site, limit);
}

/** Signing in with a passkey, by script, and signing out. */
function passkeyRoutes(scope: FastifyInstance, site: Site, limit: Limit): void {
  const { signIn } = site.service;
  scope.post('/sign-in/passkey/challenge', options, async (request, reply) => {
    readForm(site, request, null);
    limit(request, 'passkey');
    return reply.header('cache-control', 'no-store').send(await signIn.passkeyChallenge(originOf(site, request)));
  });

  scope.post('/sign-in/passkey', options, async (request, reply) => {
    readForm(site, request, null);
    limit(request, 'passkey');
    const signedIn = await signIn.signInByPasskey(originOf(site, request), request.body, arriving(request));
    await arrive(site, request, reply, signedIn);
    return reply.header('cache-control', 'no-store').send({});
  });

  scope.post('/sign-out', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    readForm(site, request, page);
    await endEarlier(site, request, reply);
    dropSession(site, request, reply);
    return reply.header('cache-control', 'no-store').redirect(`${site.rootPath}/`, 303);
  });
}

/** The origin that browsers bind passkeys to. */
export function originOf({ config }: Site, request: FastifyRequest): string {
  const { protocol, host } = callerOf(request);
  return config.baseUrl === null ? `${protocol}://${host}` : new URL(config.baseUrl).origin;
}

/** The browser that signs in. */
const arriving = (request: FastifyRequest): Arriving => ({
  browser: readCookie(request, browserCookie) ?? null,
  device: deviceOf(request.headers['user-agent']),
});

/** Keeps the new session in the browser, in place of the one that it had. */
async function arrive(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  signedIn: Omit<SignedIn, 'next'>,
): Promise<void> {
  await endEarlier(site, request, reply);
  keepSession(site, request, reply, signedIn);
  keepBrowser(site, request, reply, signedIn.browser);
}

async function welcome(site: Site, request: FastifyRequest, reply: FastifyReply, signedIn: SignedIn) {
  await arrive(site, request, reply, signedIn);
  return reply.header('cache-control', 'no-store').redirect(site.rootPath + (ownPath(signedIn.next) ?? '/files'), 303);
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
    `${browserCookie}=${browser}; Path=${site.rootPath}/sign-in; Max-Age=${browserSeconds}; HttpOnly; ` +
      `SameSite=Lax${secure}`,
  );
}
