import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { requireTool } from '../../../../library/tools/registry.ts';
import type { EditorData, EditorPicture } from '../../../../site/editor-data.ts';
import type { EditView } from '../../../rules/edits/edit-use-cases.ts';
import { openOwnPage } from '../account/session.ts';
import { toSignIn } from '../account/view.ts';
import { brandSigns } from '../frame/brand.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fileLimits, mostBytes, spokenLength } from '../frame/terms.ts';
import { fill } from '../language/fill.ts';
import { toolText } from '../tools/tool-text.ts';

/**
 * GET /edit: a file of this device, without an account; nothing of it is kept here but for the runs of the free API.
 * GET /edit/<file>: a file of the account that is signed in.
 */
export function editorPages(scope: FastifyInstance, site: Site): void {
  const options = { config: { access: 'public' as const }, schema: { hide: true } };
  scope.get('/edit', options, async (request, reply) => {
    const page = await openPage(site, request, reply);
    return sendEditor(page, reply, await editorData(page, null), fill(page.t.editor.titleHere, {}));
  });
  scope.get<{ Params: { file: string } }>('/edit/:file', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    if (page === null) return toSignIn(site, reply, request.url);
    const { file } = request.params;
    const view = await site.service.edits.open(page.account, file.slice(0, 100));
    // One address for each recording, so that two tabs know of each other.
    if (view.file.id !== file)
      return reply.redirect(page.href(`/edit/${view.file.id}?transcript=${encodeURIComponent(file)}`), 303);
    const chosen = await chosenTranscript(page, view, request);
    return sendEditor(page, reply, await editorData(page, chosen), view.file.filename);
  });
}

/** With the transcript that the address names, where it is one of this recording. */
async function chosenTranscript(page: Page, view: EditView, request: FastifyRequest): Promise<EditView> {
  const { transcript } = request.query as { readonly transcript?: unknown };
  if (typeof transcript !== 'string' || page.account === null || transcript === view.transcriptFileId) return view;
  try {
    const named = await page.site.service.edits.open(page.account, transcript.slice(0, 100));
    return named.file.id === view.file.id ? { ...view, transcriptFileId: named.transcriptFileId } : view;
  } catch (thrown) {
    // Gone since: the recording is still there.
    if (thrown instanceof EarshotError && thrown.code !== 'internal_error') return view;
    throw thrown;
  }
}

async function editorData(page: Page, view: EditView | null): Promise<EditorData> {
  const { site, href, t, language } = page;
  const { service, config } = site;
  const offers = await service.tools.offers();
  const offer = (id: string): EditorData['tools']['cut'] => {
    const found = offers.find((each) => each.id === id);
    const seconds = found?.free.seconds ?? null;
    return {
      unavailable: found === undefined ? t.bench.notHere : found.unavailable,
      freeSeconds: seconds,
      freeLength: seconds === null ? null : spokenLength(page, seconds),
      price:
        view === null ? null : (service.tools.pricesFor(view.file.durationSeconds ?? 0)[id as 'cut_audio'] ?? null),
    };
  };
  const mayRun = config.freeEnabled || page.account !== null;
  return {
    language: language.code,
    mostBytes: mostBytes(page),
    addresses: {
      editor: href('/edit'),
      api: href('/api/v1'),
      tries: mayRun ? href('/api/try') : null,
      credits: href('/credits'),
      signIn: href('/sign-in'),
      upload: page.asset('upload.js'),
      written: page.asset('written.js'),
      timelines: page.asset('timelines.js'),
    },
    tools: { transcribe: offer('transcribe_audio'), align: offer('align_script'), cut: offer('cut_audio') },
    file:
      view === null
        ? null
        : {
            id: view.file.id,
            name: view.file.filename,
            seconds: view.file.durationSeconds ?? 0,
            sampleRate: view.file.media?.sampleRate ?? 48_000,
            channels: view.file.media?.channels ?? 1,
            bytes: view.file.sizeBytes ?? 0,
            format: view.file.format,
            hasVideo: view.file.hasVideo,
            picture: pictureOf(view.file),
            transcriptFileId: view.transcriptFileId,
            translations: view.translations,
            jobs: view.jobs,
            edit:
              view.edit === null
                ? null
                : {
                    version: view.edit.version,
                    savedAt: view.edit.savedAt.toISOString(),
                    transcriptFileId: view.edit.transcriptFileId,
                    state: view.edit.state,
                    history: view.edit.history,
                  },
          },
    available: page.account === null ? null : page.account.balance - page.account.reserved,
    t: t.editor,
    errors: t.errors,
    units: t.units,
  };
}

function pictureOf({ hasVideo, media }: EditView['file']): EditorPicture | null {
  const { width = null, height = null, frameRate = null, timecode = null } = media ?? {};
  return hasVideo && width !== null && height !== null ? { width, height, frameRate, timecode } : null;
}

const sendEditor = (page: Page, reply: FastifyReply, data: EditorData, name: string): FastifyReply =>
  sendPage(reply, page, {
    title: `${name} · ${page.t.editor.title}`,
    bare: true,
    scripts: ['editor'],
    data,
    body: shell(page, data, name),
  });

/** What is there before the script, and without one. */
function shell(page: Page, { file, addresses }: EditorData, name: string): Html {
  const { t, href } = page;
  const texts = t.editor;
  return html`<h1 class="sr">${texts.title}</h1>
    <div class="ed" id="editor" aria-busy="true">
      <div class="ed-bar">
        <a class="brand" href="${href('/')}" aria-label="${t.frame.brand}">${brandSigns}</a><span class="sep"></span>
        <div>
          <h2 class="label break fn">${file === null ? texts.title : name}</h2>
          <p class="xs soft">${texts.loading}</p>
        </div>
      </div>
      ${
        file === null &&
        (addresses.tries === null
          ? html`<div class="wrap section">
              <div class="note">
                ${icon('info')}
                <div><p>${t.bench.needsAccount}</p></div>
              </div>
            </div>`
          : html`<div class="wrap section stack">
              <p class="lead">${texts.lead}</p>
              <p class="small soft">${fileLimits(page)}</p>
            </div>`)
      }
      <noscript
        ><div class="wrap section">
          <div class="note">
            ${icon('info')}
            <div>
              <h2 class="h4">${texts.needsScript}</h2>
              <p>${texts.needsScriptHelp}</p>
              <p>
                <a class="btn" href="${href('/tools/cut')}"
                  >${toolText(page, requireTool('cut', page.site.tools)).title}</a
                >
              </p>
            </div>
          </div>
        </div></noscript
      >
    </div>`;
}
