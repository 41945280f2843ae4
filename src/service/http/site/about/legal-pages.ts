// Privacy, terms and imprint: the operator's own texts, or drafts that say what the software does.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { html, type Html, trusted } from '../../../../library/core/markup.ts';
import { note } from '../account/parts.ts';
import { sendPage } from '../frame/layout.ts';
import { legalNames } from '../frame/legal-names.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';

type LegalName = (typeof legalNames)[number];

/** GET /privacy, /terms, /imprint */
export function legalRoutes(scope: FastifyInstance, site: Site): void {
  scope.addHook('onReady', async () => {
    const shown = await draftsInstead(site.config);
    if (shown !== null) scope.log.warn({}, shown);
  });
  for (const name of legalNames)
    scope.get(`/${name}`, { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const page = await openPage(site, request, reply);
      const { title } = page.t.legal[name];
      const own = await operatorsText(page, name);
      return sendPage(reply, page, {
        title,
        isPublic: own !== null,
        mainClass: 'wrap',
        body:
          own === null
            ? draft(page, name)
            : html`<div class="head"><h1>${title}</h1></div>
                <div class="prose measure" ...${trusted(own)} />`,
      });
    });
}

/** What the operator has to know of a folder of texts that is not as it was meant; null: nothing. */
async function draftsInstead({
  legalFolder: folder,
  operatorAddress,
}: Pick<Site['config'], 'legalFolder' | 'operatorAddress'>): Promise<string | null> {
  if (folder === null) return null;
  const found = await readdir(folder).catch((thrown: NodeJS.ErrnoException) => thrown.code ?? 'unknown');
  if (typeof found === 'string')
    return `EARSHOT_LEGAL_FOLDER: ${folder} cannot be read (${found}); the website shows drafts in place of your texts`;
  const missing = legalNames
    .filter((name) => !found.some((file) => file.startsWith(`${name}.`) && file.endsWith('.md')))
    .filter((name) => name !== 'imprint' || operatorAddress === null);
  return missing.length === 0
    ? null
    : `EARSHOT_LEGAL_FOLDER: ${folder} has no ${missing.map((name) => `${name}.md`).join(', ')}; the website shows drafts there`;
}

/** Markdown of the operator's folder as HTML: <name>.<language>.md, or <name>.md; null: there is none. */
async function operatorsText({ site, language }: Page, name: LegalName): Promise<string | null> {
  const folder = site.config.legalFolder;
  if (folder === null) return null;
  for (const file of [`${name}.${language.code}.md`, `${name}.md`]) {
    const text = await readFile(join(folder, file), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
      // A text that is there and cannot be read is a fault to be seen: a draft in its place would not be.
      if (thrown.code === 'ENOENT') return null;
      throw thrown;
    });
    if (text === null) continue;
    const { Marked } = await import('marked');
    // The page has its heading; and HTML is left out, as in the guides.
    return new Marked({ gfm: true })
      .use({ renderer: { html: () => '' } })
      .parse(text.replace(/^\s*# .*\n/, ''), { async: false });
  }
  return null;
}

function draft({ t, href, site }: Page, name: LegalName): Html {
  const { title, parts } = t.legal[name];
  const address = site.config.operatorAddress?.replaceAll('\\n', '\n') ?? null;
  return html`<div class="head"><h1>${title}</h1></div>
    <div class="stack-l measure">
      ${(name !== 'imprint' || address === null) && note(t.legal.draft, t.legal.draftHelp)}
      <div class="prose">
        ${name === 'imprint' && address !== null && html`<address>${address}</address>`}
        ${
          (name !== 'imprint' || address === null) &&
          parts.map(
            ([heading, text]) =>
              html`<h2>${heading}</h2>
                <p>${text}</p>`,
          )
        }
        <p><a href="${href('/kept')}">${t.frame.kept}</a></p>
      </div>
    </div>`;
}
