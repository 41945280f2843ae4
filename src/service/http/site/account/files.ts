import type { StoredFile } from '../../../rules/files/stored-file.ts';
import { html, type Html, type Part } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { errorText } from '../language/said.ts';
import { fill } from '../language/fill.ts';
import { lengthOf, sizeOf } from './formats.ts';
import { confirmed, empty, olderLink } from './parts.ts';
import { type OwnPage, pathOf } from './session.ts';
import type { View } from './view.ts';

const pageSize = 50;
const kinds = ['original', 'output'] as const;

/** /files: uploads and results, as long as they are kept. */
export const filesView: View = {
  path: '/files',
  section: 'files',
  async render(page, request) {
    const { t, href, site } = page;
    const { cursor = null, kind: asked } = request.query as { readonly cursor?: string; readonly kind?: string };
    const kind = kinds.find((each) => each === asked) ?? null;
    const { items, nextCursor } = await site.service.files.list(page.account, { kind }, { cursor, limit: pageSize });
    const texts = t.files;
    const hours = Math.round(site.config.retentionSeconds / 3600);
    const days = site.config.projectDays;
    const tabs = [null, ...kinds].map(
      (each) =>
        html`<a
          class="tab"
          href="${href(each === null ? '/files' : `/files?kind=${each}`)}"
          aria-current="${each === kind ? 'page' : null}"
          >${texts.kinds[each ?? 'all']}</a
        >`,
    );
    return {
      title: texts.title,
      lead: fill(days > 0 ? texts.leadEdited : texts.lead, { hours, days }),
      body: html`<section class="panel" aria-label="${texts.title}">
          <div class="panel-head"><nav class="row row-l" aria-label="${texts.which}">${tabs}</nav></div>
          ${
            items.length === 0
              ? html`<p class="pad soft">${fill(texts.noneHelp, { hours })}</p>`
              : html`<ul class="files">
                  ${items.map((file) => fileRow(page, file))}
                </ul>`
          }
          ${olderLink(page, kind === null ? '/files' : `/files?kind=${kind}`, nextCursor)}
        </section>
        ${items.length === 0 && empty(texts.none, html`<a href="${href('/')}">${texts.toTools}</a>`)}`,
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
  },
};

function fileRow(page: OwnPage, file: StoredFile): Html {
  const { t, language } = page;
  const texts = t.files;
  const { id, filename, status, durationSeconds, sizeBytes, media, kind, error } = file;
  const facts: readonly Part[] = [
    durationSeconds !== null && html`<span class="num">${lengthOf(durationSeconds)}</span>`,
    kind === 'output' && html`<span>${texts.result}</span>`,
    media?.sampleRate !== null && media !== null && html`<span>${language.number(media.sampleRate ?? 0)} Hz</span>`,
    sizeBytes !== null && html`<span class="num">${sizeOf(language, sizeBytes)}</span>`,
    html`<span>${fill(texts.goes, { time: leftOf(page, file.expiresAt) })}</span>`,
    status !== 'ready' &&
      html`<span class="${status === 'invalid' ? 'tag fault' : 'tag'}">${texts.states[status]}</span>`,
  ];
  const field = html`<input type="hidden" name="file" value="${id}" />`;
  return html`<li class="file">
    <div>
      <p class="name break">${filename}</p>
      <p class="meta">${facts}</p>
      ${error !== null && html`<p class="small">${errorText(t, error).message}</p>`}
    </div>
    <div class="act">
      ${
        status === 'ready' &&
        file.hasAudio &&
        html`<a class="btn s" href="${page.href(`/edit/${id}`)}"
          >${icon('cut')}<span>${texts.edit}<span class="sr"> ${filename}</span></span></a
        >`
      }${
        status === 'ready' &&
        html`<form method="post" action="${page.href('/files/download')}">
          <input type="hidden" name="form" value="${page.formToken}" />${field}<button class="btn s" type="submit">
            ${icon('down')}<span>${texts.download}<span class="sr"> ${filename}</span></span>
          </button>
        </form>`
      }${confirmed(page, '/files/delete', { button: texts.delete, what: filename, consequence: texts.deleteHelp, yes: texts.deleteYes }, field)}
    </div>
  </li>`;
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
