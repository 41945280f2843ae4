// What a run did to a recording, as a page: pictures, measures, the gain, the places touched.
import { basename } from 'node:path';
import { EarshotError } from '../../../core/errors/errors.ts';
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import type { Html, Part } from '../../../core/markup.ts';
import { createProgressMeter, type OnProgress } from '../../../core/progress/progress.ts';
import type { TimeRange } from '../../../core/time-range.ts';
import type { AnyTool } from '../../../tools/declare/define.ts';
import { requireTool } from '../../../tools/registry.ts';
import type { CheckAudioResult } from '../../../tools/check_audio/result.ts';
import { clockLabel } from '../../../waveform/ticks.ts';
import type { ToolRun } from '../../engine/engine-types.ts';
import type { NamedFile } from '../../files/inputs.ts';
import { courseOf, type Course } from '../../../tools/course.ts';
import { checksOf } from './checks.ts';
import { levelChart, spectrogramChart, waveformChart, type TimeScale } from './charts.ts';
import { markup } from './html.ts';
import { levelChange, type LevelChange } from './level-change.ts';
import { measuresTable, soundOf } from './measures.ts';
import { trackGains } from './track-gains.ts';
import { page, section, table } from './page.ts';
import { heat, readSound, type ReportedSound } from './sound.ts';

/** What a report tells besides the run's result. */
export interface ReportOptions {
  /** Heading of the page. Default: the tool and the names of the inputs. */
  readonly title?: string;
  /** Options of the run, as they were given or with their defaults. Default: not shown. */
  readonly options?: object;
  /** A sentence on what was done. Default: none. */
  readonly summary?: string;
  /** Ends the reading; its promise rejects with an AbortError. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Called with the share of the files that is read. Default: none. */
  readonly onProgress?: OnProgress;
}

/** A finished run of any tool, or what `masterTracks` made, as a run of mix_tracks. */
export interface FinishedRun extends Pick<ToolRun<string>, 'tool' | 'outputs' | 'warnings'> {
  /** The tool's answer, besides files. */
  readonly result: object;
}

/** The same, known to be plain. */
type PlainRun = Omit<FinishedRun, 'result'> & { readonly result: JsonObject };

/** Two recordings that are to be compared. */
interface Pair {
  readonly before: ReportedSound;
  readonly after: ReportedSound;
  /** null where the times of the one say nothing about the other. */
  readonly course: Course | null;
}

/** More than these are counted, not listed. */
const mostListed = 200;
const longestResult = 20_000;
/** What an input is that has no sound: a script, a transcript. */
const withoutSound = new Set(['unsupported_format', 'file_invalid', 'no_audio', 'wrong_file_type']);

/** `reportRun` of the library's surface. */
export async function reportRun(
  finished: FinishedRun,
  inputs: readonly (string | NamedFile)[],
  { title: heading, options, summary, signal = new AbortController().signal, onProgress }: ReportOptions = {},
): Promise<string> {
  const run: PlainRun = { ...finished, result: finished.result as JsonObject };
  const named = inputs.map((input) => (typeof input === 'string' ? { path: input, name: basename(input) } : input));
  const made = run.outputs.filter(({ hasAudio }) => hasAudio).map(({ path, filename }) => ({ path, name: filename }));
  const meter = createProgressMeter();
  const sounds: (ReportedSound | null)[] = [];
  const files = [...named, ...made];
  for (const [index, { path, name }] of files.entries())
    sounds.push(
      await readOrName(path, name, signal, (fraction) =>
        onProgress?.(meter((index + fraction) / files.length, 'reporting')),
      ),
    );
  const isSound = (sound: ReportedSound | null): sound is ReportedSound => sound !== null;
  const before = sounds.slice(0, named.length).filter(isSound);
  const after = sounds.slice(named.length).filter(isSound);
  const tool = requireTool(run.tool);
  const [mixed] = tool.timeLine === 'mixed' ? after : [];
  const mixGains =
    mixed === undefined
      ? []
      : await trackGains(
          before.map(({ facts }) => facts),
          mixed.facts,
          mixed.seconds,
          signal,
        );
  const title = heading ?? `${tool.title}: ${named.map(({ name }) => name).join(', ')}`;
  const written = run.outputs.map(({ filename }) => filename);
  return page(title, [
    markup`<header>
      <h1>${title}</h1>
      ${summary === undefined ? '' : markup`<p>${summary}</p>`}
      <p class="soft">${written.length === 0 ? 'No file was written.' : `Written: ${written.join(', ')}`}</p>
    </header> `,
    warningsOf(run),
    run.tool === 'check_audio' ? checksOf(finished.result as CheckAudioResult) : '',
    comparisonOf(tool, run, before, after, trackSection(before, mixGains)),
    optionsOf(options),
    resultOf(run.result),
  ]);
}

async function readOrName(
  ...[path, name, signal, onProgress]: Parameters<typeof readSound>
): ReturnType<typeof readSound> {
  try {
    return await readSound(path, name, signal, onProgress);
  } catch (thrown) {
    if (thrown instanceof EarshotError && withoutSound.has(thrown.code)) return null;
    throw thrown;
  }
}

function warningsOf({ warnings }: PlainRun): Part {
  if (warnings.length === 0) return '';
  const listed = warnings.map(({ message }) => markup`<li>${message}</li> `);
  return section(
    'Warnings',
    markup`<ul class="warnings">
      ${listed}
    </ul> `,
  );
}

function comparisonOf(
  tool: AnyTool,
  run: PlainRun,
  before: readonly ReportedSound[],
  after: readonly ReportedSound[],
  trackGain: Part,
): Part {
  const isPaired = before.length === after.length && before.length > 0;
  if (!isPaired) {
    // Tracks begin at the same time: what is under each other sounds together.
    const longest = Math.max(0, ...[...before, ...after].map(({ seconds }) => seconds));
    const timeOf = ({ seconds }: ReportedSound): TimeScale => ({
      seconds: tool.timeLine === 'mixed' ? longest : seconds,
    });
    return [
      measuresTable([...before, ...after]),
      trackGain,
      ...before.map((sound) => aloneOf(sound, `Input ${sound.name}`, timeOf(sound))),
      ...after.map((sound) => aloneOf(sound, `Output ${sound.name}`, timeOf(sound))),
    ];
  }
  return before.map((sound, index) => {
    const course = courseOf(run.tool, run.result, sound.seconds);
    const parts = comparisonSections(tool, run, { before: sound, after: after[index] as ReportedSound, course });
    return before.length === 1
      ? parts
      : markup`<h2>${sound.name}</h2>
          ${parts}`;
  });
}

/** Samples are drawn so large that the loudest reaches the edge. */
function scaleOf(sounds: readonly ReportedSound[]): number {
  const peak = Math.max(0, ...sounds.map(({ levels }) => 10 ** (levels.samplePeakDbfs / 20)));
  return peak > 0 ? Math.min(1000, 1 / peak) : 1;
}

const figure = (caption: Part, drawn: Part): Html =>
  markup`<figure>
    <figcaption>${caption}</figcaption>
    ${drawn}
  </figure> `;

function aloneOf(sound: ReportedSound, title: string, time: TimeScale): Html {
  const heat = spectrogramChart(`Spectrogram of ${sound.name}`, sound, time);
  return section(
    title,
    figure(
      `Waveform, ${soundOf(sound)}`,
      waveformChart(`Waveform of ${sound.name}`, sound, time, scaleOf([sound]), []),
    ),
    heat === null ? withoutSpectrogram : figure(spectrogramCaption('Spectrogram'), heat),
  );
}

const withoutSpectrogram = markup`<p class="soft">Spectrograms need the package sharp: npm install sharp</p> `;
const spectrogramCaption = (what: string): string =>
  `${what}: 50 Hz to 20 kHz, bright is ${heat.topDb} dB, dark ${heat.topDb - heat.rangeDb} dB`;

function comparisonSections(tool: AnyTool, run: PlainRun, pair: Pair): Part {
  const { before, after, course } = pair;
  const cuts = course?.cuts ?? [];
  const time: TimeScale = { seconds: Math.max(before.seconds, after.seconds) };
  const scale = scaleOf([before, after]);
  const full = scale === 1 ? '' : `; full height is ${(-20 * Math.log10(scale)).toFixed(1)} dBFS`;
  const legend: Part = cuts.length === 0 ? '' : markup`; <span class="key"></span> cut out`;
  const [heatBefore, heatAfter] = [
    spectrogramChart('Spectrogram before', before, time),
    spectrogramChart('Spectrogram after', after, time),
  ];
  return [
    measuresTable([before, after]),
    section(
      'Waveforms',
      figure(
        [`Before: ${before.name}, ${soundOf(before)}${full}`, legend],
        waveformChart('Waveform before', before, time, scale, cuts),
      ),
      figure(`After: ${after.name}, ${soundOf(after)}${full}`, waveformChart('Waveform after', after, time, scale, [])),
    ),
    levelSection(tool, run, pair, time),
    section(
      'Spectrograms',
      heatBefore === null || heatAfter === null
        ? withoutSpectrogram
        : [figure(spectrogramCaption('Before'), heatBefore), figure('After', heatAfter)],
    ),
    touchedOf(run, cuts, before.seconds),
  ];
}

/** The gain of each track in a mix. */
function trackSection(tracks: readonly ReportedSound[], curves: readonly (readonly LevelChange[])[]): Part {
  const time = { seconds: Math.max(0, ...tracks.map(({ seconds }) => seconds)) };
  const drawn = curves.flatMap((curve, index) => {
    const name = tracks[index]?.name ?? '';
    const chart = levelChart(`Gain of ${name}`, curve, time);
    return chart === null ? [] : [figure(name, chart)];
  });
  if (drawn.length === 0) return '';
  return section(
    'Gain of each track over time',
    markup`<p class="soft">With how much gain each is found in the output; gaps are where it is silent or covered.</p>`,
    drawn,
  );
}

function levelSection(
  { changesLevelOnly = false }: AnyTool,
  { outputs }: PlainRun,
  { before, after, course }: Pair,
  time: TimeScale,
): Part {
  // Passages that change places are compared by ear.
  const ascends =
    course?.kept.every(({ startSeconds }, at) => startSeconds >= (course.kept[at - 1]?.endSeconds ?? 0)) ?? false;
  if (course === null || !ascends || (outputs.length > 1 && before === after)) return '';
  const changes = levelChange(before, after, course);
  const known = changes.flatMap(({ db }) => (db === null ? [] : [db]));
  const title = changesLevelOnly ? 'Gain over time' : 'Change of level over time';
  if (known.length > 0 && known.every((db) => Math.abs(db) < 0.3))
    return section(title, markup`<p>The level is the same within 0.3 dB throughout.</p> `);
  const drawn = levelChart(title, changes, time);
  if (drawn === null) return '';
  return section(title, figure('Output minus input, measured on both, at the times of the input', drawn));
}

function touchedOf({ result }: PlainRun, cuts: readonly TimeRange[], seconds: number): Part {
  if (cuts.length === 0) return '';
  const said = new Map(
    Array.isArray(result['cuts'])
      ? result['cuts'].flatMap((cut: JsonValue): [number, string][] => {
          const { startSeconds, text = '', kind = '' } = cut as { startSeconds?: number; text?: string; kind?: string };
          return typeof startSeconds === 'number' ? [[startSeconds, (text || kind).replaceAll('_', ' ')]] : [];
        })
      : [],
  );
  const clock = (at: number): string => clockLabel(at, 0.01, seconds);
  const rows = cuts
    .slice(0, mostListed)
    .map(({ startSeconds, endSeconds }, index) => [
      index + 1,
      clock(startSeconds),
      clock(endSeconds),
      `${(endSeconds - startSeconds).toFixed(2)} s`,
      ...(said.size === 0 ? [] : [said.get(startSeconds) ?? '']),
    ]);
  const total = cuts.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  return section(
    'Places cut',
    markup`<p>
      ${cuts.length === 1 ? '1 place' : `${cuts.length} places`}, ${total.toFixed(1)} s in
      all${cuts.length > mostListed ? `; the first ${mostListed}:` : '.'}
    </p> `,
    table(['', 'From', 'To', 'Length', ...(said.size === 0 ? [] : ['What'])], rows, [1, 2, 3]),
  );
}

function optionsOf(options: object | undefined): Part {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return section(
    'Options',
    table(
      [],
      given.map(([name, value]) => [name.replaceAll('_', ' '), shown(value)]),
    ),
  );
}

function resultOf(result: JsonObject): Part {
  const text = JSON.stringify(result, null, 2);
  const cut = text.length > longestResult ? `${text.slice(0, longestResult)}\n…` : text;
  return section(
    'Result',
    markup`<details>
      <summary>As JSON</summary>
      <pre>${cut}</pre>
    </details> `,
  );
}
