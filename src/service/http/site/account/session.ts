import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors.ts';
import type { Account } from '../../../rules/records.ts';
import type { Session } from '../../../rules/sign-in-store.ts';
import type { SignedIn } from '../../../rules/sign-in-use-cases.ts';
import { isPlainHttp, plainSessionCookie, sessionCookie, sessionTokenOf } from '../../interface/session-cookie.ts';
import { type Page, type Site, visitorPage } from '../frame/site.ts';

/** A page of somebody who is signed in. */
export interface OwnPage extends Page {
  readonly account: Account;
  readonly session: Session;
  /** For the hidden field `form` of every form: pages of other sites cannot know it. */
  readonly formToken: string;
}

/** Opens a page of the person who is signed in; null: not signed in. */
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

/** Derived from the session's secret: it needs no storage, ends with the session, and does not reveal the secret. */
const formTokenOf = (token: string): string => createHash('sha256').update(`form:${token}`).digest('base64url');

/** Sets the session cookie. Where there is no https, also one that every browser keeps there. */
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

/** A path of ours, never another host: "//evil.example" and "/\evil.example" are such. */
export const ownPath = (path: string | undefined): string | null =>
  path !== undefined && path.length <= 1000 && /^\/(?![/\\])[^\\\s]*$/.test(path) ? path : null;

/**
 * Of a link of ours: people may use the service under another name than its links have, and forms lead nowhere else.
 */
export function pathOf({ site }: Page, url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return (pathname.startsWith(site.rootPath) ? pathname.slice(site.rootPath.length) : pathname) + search;
}
