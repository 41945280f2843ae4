import type { FastifyInstance } from 'fastify';
import type { ToolOffer } from '../../../rules/service.ts';
import { html, type Html } from '../frame/html.ts';
import { icon, toolSign } from '../frame/icon.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { toolGroups } from './tool-groups.ts';

/** GET /: what this is, its tools, and how to have it oneself. */
export function frontRoutes(scope: FastifyInstance, site: Site): void {
  scope.get('/', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const page = await openPage(site, request, reply);
    const offers = await offersOf(site);
    const { front } = page.t;
    return sendPage(reply, page, {
      title: front.title,
      description: front.description,
      isPublic: true,
      body: html`<div class="wrap hero">
          <div class="say">
            <h1>${front.claim}</h1>
            <p class="lead">${front.lead}</p>
            ${site.config.freeEnabled && html`<p class="small soft">${front.free}</p>`}
          </div>
        </div>
        ${toolIndex(page, offers)} ${ownMachine(page)}`,
    });
  });
}

/** GET /tools: the same tools, without the rest. */
export function toolIndexRoutes(scope: FastifyInstance, site: Site): void {
  scope.get('/tools', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const page = await openPage(site, request, reply);
    const { t } = page;
    return sendPage(reply, page, {
      title: t.frame.tools,
      section: 'tools',
      isPublic: true,
      body: html`<div class="wrap head"><h1>${t.frame.tools}</h1></div>
        ${toolIndex(page, await offersOf(site))}`,
    });
  });
}

const offersOf = async ({ service }: Site): Promise<ReadonlyMap<string, ToolOffer>> =>
  new Map((await service.tools.offers()).map((offer) => [offer.id, offer]));

/** The tools in groups, with what each is for. */
function toolIndex(page: Page, offers: ReadonlyMap<string, ToolOffer>): Html {
  const { t, site } = page;
  const tools = site.tools.filter(({ id }) => offers.has(id));
  return html`<section class="wrap section" id="tools" aria-labelledby="tools-title">
    <div class="row row-l">
      <h2 id="tools-title">${fill(t.front.toolsTitle, { n: tools.length })}</h2>
      <p class="soft small push">${t.front.prices}</p>
    </div>
    <div class="index section">
      ${toolGroups(tools).map(
        ([group, members]) =>
          html`<div>
            <h3>${t.groups[group]}</h3>
            <ul>
              ${members.map(
                ({ id, slug, title, summary }) =>
                  html`<li>
                    <div class="entry">
                      ${toolSign(slug)}<strong>${title}</strong
                      ><small>${offers.get(id)?.unavailable === null ? summary : t.front.notInstalled}</small>
                    </div>
                  </li>`,
              )}
            </ul>
          </div>`,
      )}
    </div>
  </section>`;
}

function ownMachine({ t, href, base, site }: Page): Html {
  const { front } = t;
  return html`<section class="wrap section cols-2" aria-labelledby="own">
    <div class="stack">
      <h2 id="own">${front.own}</h2>
      <p class="measure">${front.own1}</p>
      <p class="measure soft">${front.own2}</p>
      <p><a class="btn" href="${href('/api/openapi.json')}">${t.frame.api}</a></p>
    </div>
    <div class="stack">
      <div class="code">
        <pre tabindex="0"><code>${
          site.config.freeEnabled &&
          html`<span class="c"># ${front.useIt}</span>
            curl -F file=@talk.wav \\ ${base}/api/try/remove-noise \\ -o clean.wav `
        }<span class="c"># ${front.withKey}</span>
curl -H 'Authorization: Bearer svc_sk_...' \\
  ${base}/api/v1/account</code></pre>
        <button class="btn only s quiet" type="button" data-copy hidden aria-label="${t.frame.copy}">
          ${icon('copy')}
        </button>
      </div>
    </div>
  </section>`;
}
