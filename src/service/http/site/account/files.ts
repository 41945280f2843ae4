import type { StoredFile } from '../../../rules/files/stored-file.ts';
import { html, type Html, type Part } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { searchForm } from '../frame/search-form.ts';
import { errorText } from '../language/said.ts';
import { fill } from '../language/fill.ts';
import { lengthOf, sizeOf } from './formats.ts';
import { confirmed, empty, note, olderLink, ownForm } from './parts.ts';
import { type OwnPage, pathOf } from './session.ts';
import type { Form, View } from './view.ts';

const pageSize = 50;
const kinds = ['original', 'output'] as const;
type Kind = (typeof kinds)[number] | null;

/** The address of the list. */
function pathWith(kind: Kind, query: string): string {
  const search = new URLSearchParams({ ...(kind !== null && { kind }), ...(query !== '' && { q: query }) }).toString();
  return search === '' ? '/files' : `/files?${search}`;
}

interface FilesQuery {
  readonly cursor?: string;
  readonly kind?: string;
  /** Several, where a client says it twice. */
  readonly q?: unknown;
  /** Something was to be done with what is selected, and nothing is. */
  readonly none?: unknown;
}

/** Where those are led who have selected nothing. */
export const nothingSelected = '/files?none';

/** The form of what is selected: its boxes lie in the rows. */
const manyForm = 'many';

/** /files: uploads and results, as long as they are kept. */
export const filesView: View = {
  path: '/files',
  section: 'files',
  async render(page, request) {
    const { t, href, site, language } = page;
    const { cursor = null, kind: asked, q, none } = request.query as FilesQuery;
    const kind = kinds.find((each) => each === asked) ?? null;
    const query = typeof q === 'string' ? q.trim().slice(0, 100) : '';
    const { files } = site.service;
    const [{ items, nextCursor }, kept] = await Promise.all([
      files.list(page.account, { kind, name: query }, { cursor, limit: pageSize }),
      files.kept(page.account),
    ]);
    const texts = t.files;
    const hours = Math.round(site.config.retentionSeconds / 3600);
    const days = site.config.projectDays;
    const tabs = [null, ...kinds].map(
      (each) =>
        html`<a class="tab" href="${href(pathWith(each, query))}" aria-current="${each === kind ? 'page' : null}"
          >${texts.kinds[each ?? 'all']}</a
        >`,
    );
    const used = fill(language.count(texts.used, kept.files), { size: sizeOf(language, kept.bytes) });
    const nothing = query === '' ? fill(texts.noneHelp, { hours }) : fill(t.docs.nothing, { query });
    return {
      title: texts.title,
      lead: fill(days > 0 ? texts.leadEdited : texts.lead, { hours, days }),
      scripts: ['files'],
      data: dropData(page),
      body: html`${none !== undefined && note(texts.noneSelected, texts.noneSelectedHelp)} ${dropZone(page)}
        ${searchForm(page, { path: '/files', label: texts.search, query, classes: 'measure' })}
        <section class="panel" aria-label="${texts.title}">
          <div class="panel-head">
            <nav class="row row-l" aria-label="${texts.which}">${tabs}</nav>
            <span class="small soft push">${used}</span>
          </div>
          ${
            items.length === 0
              ? html`<p class="pad soft">${nothing}</p>`
              : html`<ul class="files">
                    ${await rows(page, items)}
                  </ul>
                  ${selected(page)}`
          }
          ${olderLink(page, pathWith(kind, query), nextCursor)}
        </section>
        ${items.length === 0 && query === '' && empty(texts.none, html`<a href="${href('/')}">${texts.toTools}</a>`)}`,
    };
  },
  actions: {
    '/files/download': async (page, { file = '' }) => {
      const { url } = await page.site.service.files.downloadLink(page.account, file);
      return pathOf(page, url);
    },
    '/files/delete': async (page, { file = '' }) => {
      await page.site.service.files.remove(page.account, file);
      return '/files';
    },
    '/files/rename': async (page, { file = '', name = '' }) => {
      await page.site.service.files.rename(page.account, file, name);
      return '/files';
    },
    '/files/delete-selected': async (page, form) => {
      const ids = selectedIn(form);
      for (const id of ids) await page.site.service.files.remove(page.account, id);
      return ids.length === 0 ? nothingSelected : '/files';
    },
  },
};

/** For the script that sends what is dropped. */
const dropData = ({ t, href, asset, site, language }: OwnPage) => ({
  api: href('/api/v1'),
  upload: asset('upload.js'),
  mostBytes: site.config.maxFileBytes,
  language: language.code,
  t: { sending: t.bench.sendingOf, tooLarge: t.bench.tooLargeOwn, empty: t.bench.empty, failed: t.files.notSent },
  errors: t.errors,
});

const dropZone = ({ t }: OwnPage): Html =>
  html`<div class="panel pad row drop-here" id="drop">
    <p class="grow">${t.files.drop}</p>
    <label class="btn"
      >${icon('up')}${t.bench.choose}<input class="sr" type="file" multiple accept="audio/*,video/*"
    /></label>
    <p class="small soft wide" role="status" id="sent"></p>
  </div>`;

/** Ids of the boxes that are ticked. */
export const selectedIn = (form: Form): readonly string[] =>
  Object.keys(form).flatMap((name) => (name.startsWith('file-') ? [name.slice(5, 105)] : []));

/** What is done with all that is selected. */
function selected({ t, href, formToken }: OwnPage): Html {
  const texts = t.files;
  return html`<form class="panel-foot" id="${manyForm}" method="get" action="${href('/files/archive')}">
    <span class="small soft">${texts.selected}</span>
    <button class="btn s" type="submit">${icon('down')}${texts.archive}</button>
    <details class="confirm">
      <summary class="btn s fault">${texts.deleteSelected}</summary>
      <div class="stack-s pad">
        <p class="small">${texts.deleteHelp}</p>
        <button
          class="btn s fault"
          type="submit"
          formmethod="post"
          formaction="${href('/files/delete-selected')}"
          name="form"
          value="${formToken}"
        >
          ${texts.deleteYesSelected}
        </button>
      </div>
    </details>
  </form>`;
}

/** Results come under the file that they were made of, where both are on the page. */
async function rows(page: OwnPage, items: readonly StoredFile[]): Promise<readonly Html[]> {
  const outputs = items.filter(({ kind }) => kind === 'output').map(({ id }) => id);
  const sources = await page.site.service.files.sourcesOf(page.account, outputs);
  const here = new Map(items.map((file) => [file.id, file]));
  const parentOf = ({ id }: StoredFile): StoredFile | null => here.get(sources.get(id)?.[0] ?? '') ?? null;
  /** A result of a result lies under the first of them. */
  const topOf = (file: StoredFile, left = items.length): StoredFile => {
    const parent = parentOf(file);
    return parent === null || left === 0 ? file : topOf(parent, left - 1);
  };
  const tops = new Map(items.map((file) => [file, topOf(file)]));
  return items
    .filter((file) => tops.get(file) === file)
    .flatMap((top) => [
      fileRow(page, top, null),
      ...items
        .filter((file) => file !== top && tops.get(file) === top)
        .map((file) => fileRow(page, file, parentOf(file))),
    ]);
}

function fileRow(page: OwnPage, file: StoredFile, source: StoredFile | null): Html {
  const { t, language, href } = page;
  const texts = t.files;
  const { id, filename, status, durationSeconds, sizeBytes, media, kind, error } = file;
  const isReady = status === 'ready';
  const made = source === null ? texts.result : fill(texts.madeOf, { name: source.filename });
  const facts: readonly Part[] = [
    durationSeconds !== null && html`<span class="num">${lengthOf(durationSeconds)}</span>`,
    kind === 'output' && html`<span>${made}</span>`,
    media?.sampleRate !== null && media !== null && html`<span>${language.number(media.sampleRate ?? 0)} Hz</span>`,
    sizeBytes !== null && html`<span class="num">${sizeOf(language, sizeBytes)}</span>`,
    html`<span>${fill(texts.goes, { time: leftOf(page, file.expiresAt) })}</span>`,
    !isReady && html`<span class="${status === 'invalid' ? 'tag fault' : 'tag'}">${texts.states[status]}</span>`,
  ];
  const wave =
    isReady &&
    file.hasAudio &&
    html`<img class="wave-s" src="${href(`/files/${id}/wave.svg`)}" alt="" width="96" height="32" loading="lazy" />`;
  return html`<li class="${source === null ? 'file filerow listed' : 'file filerow listed under'}">
    <label class="check"
      ><input type="checkbox" name="file-${id}" value="1" form="${manyForm}" /><span class="sr"
        >${fill(texts.select, { name: filename })}</span
      ></label
    >
    ${isReady && file.hasVideo ? html`<span class="film-s" data-film="${href(`/files/${id}/content`)}">${wave}</span>` : wave}
    <div class="grow">
      <p class="name break">${isReady ? html`<a href="${href(`/files/${id}/content`)}">${filename}</a>` : filename}</p>
      <p class="meta">${facts}</p>
      ${error !== null && html`<p class="small">${errorText(t, error).message}</p>`}
    </div>
    ${rowActs(page, file)}
  </li>`;
}

function rowActs(page: OwnPage, { id, filename, status, hasAudio }: StoredFile): Html {
  const texts = page.t.files;
  const isReady = status === 'ready';
  const field = html`<input type="hidden" name="file" value="${id}" />`;
  const named = (text: string): Html => html`<span>${text}<span class="sr"> ${filename}</span></span>`;
  return html`<div class="act">
    ${
      isReady &&
      hasAudio &&
      html`<a class="btn s" href="${page.href(`/edit/${id}`)}">${icon('cut')}${named(texts.edit)}</a>`
    }${
      isReady &&
      ownForm(
        page,
        '/files/download',
        html`${field}<button class="btn s" type="submit">${icon('down')}${named(texts.download)}</button>`,
      )
    }${
      isReady &&
      html`<details class="confirm">
        <summary class="btn s">${icon('pen')}${named(texts.rename)}</summary>
        ${ownForm(
          page,
          '/files/rename',
          html`${field}<input
              class="input s"
              name="name"
              value="${filename}"
              maxlength="255"
              required
              aria-label="${fill(texts.newName, { name: filename })}"
            />
            <button class="btn s" type="submit">${page.t.credits.save}</button>`,
          'stack-s pad',
        )}
      </details>`
    }${confirmed(page, '/files/delete', { button: texts.delete, what: filename, consequence: texts.deleteHelp, yes: texts.deleteYes }, field)}
  </div>`;
}

/** "29 days", "23 h", "48 min". */
function leftOf({ t, language }: OwnPage, at: Date): string {
  const minutes = Math.max(0, Math.round((at.getTime() - Date.now()) / 60_000));
  return minutes < 90
    ? fill(t.account.minutes, { n: language.number(minutes) })
    : minutes < 48 * 60
      ? fill(t.account.hours, { n: language.number(Math.round(minutes / 60)) })
      : fill(t.account.days, { n: language.number(Math.floor(minutes / 1440)) });
}
