import type { FastifyInstance } from 'fastify';
import { html, type Html } from '../../../../library/core/markup.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fileLimits, keptHours } from '../frame/terms.ts';
import { fill } from '../language/fill.ts';
import { markedText, termsOf } from '../frame/marked-text.ts';
import { searchForm } from '../frame/search-form.ts';

/** GET /help?q=<words>: how the site is used, with a search that marks what it finds. */
export function helpRoutes(scope: FastifyInstance, site: Site): void {
  scope.get<{ Querystring: { q?: unknown } }>(
    '/help',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const page = await openPage(site, request, reply);
      const { help } = page.t;
      const { q } = request.query;
      const query = typeof q === 'string' ? q.trim().slice(0, 200) : '';
      return sendPage(reply, page, {
        title: help.title,
        description: help.lead,
        isPublic: true,
        mainClass: 'wrap',
        body: html`<div class="head">
            <h1>${help.title}</h1>
            <p class="lead">${help.lead}</p>
          </div>
          <div class="stack-l">
            ${searchForm(page, { path: '/help', label: page.t.help.search, query, classes: 'measure' })}
            ${answers(page, query)}
          </div>`,
      });
    },
  );
}

function answers(page: Page, query: string): Html {
  const { t, href, language } = page;
  const terms = termsOf(query);
  const { buying, notSold } = t.help;
  const values = {
    limits: fileLimits(page),
    hours: keptHours(page),
    buying: page.site.service.payments.possible ? buying : notSold,
  };
  const found = t.help.articles
    .map((article) => ({ ...article, text: fill(article.text, values) }))
    .filter(({ title, text }) => {
      const words = termsIn(`${title} ${text}`);
      return terms.every((term) => words.some((word) => word.startsWith(term)));
    });
  const said = terms.length > 0 && fill(language.count(t.docs.found, found.length), { query });
  if (found.length === 0)
    return html`<p role="status">
      ${fill(t.docs.nothing, { query })}
      <a href="${href(`/docs?q=${encodeURIComponent(query)}`)}">${t.docs.search}</a>
    </p>`;
  return html`<div class="prose measure">
    ${said !== false && html`<p role="status">${said}</p>`}
    ${found.map(
      ({ title, text, to, toName }) =>
        html`<h2>${markedText(title, terms)}</h2>
          <p>${markedText(text, terms)}</p>
          <p><a href="${href(to)}">${toName}</a></p>`,
    )}
  </div>`;
}

const termsIn = (text: string): readonly string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
