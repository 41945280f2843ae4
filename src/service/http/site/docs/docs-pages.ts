import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { html, type Html, trusted } from '../../../../library/core/markup.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { markedText, termsOf } from '../frame/marked-text.ts';
import { searchForm } from '../frame/search-form.ts';
import { type Guide, type GuideGroup, type Guides, loadGuides } from './guides.ts';

/** GET /docs, /docs/<guide>, /docs/reference/<page>: the guides as pages, with a search. */
export function docsRoutes(scope: FastifyInstance, site: Site): void {
  let loaded: Promise<Guides> | undefined;
  const guides = (): Promise<Guides> =>
    (loaded ??= loadGuides((path) => site.rootPath + path).catch((thrown: unknown) => {
      loaded = undefined;
      throw thrown;
    }));
  const options = { config: { access: 'public' as const }, schema: { hide: true } };

  scope.get<{ Querystring: { q?: unknown } }>('/docs', options, async (request, reply) => {
    const page = await openPage(site, request, reply);
    const { q } = request.query;
    const query = typeof q === 'string' ? q.trim().slice(0, 200) : '';
    const all = await guides();
    const { docs } = page.t;
    return sendPage(reply, page, {
      title: docs.title,
      description: docs.lead,
      section: 'docs',
      isPublic: true,
      mainClass: 'wrap',
      body: html`<div class="docs">
        ${sideNav(page, all, null)}
        <div class="stack">
          <h1>${docs.title}</h1>
          <p class="lead">${docs.lead}</p>
          ${searchForm(page, { path: '/docs', label: page.t.docs.search, query })}${query === '' ? index(page, all) : hits(page, all, query)}
        </div>
      </div>`,
    });
  });

  const show = async (name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = await openPage(site, request, reply);
    const all = await guides();
    const guide = all.get(name);
    if (guide === undefined) throw new EarshotError('not_found', `There is no guide ${name.slice(0, 100)}`);
    return sendPage(reply, page, {
      title: guide.title,
      section: 'docs',
      isPublic: true,
      mainClass: 'wrap',
      // The guides are English in every language of the site.
      body: html`<div class="docs">
        ${sideNav(page, all, guide)}
        <article class="prose" lang="en" ...${trusted(guide.html)} />
        ${toc(page, guide)}
      </div>`,
    });
  };
  scope.get<{ Params: { name: string } }>('/docs/:name', options, (request, reply) =>
    show(request.params.name, request, reply),
  );
  scope.get<{ Params: { name: string } }>('/docs/reference/:name', options, (request, reply) =>
    show(`reference/${request.params.name}`, request, reply),
  );
}

const groupsOf = ({ all }: Guides): readonly (readonly [GuideGroup, readonly Guide[]])[] =>
  (['start', 'use', 'run', 'more', 'reference'] as const).map((group) => [
    group,
    all.filter((guide) => guide.group === group),
  ]);

function sideNav(page: Page, guides: Guides, current: Guide | null): Html {
  const { t, href } = page;
  return html`<nav class="side-nav" aria-label="${t.docs.title}">
    ${current !== null && searchForm(page, { path: '/docs', label: page.t.docs.search, query: '' })}${groupsOf(
      guides,
    ).map(
      ([group, members]) =>
        html`<h2>${t.docs.groups[group]}</h2>
          ${members.map(
            ({ name, title }) =>
              html`<a lang="en" href="${href(`/docs/${name}`)}" aria-current="${name === current?.name ? 'page' : null}"
                >${title}</a
              >`,
          )}`,
    )}
  </nav>`;
}

/** The side navigation again, for phones, which do not show it. */
const index = ({ t, href }: Page, guides: Guides): Html =>
  html`<div class="cols-2">
    ${groupsOf(guides).map(
      ([group, members]) =>
        html`<section>
          <h2 class="h4">${t.docs.groups[group]}</h2>
          <ul class="stack-s">
            ${members.map(
              ({ name, title }) => html`<li lang="en"><a href="${href(`/docs/${name}`)}">${title}</a></li>`,
            )}
          </ul>
        </section>`,
    )}
  </div>`;

function hits({ t, href, language }: Page, guides: Guides, query: string): Html {
  const found = guides.search(query);
  if (found.length === 0) return html`<p role="status">${fill(t.docs.nothing, { query })}</p>`;
  return html`<p role="status">${fill(language.count(t.docs.found, found.length), { query })}</p>
    <ul class="hits">
      ${found.map(
        ({ name, guide, section, anchor, excerpt }) =>
          html`<li lang="en">
            <a href="${href(`/docs/${name}${anchor === '' ? '' : `#${anchor}`}`)}"
              ><b>${guide}${section !== '' && ` · ${section}`}</b
              ><span class="soft">${markedText(excerpt, termsOf(query))}</span></a
            >
          </li>`,
      )}
    </ul>`;
}

const toc = ({ t }: Page, { headings }: Guide): Html =>
  html`<nav class="toc" aria-label="${t.docs.onPage}">
    <h2>${t.docs.onPage}</h2>
    ${headings.filter(({ level }) => level === 2).map(({ id, text }) => html`<a lang="en" href="#${id}">${text}</a>`)}
  </nav>`;
