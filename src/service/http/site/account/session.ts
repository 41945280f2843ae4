import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Account } from '../../../rules/accounts/account.ts';
import type { Session } from '../../../rules/accounts/sign-in-store.ts';
import type { SignedIn } from '../../../rules/sign-in/sign-in-use-cases.ts';
import { isPlainHttp, plainSessionCookie, sessionCookie, sessionTokenOf } from '../../interface/session-cookie.ts';
import { type Page, type Site, visitorPage } from '../frame/site.ts';

/** A page for a signed-in user. */
export interface OwnPage extends Page {
  readonly account: Account;
  readonly session: Session;
  /** For the hidden field `form` of every form: pages of other sites cannot know it. */
  readonly formToken: string;
}

/** Opens a page for the signed-in user; null when not signed in. */
export async function openOwnPage(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<OwnPage | null> {
  void reply.header('vary', 'Accept-Language, Cookie');
  const token = sessionTokenOf(request, site.config);
  if (token === undefined) return null;
  try {
    const { account, session } = await site.service.access.session(token);
    return { ...visitorPage(site, request), account, session, formToken: formTokenOf(token) };
  } catch (thrown) {
    if (thrown instanceof EarshotError && thrown.code === 'unauthorized') return null;
    throw thrown;
  }
}

/** Derived from the session's secret: needs no storage, expires with the session, and does not reveal the secret. */
const formTokenOf = (token: string): string => createHash('sha256').update(`form:${token}`).digest('base64url');

/** Sets the session cookie; without https also a second one, which every browser accepts. */
export function keepSession(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { token, expiresAt }: Omit<SignedIn, 'account' | 'next'>,
): void {
  const seconds = Math.floor((expiresAt.getTime() - Date.now()) / 1000);
  setCookies(site, request, reply, token, Math.max(0, seconds));
}

/** Removes the session cookie. */
export const dropSession = (site: Site, request: FastifyRequest, reply: FastifyReply): void =>
  setCookies(site, request, reply, '', 0);

function setCookies(site: Site, request: FastifyRequest, reply: FastifyReply, value: string, seconds: number): void {
  const rest = `Path=${site.rootPath}/; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
  void reply.header('set-cookie', `${sessionCookie}=${value}; ${rest}; Secure`);
  if (isPlainHttp(request, site.config)) void reply.header('set-cookie', `${plainSessionCookie}=${value}; ${rest}`);
}

/**
 * The path of one of our links: people may use the service under another host name than its links have, and forms may
 * only post to the page's own host.
 */
export function pathOf({ site }: Page, url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return (pathname.startsWith(site.rootPath) ? pathname.slice(site.rootPath.length) : pathname) + search;
}
