// What surrounds every page: head, bar, foot, and the policy of what it may load. docs/extending.md says how to add a
// page.
import type { FastifyReply } from 'fastify';
import { brandSigns } from './brand.ts';
import { legalNames } from './legal-names.ts';
import { barEnd } from './bar-end.ts';
import { html, type Html, jsonScript, type Part, renderDocument } from '../../../../library/core/markup.ts';
import { icon } from './icon.ts';
import { isOffline } from './offline.ts';
import { type Page, themes } from './site.ts';
import { languages } from '../language/languages.ts';

/** Entries of the bar. */
export type Section = 'tools' | 'episode' | 'editor' | 'prices' | 'docs';

export interface Content {
  /** Window title, without the service's name. */
  readonly title: string;
  /** Content of main, with exactly one h1. */
  readonly body: Part;
  /** Active entry of the bar. Default: none. */
  readonly section?: Section;
  /** Description for search engines and previews. Default: none. */
  readonly description?: string;
  /** Scripts of src/site/islands besides the frame's own. Default: none. */
  readonly scripts?: readonly string[];
  /** Data for those scripts, as JSON in the element `data`. Default: none. */
  readonly data?: unknown;
  /** Default: 200. */
  readonly status?: number;
  /** May it be cached and indexed? Default: no, since it is personal. */
  readonly isPublic?: boolean;
  /** Seconds after which browsers without scripts reload the page. Default: never. */
  readonly refreshSeconds?: number;
  /** Without bar and foot, for a page that fills the window. Default: with them. */
  readonly bare?: boolean;
  /** A style sheet of its own, in place of the site's: without bar, foot and the frame's script. Default: none. */
  readonly sheet?: string;
  /** Class of the element main. Default: none. */
  readonly mainClass?: string;
  /** Origins that forms lead to, besides our own. Default: none. */
  readonly formOrigins?: readonly string[];
  /** Is its address a credential, which must not be sent as a referrer? Default: no. */
  readonly secretAddress?: boolean;
  /** May a page of another site that opened this one as a window talk with it? Default: no. */
  readonly opener?: boolean;
}

/** Scripts, styles, fonts and requests of our own only; nothing inline, nothing from other hosts, in no frame. */
const policy = (formOrigins: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action ${["'self'", ...formOrigins].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The headers of a page. */
export const pageHeaders = ({
  isPublic = false,
  secretAddress = false,
  formOrigins = [],
  opener = false,
}: Content): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy(formOrigins),
  // Pages show who is signed in, so browsers must revalidate them.
  'cache-control': isPublic ? 'private, no-cache' : 'no-store',
  'referrer-policy': secretAddress ? 'no-referrer' : 'same-origin',
  'x-content-type-options': 'nosniff',
  ...(opener ? {} : { 'cross-origin-opener-policy': 'same-origin' }),
  'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
  ...(isPublic ? {} : { 'x-robots-tag': 'noindex' }),
});

/** Sends a page. */
export const sendPage = (reply: FastifyReply, page: Page, content: Content): FastifyReply =>
  reply
    .code(content.status ?? 200)
    .headers(pageHeaders(content))
    .send(pageText(page, content));

/** The whole document. */
export function pageText(page: Page, content: Content): string {
  const { title, description, body, scripts = [], data, bare = false, sheet, mainClass, refreshSeconds } = content;
  const { language, theme, t } = page;
  const isOurs = sheet === undefined;
  const font = page.asset('instrument-sans-latin-wght.woff2');
  return renderDocument(
    html`<html lang="${language.code}" dir="${language.direction}" data-theme="${theme === 'system' ? null : theme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title === 'Earshot' ? title : `${title} · Earshot`}</title>
        ${description !== undefined && html`<meta name="description" content="${description}" />`}
        ${description !== undefined && isOurs && openGraph(page, title, description)}
        ${refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`}
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${page.asset('favicon.svg')}" type="image/svg+xml" />
        ${isOurs && isOffline(page.site) && html`<link rel="manifest" href="${page.href('/manifest.webmanifest')}" />`}
        ${isOurs && html`<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin />`}
        <link rel="stylesheet" href="${page.asset(sheet ?? 'site.css')}" />
        ${[...(isOurs ? ['frame'] : []), ...scripts].map((name) => html`<script type="module" src="${page.asset(`${name}.js`)}"></script>`)}
      </head>
      <body>
        ${isOurs && html`<a class="skip" href="#main">${t.frame.skip}</a>`}
        ${isOurs && !bare && bar(page, content.section)}
        <main id="main" class="${mainClass}">${body}</main>
        ${isOurs && !bare && foot(page)} ${data !== undefined && jsonScript('data', data)}
      </body>
    </html>`,
  );
}

/** What other sites show of a link to the page. */
const openGraph = ({ base, url, language }: Page, title: string, description: string): Html =>
  html`<meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="Earshot" />
    <meta property="og:url" content="${base + url.split(/[?#]/, 1).join('')}" />
    <meta property="og:locale" content="${language.code === 'en' ? 'en_GB' : language.code}" />`;

/** The sections of the bar: address and name. */
const sections = ({ href, t }: Page): readonly (readonly [Section, string, string])[] => [
  ['tools', href('/tools'), t.frame.tools],
  ['episode', href('/episode'), t.recipes.nav],
  ['editor', href('/edit'), t.frame.editor],
  ['prices', href('/prices'), t.prices.title],
  ['docs', href('/docs'), t.frame.docs],
];

function bar(page: Page, current: Section | undefined): Html {
  const { t, href } = page;
  // Where the website is off, the pages of payments are the only ones: there is nothing to lead to.
  if (!page.site.config.site)
    return html`<header class="top">
      <div class="wrap"><span class="brand" role="img" aria-label="Earshot">${brandSigns}</span></div>
    </header>`;
  const links = sections(page);
  return html`<header class="top">
    <div class="wrap">
      <a class="brand" href="${href('/')}" aria-label="${t.frame.brand}">${brandSigns}</a>
      <nav class="nav" aria-label="${t.frame.main}">
        <ul>
          ${links.map(
            ([section, address, name]) =>
              html`<li>
                <a href="${address}" aria-current="${section === current ? 'page' : null}">${name}</a>
              </li>`,
          )}
        </ul>
      </nav>
      <div class="top-end">
        ${barEnd(page)}
        <button class="btn s only nav-more" type="button" popovertarget="pages" aria-label="${t.frame.pages}">
          ${icon('text')}
        </button>
        <div class="menu" id="pages" popover>
          ${links.map(([, address, name]) => html`<a href="${address}">${name}</a>`)}
        </div>
      </div>
    </div>
  </header>`;
}

function foot(page: Page): Html {
  const { t, href, theme, language, url } = page;
  if (!page.site.config.site)
    return html`<footer class="foot">
      <div class="wrap"><span>${t.frame.ownMachine}</span></div>
    </footer>`;
  const back = html`<input type="hidden" name="back" value="${url}" />`;
  return html`<footer class="foot">
    <div class="wrap">
      <span>${t.frame.ownMachine}</span>
      <a href="${href('/docs')}">${t.frame.docs}</a><a href="${href('/docs/reference/rest-api')}">${t.frame.api}</a
      ><a href="${href('/api/openapi.json')}">openapi.json</a> <a href="${href('/help')}">${t.help.title}</a
      ><a href="${href('/kept')}">${t.frame.kept}</a>${legalNames.map(
        (name) => html`<a href="${href(`/${name}`)}">${t.legal[name].title}</a>`,
      )}
      <form class="push choice" method="get" action="${href('/choose')}">
        ${back}
        <fieldset>
          <legend class="sr">${t.frame.language}</legend>
          <div class="seg calm">
            ${languages.map(
              ({ code, name }) =>
                html`<label lang="${code}"
                  ><input type="radio" name="lang" value="${code}" checked="${code === language.code}" />${name}</label
                >`,
            )}
          </div>
        </fieldset>
        <fieldset>
          <legend class="sr">${t.frame.theme}</legend>
          <div class="seg calm">
            ${themes.map(
              (each) =>
                html`<label
                  ><input
                    type="radio"
                    name="theme"
                    value="${each}"
                    checked="${each === theme}"
                  />${t.frame.themes[each]}</label
                >`,
            )}
          </div>
        </fieldset>
        <button class="btn s" type="submit">${t.frame.change}</button>
      </form>
    </div>
  </footer>`;
}
