import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Account } from '../../../rules/accounts/account.ts';
import { sessionOf } from '../../interface/authenticate.ts';
import { readCookie } from '../../interface/cookies.ts';
import { callerOf } from '../../server/mount.ts';
import { type Assets, createAssets } from './assets.ts';
import { type Language, languageOf, preferredLanguage } from '../language/languages.ts';
import type { DialectDeps } from '../../interface/dialect-deps.ts';

/** The website: what all of its pages share. */
export interface Site extends Required<Omit<DialectDeps, 'liveVoices'>> {
  readonly assets: Assets;
  /** Path of scripts, styles and fonts, without the prefix of a host app. */
  readonly assetsAt: string;
}

export const createSite = (deps: DialectDeps): Site => ({
  rootPath: '',
  ...deps,
  assets: createAssets(),
  // Without the website, those of the pages of payments are all that there is.
  assetsAt: deps.config.site ? '/assets' : '/payments/assets',
});

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Cookies of choices, read by the server so that a page comes as it was chosen. */
export const languageCookie = 'lang';
export const themeCookie = 'theme';

/** Context of a page: its user, language and addresses. */
export interface Page {
  readonly site: Site;
  readonly language: Language;
  /** The texts of the language. */
  readonly t: Language['t'];
  readonly theme: Theme;
  /** Signed in; null: a visitor. */
  readonly account: Account | null;
  /** Path and query of the request, without the prefix of a host app. */
  readonly url: string;
  /** The origin in the request, with the prefix: "https://audio.example.org". */
  readonly base: string;
  /** For error pages. */
  readonly requestId: string;
  /** The address of one of our paths, with the prefix of a host app. */
  href(path: string): string;
  /** The address of a script, style or font. */
  asset(name: string): string;
}

/** Everything but the account, which needs a database query. */
export function visitorPage(site: Site, request: FastifyRequest | null): Page {
  const { rootPath, assets, assetsAt, config } = site;
  const choice = (name: string): string | undefined => (request === null ? undefined : readCookie(request, name));
  const language = languageOf(choice(languageCookie)) ?? preferredLanguage(request?.headers['accept-language']);
  const chosen = choice(themeCookie);
  const { protocol, host } = request === null ? { protocol: 'http', host: '' } : callerOf(request);
  return {
    site,
    language,
    t: language.t,
    theme: themes.find((theme) => theme === chosen) ?? 'system',
    account: null,
    url: request?.url ?? '/',
    base: config.baseUrl ?? `${protocol}://${host}${rootPath}`,
    requestId: request?.id ?? randomUUID(),
    href: (path) => rootPath + path,
    asset: (name) => `${rootPath}${assetsAt}/${assets.nameOf(name)}`,
  };
}

/** Opens a page for a request. An expired session counts as signed out. */
export async function openPage(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<Page> {
  void reply.header('vary', 'Accept-Language, Cookie');
  return { ...visitorPage(site, request), account: await sessionOf(request, site.service.access, site.config) };
}
