import type { FastifyInstance } from 'fastify';
import type { AnyTool } from '../../../../library/tools/declare/define.ts';
import type { ToolOffer } from '../../../rules/jobs/tools.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon, toolSign } from '../frame/icon.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fileLimits } from '../frame/terms.ts';
import { fill } from '../language/fill.ts';
import { toolText } from '../tools/tool-text.ts';
import { exampleFigures, exampleStrip, readExample } from './example.ts';
import { toolGroups } from './tool-groups.ts';

/** GET /: what Earshot is, its tools, and how to install it. */
export function frontRoutes(scope: FastifyInstance, site: Site): void {
  scope.get('/', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const page = await openPage(site, request, reply);
    const offers = await offersOf(site);
    const example = await readExample(site);
    const { front } = page.t;
    return sendPage(reply, page, {
      title: front.title,
      description: front.description,
      isPublic: true,
      scripts: ['front'],
      body: html`<div class="wrap hero">
          <div class="say">
            <h1>${front.claim}</h1>
            <p class="lead">${front.lead}</p>
            ${site.config.freeEnabled && html`<p class="small soft">${front.free}</p>`}
          </div>
          ${(site.config.freeEnabled || page.account !== null) && dropZone(page, offers)}
        </div>
        ${example !== null && exampleStrip(page, example)} ${toolIndex(page, offers)}
        ${example !== null && exampleFigures(page, example)} ${ownMachine(page)}`,
    });
  });
}

/** Choose a file, then a tool. Without a script each button sends the file to its tool. */
function dropZone(page: Page, offers: ReadonlyMap<string, ToolOffer>): Html {
  const { t, site, href } = page;
  const picks = toolGroups(site.tools)
    .flatMap(([, members]) => members)
    .filter(({ id }) => offers.get(id)?.unavailable === null)
    .flatMap((tool) => {
      const media = Object.values(tool.inputs).filter(({ kind }) => kind === 'media');
      const takesOne = media.some(({ multiple }) => !multiple) && media.filter(({ min }) => min > 0).length <= 1;
      // Where a tool takes one file alone, its page runs each of several.
      const takesMany = media.some(({ multiple }) => multiple) || (takesOne && Object.keys(tool.inputs).length === 1);
      // Tools that need more than one file cannot start from here.
      const needsMore =
        (tool.options.required ?? []).length > 0 || Object.values(tool.inputs).some(({ kind }) => kind === 'text');
      return takesOne || takesMany ? [{ tool, takesOne, takesMany, needsMore }] : [];
    });
  return html`<form class="drop" id="front" method="post" enctype="multipart/form-data">
    <p class="drop-h" id="front-title">${t.bench.drop}</p>
    <div class="flatline" aria-hidden="true"></div>
    <div class="row">
      <input class="front-file" type="file" id="front-file" name="file" accept="audio/*,video/*" /><label
        class="btn go l"
        for="front-file"
        >${icon('file')}${t.bench.choose}</label
      >
    </div>
    <p class="small soft" id="front-limits">${fileLimits(page)}</p>
    <p class="small with-script" id="front-sample">
      <button class="link" type="button" data-sample="${page.asset('talk.opus')}">${t.front.sample}</button>
    </p>
    <p id="front-files" role="status" class="name break"></p>
    <div class="picks" id="front-picks">
      <button class="pick" type="submit" data-page="${href('/edit')}" data-one data-more>
        ${editorSign}<b>${t.frame.editor}</b><small>${t.front.editor}</small>
      </button>
      ${picks.map(
        ({ tool, takesOne, takesMany, needsMore }) =>
          html`<button
            class="pick"
            type="submit"
            formaction="${href(`/api/try/${tool.slug}`)}"
            data-page="${href(`/tools/${tool.slug}`)}"
            data-one="${takesOne || null}"
            data-many="${takesMany || null}"
            data-more="${needsMore || !takesOne || null}"
          >
            ${toolSign(tool)}<b>${toolText(page, tool).title}</b><small>${toolText(page, tool).summary}</small>
          </button>`,
      )}
    </div>
  </form>`;
}

/** GET /tools: the list of tools alone. */
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

/** The tools in groups, with their purposes. */
function toolIndex(page: Page, offers: ReadonlyMap<string, ToolOffer>): Html {
  const { t, site } = page;
  const tools = site.tools.filter(({ id }) => offers.has(id));
  return html`<section class="wrap section" id="tools" aria-labelledby="tools-title">
    <div class="row row-l">
      <h2 id="tools-title">${fill(t.front.toolsTitle, { n: tools.length })}</h2>
      <p class="soft small push">${t.front.prices} <a href="${page.href('/prices')}">${t.prices.title}</a></p>
    </div>
    <div class="index section">
      ${toolGroups(tools).map(
        ([group, members]) =>
          html`<div>
            <h3>${t.groups[group]}</h3>
            <ul>
              ${group === 'cut' && editorEntry(page)} ${members.map((tool) => indexEntry(page, tool, offers))}
            </ul>
          </div>`,
      )}
    </div>
  </section>`;
}

function indexEntry(page: Page, tool: AnyTool, offers: ReadonlyMap<string, ToolOffer>): Html {
  const { title, summary } = toolText(page, tool);
  const isHere = offers.get(tool.id)?.unavailable === null;
  return html`<li>
    <a href="${page.href(`/tools/${tool.slug}`)}"
      >${toolSign(tool)}<strong>${title}</strong><small>${isHere ? summary : page.t.front.notInstalled}</small></a
    >
  </li>`;
}

const editorSign = html`<svg class="ti" viewBox="0 0 32 32" aria-hidden="true">
  <path d="M3 8h10M19 8h10M3 16h26M3 24h18" />
  <path class="m" d="M16 3v10" />
</svg>`;

const editorEntry = ({ t, href }: Page): Html =>
  html`<li>
    <a href="${href('/edit')}">${editorSign}<strong>${t.frame.editor}</strong><small>${t.front.editor}</small></a>
  </li>`;

function ownMachine({ t, href, base, site }: Page): Html {
  const { front } = t;
  const free = html`<span class="c"># ${front.useIt}</span
    >${`\ncurl -F file=@talk.wav \\\n  ${base}/api/try/remove-noise \\\n  -o clean.wav\n\n`}`;
  const keyed = html`<span class="c"># ${front.withKey}</span
    >${`\ncurl -H 'Authorization: Bearer svc_sk_...' \\\n  ${base}/api/v1/account`}`;
  return html`<section class="wrap section cols-2" aria-labelledby="own">
    <div class="stack">
      <h2 id="own">${front.own}</h2>
      <p class="measure">${front.own1}</p>
      <p class="measure soft">${front.own2}</p>
      <p><a class="btn" href="${href('/docs')}">${front.guide}</a></p>
    </div>
    <div class="stack">
      <div class="code">
        <pre tabindex="0"><code>${site.config.freeEnabled && free}${keyed}</code></pre>
        <button class="btn only s quiet" type="button" data-copy hidden aria-label="${t.frame.copy}">
          ${icon('copy')}
        </button>
      </div>
    </div>
  </section>`;
}
