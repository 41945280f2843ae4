// The page of a chain: under way, and what it made. It works without a script and reloads by itself.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html, type Html, type Part } from '../../../../library/core/markup.ts';
import type { ChainData } from '../../../../site/recipe-data.ts';
import type { ChainView } from '../../../rules/chains/chains.ts';
import { stemOf } from '../../../rules/chains/next-step.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';
import { lengthOf, sizeOf } from '../account/formats.ts';
import { ownForm } from '../account/parts.ts';
import { type OwnPage, openOwnPage } from '../account/session.ts';
import { toSignIn } from '../account/view.ts';
import { icon } from '../frame/icon.ts';
import { sendPage } from '../frame/layout.ts';
import type { Site } from '../frame/site.ts';
import { keptHours } from '../frame/terms.ts';
import { errorText, warningTexts } from '../language/said.ts';
import { fill } from '../language/fill.ts';
import {
  failedAt,
  kindTitle,
  resultFirst,
  type ShownChain,
  shownChain,
  type ShownTrack,
  stateOf,
  stepTable,
  tracksOf,
  withUnit,
} from '../account/chain-parts.ts';
import { kinds, pathOfKind } from './recipe-page.ts';

const againSeconds = 3;

/** GET /chains/<id> */
export function chainPageRoutes(scope: FastifyInstance, site: Site): void {
  scope.get<{ Params: { id: string } }>(
    '/chains/:id',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
      const page = await openOwnPage(site, request, reply);
      if (page === null) return toSignIn(site, reply, request.url);
      const view = await site.service.chains.get(page.account, request.params.id.slice(0, 100));
      const chain = shownChain(page, view);
      const state = stateOf(chain);
      const tracks = await tracksOf(page, view);
      const title = titleOf(page, chain, view.chain.plan.files[0]?.filename);
      const data: ChainData = {
        language: page.language.code,
        state,
        site: page.href(''),
        name: title,
        analyse: page.asset('analyse.js'),
        t: page.t.bench,
        texts: page.t.recipes,
      };
      return sendPage(reply, page, {
        title,
        section: 'episode',
        mainClass: 'wrap',
        scripts: ['chain'],
        data,
        ...(state === 'running' ? { refreshSeconds: againSeconds } : {}),
        body: html`<div class="stack-l" id="chain">
          <div class="head">
            <p class="label">${kindTitle(page, chain)}</p>
            <h1 class="break">${title}</h1>
          </div>
          ${state === 'running' ? running(page, chain) : state === 'done' ? done(page, view, chain, tracks) : failed(page, view, chain)}
        </div>`,
      });
    },
  );
}

/** "episode.mp3" once it is there, before that the first file. */
const titleOf = (page: OwnPage, { outputs, recipe, name }: ShownChain, first: string | undefined): string =>
  resultFirst(recipe, outputs)[0]?.filename ?? first ?? kindTitle(page, { recipe, name });

function running(page: OwnPage, chain: ShownChain): Html {
  const { t } = page;
  const percent = Math.floor(chain.progress * 100);
  const left = chain.estimatedSecondsLeft;
  return html`<section class="panel" aria-labelledby="running">
    <div class="panel-head">
      <h2 class="label" id="running">${t.recipes.states[chain.status]}</h2>
      <div class="push">
        ${ownForm(page, '/chains/cancel', html`<input type="hidden" name="chain" value="${chain.id}" /><button class="btn s" type="submit">${icon('stop')}${t.recipes.cancel}</button>`)}
      </div>
    </div>
    <div class="pad prog" id="chain-progress" role="status">
      <div class="line">
        <p><span class="num">${percent} %</span></p>
        ${left !== null && html`<p class="small">${fill(t.recipes.left, { time: lengthOf(Math.max(1, Math.round(left))) })}</p>`}
      </div>
      <progress max="100" value="${percent}" aria-label="${t.recipes.states.running}">${percent} %</progress>
      <p class="small soft">${t.recipes.leave}</p>
    </div>
    ${stepTable(page, chain)}
    <div class="panel-foot">
      <button class="btn" type="button" id="tell" hidden>${t.recipes.tell}</button>
      <p class="small soft" id="told" role="status"></p>
    </div>
  </section>`;
}

function failed(page: OwnPage, { chain: { fileIds } }: ChainView, chain: ShownChain): Html {
  const { t } = page;
  const isCancelled = chain.status === 'cancelled';
  return html`<div class="note ${isCancelled ? '' : 'fault'}" role="${isCancelled ? 'status' : 'alert'}">
      ${icon(isCancelled ? 'info' : 'warn')}
      <div>
        <h2 class="h4">${isCancelled ? t.recipes.cancelledTitle : t.recipes.failedTitle}</h2>
        ${
          !isCancelled &&
          html`<p>${chain.error !== null && errorText(t, chain.error).message}</p>
            <p>${failedAt(page, chain)}</p>`
        }
        <p><a class="btn go" href="${againAddress(page, chain, fileIds)}">${t.recipes.orderAgain}</a></p>
      </div>
    </div>
    <section class="panel" aria-label="${t.recipes.steps}">${stepTable(page, chain)}</section>`;
}

/** The page on which the same is ordered again. @param files to begin with */
function againAddress({ href }: OwnPage, { id, recipe }: ShownChain, files: readonly string[] = []): string {
  const kind = kinds.find((each) => each === recipe) ?? 'own';
  const query = new URLSearchParams([['again', id], ...files.map((file): [string, string] => ['file', file])]);
  return `${href(pathOfKind(kind))}?${query.toString()}`;
}

const contentOf = ({ href }: OwnPage, { id }: Pick<StoredFile, 'id'>): string => href(`/files/${id}/content`);
const peaksOf = ({ href }: OwnPage, { id }: Pick<StoredFile, 'id'>): string => href(`/api/v1/files/${id}/peaks`);

function done(page: OwnPage, view: ChainView, chain: ShownChain, tracks: readonly ShownTrack[]): Html {
  const { t, language } = page;
  const ready = resultFirst(
    chain.recipe,
    view.outputs.filter(({ status }) => status === 'ready'),
  );
  const [main] = ready;
  const isHeard = main !== undefined && main.hasAudio;
  return html`<section class="panel" aria-labelledby="results">
      <div class="panel-head">
        <h2 class="label" id="results">${t.recipes.results}</h2>
        <span class="tag push">${icon('check')}${t.recipes.states.succeeded}</span>
        ${chain.charged !== null && html`<span class="small soft">${fill(t.recipes.charged, { price: language.count(t.units.credits, chain.charged) })}</span>`}
      </div>
      ${isHeard && player(page, null, main)}
      ${
        ready.length === 0
          ? html`<div class="pad">
              <h3 class="h4">${t.recipes.goneTitle}</h3>
              <p class="soft">${fill(t.recipes.gone, { hours: keptHours(page) })}</p>
            </div>`
          : downloads(page, chain, ready)
      }
    </section>
    ${tracks.length > 0 && lanes(page, tracks)} ${chapters(page, chain, ready)} ${measured(page, view, chain)}
    ${notes(page, chain)}
    <section class="panel" aria-label="${t.recipes.steps}">${stepTable(page, chain)}</section>
    <p class="row"><a class="btn" href="${againAddress(page, chain)}">${icon('refresh')}${t.recipes.again}</a></p>`;
}

/** The browser's own player, which the script replaces. */
const player = (page: OwnPage, before: StoredFile | null, after: StoredFile, lufs: readonly unknown[] = []): Html =>
  html`<div
    data-lufs="${lufs.every((value) => typeof value === 'number') ? lufs.join(' ') : null}"
    data-before="${before === null ? null : contentOf(page, before)}"
    data-before-peaks="${before === null ? null : peaksOf(page, before)}"
    data-before-bytes="${before?.sizeBytes ?? null}"
    data-after="${contentOf(page, after)}"
    data-after-peaks="${peaksOf(page, after)}"
    data-after-bytes="${after.sizeBytes}"
    data-lazy="${before === null ? null : ''}"
  >
    ${
      before === null
        ? html`<audio class="media pad" controls preload="metadata" src="${contentOf(page, after)}"></audio>`
        : html`<p class="pad">
              <button class="btn s" type="button" hidden>
                ${icon('play')}<span>${page.t.recipes.compare}<span class="sr"> ${before.filename}</span></span>
              </button>
            </p>
            <div class="pad stack-s" data-plain>
              ${[before, after].map(
                (file, at) =>
                  html`<p class="xs soft">${at === 0 ? page.t.recipes.before : page.t.recipes.after}</p>
                    <audio class="media" controls preload="none" src="${contentOf(page, file)}"></audio>`,
              )}
            </div>`
    }
  </div>`;

function downloads(page: OwnPage, { id }: ShownChain, ready: readonly StoredFile[]): Html {
  const { t, href, language } = page;
  const link = (file: StoredFile, at: number): Html =>
    html`<a class="${at === 0 ? 'btn go l' : 'btn'}" href="${contentOf(page, file)}" download="${file.filename}"
      >${icon('down')}${at === 0 ? t.recipes.download : shortName(page, file)}
      ${file.sizeBytes !== null && html`<span class="num">${sizeOf(language, file.sizeBytes)}</span>`}</a
    >`;
  const [main] = ready;
  const text = ready.find(({ filename }) => filename.endsWith('.json'));
  const edited = main?.hasAudio === true ? (text ?? main) : text;
  return html`<div class="panel-foot">
    ${ready.map(link)}
    ${ready.length > 1 && html`<a class="btn" href="${href(`/chains/${id}/archive`)}">${icon('down')}${t.recipes.all}</a>`}
    <a class="btn" href="${href(`/chains/${id}/report`)}">${icon('down')}${t.recipes.report}</a>
    ${edited !== undefined && html`<a class="btn" href="${href(`/edit/${edited.id}`)}">${icon('cut')}${t.recipes.edit}</a>`}
  </div>`;
}

/** "SRT", "Transcript TXT", "clean 2 WAV": what tells it from the others. */
function shortName({ t }: OwnPage, { filename }: StoredFile): string {
  const [, part = '', extension = ''] = /(?:-(clean(?:-\d+)?))?\.(\w+)$/.exec(filename) ?? [];
  const kind = extension.toUpperCase();
  if (part !== '') return `${t.recipes.track}${part.replace(/^clean-?/, ' ').trimEnd()} ${kind}`;
  if (['SRT', 'VTT'].includes(kind)) return `${t.recipes.captions} ${kind}`;
  return ['TXT', 'JSON'].includes(kind) ? `${t.recipes.transcriptOf} ${kind}` : kind;
}

/** Where the script shows the transcript, to set chapters on it; without a script it can be downloaded. */
function chapters(page: OwnPage, { id }: ShownChain, ready: readonly StoredFile[]): Part {
  const [main] = ready;
  const written = ready.find(({ filename }) => filename.endsWith('.json'));
  if (main === undefined || written === undefined) return null;
  return html`<section
    class="panel"
    id="chapters"
    hidden
    aria-labelledby="chapters-title"
    data-written="${contentOf(page, written)}"
    data-bytes="${written.sizeBytes}"
    data-stem="${stemOf(main.filename)}"
    data-seconds="${main.durationSeconds}"
    data-chain="${main.hasAudio ? id : null}"
  ></section>`;
}

/** Tracks under each other, each with what became of it. */
function lanes(page: OwnPage, tracks: readonly ShownTrack[]): Html {
  const { t } = page;
  return html`<section class="panel" aria-label="${t.recipes.track}">
    ${tracks.map(
      ({ name, role, before, after, inputLufs, afterLufs, gainDb, speechSeconds, isLowered }) =>
        html`<div class="track">
          <div class="panel-head">
            <h3 class="label break fn">${name}</h3>
            ${role !== null && html`<span class="tag off">${t.recipes.roles[role]}</span>`}
            <p class="row xs soft push">
              ${[
                withUnit(page, inputLufs, 'LUFS'),
                `${t.recipes.gain} ${withUnit(page, gainDb, 'dB', true)}`,
                ...(speechSeconds === null ? [] : [`${t.recipes.speech} ${lengthOf(speechSeconds)}`]),
                ...(isLowered ? [t.recipes.lowered] : []),
              ].map((fact) => html`<span class="num">${fact}</span>`)}
            </p>
          </div>
          ${before !== null && after !== null && player(page, before, after, [inputLufs, afterLufs])}
        </div>`,
    )}
  </section>`;
}

interface CheckedLevel {
  /** null: silence. */
  readonly valueDbfs: number | null;
  readonly maxDbfs: number;
  readonly passes: boolean;
}

interface LoudnessResult {
  readonly targetLufs?: number;
  readonly output?: {
    readonly integratedLufs: number | null;
    readonly loudnessRangeLu: number | null;
    readonly truePeakDbtp: number | null;
  };
  readonly removedSeconds?: number;
  /** Only of a chapter of an audiobook. */
  readonly acx?: {
    readonly rms: CheckedLevel & { readonly minDbfs: number };
    readonly peak: CheckedLevel;
    readonly noiseFloor: CheckedLevel;
  };
}

/** What ACX checks, each with its bound. */
function acxRows(page: OwnPage, { acx }: LoudnessResult): readonly (readonly [string, string])[] {
  if (acx === undefined) return [];
  const { rms, peak, noiseFloor } = acx;
  const { recipes } = page.t;
  const dbfs = (value: number | null): string => withUnit(page, value, 'dBFS');
  const checked = (value: number | null, passes: boolean, bound: string): string =>
    `${dbfs(value)} (${passes ? '✓' : recipes.fails}, ${bound})`;
  const between = fill(recipes.between, { least: dbfs(rms.minDbfs), most: dbfs(rms.maxDbfs) });
  const atMost = (most: number): string => fill(recipes.atMostLevel, { most: dbfs(most) });
  return [
    [recipes.rms, checked(rms.valueDbfs, rms.passes, between)],
    [recipes.samplePeak, checked(peak.valueDbfs, peak.passes, atMost(peak.maxDbfs))],
    [recipes.noiseFloor, checked(noiseFloor.valueDbfs, noiseFloor.passes, atMost(noiseFloor.maxDbfs))],
  ];
}

/** What was measured on the result. */
function measured(page: OwnPage, { outputs }: ChainView, { steps }: ShownChain): Part {
  const { t } = page;
  const results = steps.flatMap((step) => step.results) as readonly (LoudnessResult | null)[];
  const last = results.findLast((result) => result?.output?.integratedLufs !== undefined);
  if (last?.output === undefined) return null;
  const removed = results.find((result) => result?.removedSeconds !== undefined)?.removedSeconds;
  const { integratedLufs, loudnessRangeLu, truePeakDbtp } = last.output;
  const length = outputs[0]?.durationSeconds ?? null;
  const rows: readonly (readonly [string, string])[] = [
    ...acxRows(page, last),
    [t.recipes.loudness, withUnit(page, integratedLufs, 'LUFS')],
    [t.recipes.range, withUnit(page, loudnessRangeLu, 'LU')],
    [t.recipes.peak, withUnit(page, truePeakDbtp, 'dBTP')],
    ...(length === null ? [] : [[t.recipes.length, lengthOf(length)] as const]),
    ...(removed === undefined ? [] : [[t.recipes.removed, lengthOf(removed)] as const]),
  ];
  return html`<section class="panel" aria-labelledby="measured">
    <div class="panel-head"><h2 class="label" id="measured">${t.recipes.measured}</h2></div>
    <div class="pad">
      <table class="meas">
        <tbody>
          ${rows.map(
            ([name, value]) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${value}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function notes({ t }: OwnPage, { warnings, steps }: ShownChain): Part {
  const texts = warningTexts(
    t,
    steps.flatMap((step) => step.warnings) as unknown as Parameters<typeof warningTexts>[1],
  );
  return (
    warnings.length > 0 &&
    html`<div class="note">
      ${icon('info')}
      <div>
        <h2 class="h4">${t.recipes.notes}</h2>
        ${texts.map((text) => html`<p>${text}</p>`)}
      </div>
    </div>`
  );
}
