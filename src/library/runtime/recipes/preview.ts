// A passage as a tool would make it, beside what it was, both equally loud: what is louder always sounds better.
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { EarshotError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { roundedDb } from '../../core/levels.ts';
import { createProgressMeter, type OnProgress, type Warning } from '../../core/progress/progress.ts';
import { badValue } from '../../core/checks/schema.ts';
import { probe } from '../../media/read/probe.ts';
import { bitDepthFor, isLosslessCodec } from '../../media/write/bit-depth.ts';
import type { MediaFacts } from '../../media/facts.ts';
import type { AnyTool } from '../../tools/declare/define.ts';
import type { PassagePreview } from '../../tools/declare/facts.ts';
import { tools } from '../../tools/registry.ts';
import type { UntypedEngine } from '../engine/engine-types.ts';
import type { LoudnessReading } from '../../dsp/loudness/loudness-meter.ts';
import { concatenate, copyPassage, measurePassage, type Passage } from './passages.ts';
import { courseOf } from './touched.ts';
import { makeWorkFolder, move, refusePlace, removeWorkFolder } from '../files/work-folder.ts';

/** Which passage is previewed, and where it goes. */
export interface PreviewOptions {
  /** Start of the passage in the recording, seconds. Default 0. */
  readonly fromSeconds?: number;
  /** Length of the passage, 1 to 600 seconds; it ends with the recording. Default 20. */
  readonly seconds?: number;
  /**
   * How much before and after the passage the tool gets to know, 0 to 3600 seconds. Recordings of up to five minutes
   * are processed whole, as they always are by adjust_loudness. Default 60.
   */
  readonly contextSeconds?: number;
  /**
   * Beginning of the paths of the files, `<output>.before.wav` and `<output>.after.wav`; with the extension wav or flac
   * that of the files. Default: beside the recording, `<name>.<slug>`.
   */
  readonly output?: string;
  /**
   * Also write `<output>.ab.wav`: this many seconds as they were, the same as they become, and so on, with a quarter of
   * a second between them; 1 to 60. Default: none.
   */
  readonly alternateSeconds?: number;
  /** true: replaces existing files. Default: conflict. */
  readonly overwrite?: boolean;
  /** Folder for the files in between. Default: the system's temporary folder. */
  readonly tempDir?: string;
  /** Ends the work; partial files are removed. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Gets the progress of the whole, which never falls. Default: none. */
  readonly onProgress?: OnProgress;
  /** Called for each warning of the tool as it comes up; the result holds all of them. Default: none. */
  readonly onWarning?: (warning: Warning) => void;
}

/** One of the two versions of a passage. */
export interface PreviewedVersion {
  /** Absolute path of its file. */
  readonly path: string;
  readonly seconds: number;
  /** Before the levels were matched, LUFS; null for silence and below 0.4 s. */
  readonly integratedLufs: number | null;
  /** The same, dBTP; null for silence. */
  readonly truePeakDbtp: number | null;
  /** The gain that matches the levels, which the file has, dB. */
  readonly matchDb: number;
}

/** A previewed passage. */
export interface Preview {
  /** Its public id. */
  readonly tool: string;
  /** The passage in the recording. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** The stretch of the recording that the tool got, [start, end] in seconds. */
  readonly processed: readonly [number, number];
  readonly before: PreviewedVersion;
  readonly after: PreviewedVersion;
  /** Loudness of both files, LUFS; null where one of them has none and nothing was matched. */
  readonly matchedLufs: number | null;
  /** The file that alternates; null: not wanted. */
  readonly alternatingPath: string | null;
  /** What may come out differently when the tool gets the whole recording; none when it got all of it. */
  readonly mayDiffer: readonly string[];
  /** What the tool found out about what it got; its times count from the start of `processed`. */
  readonly result: JsonObject;
  /** Of the tool; their times count from the start of `processed`. */
  readonly warnings: readonly Warning[];
}

const wholeUpToSeconds = 300;
const formats = ['wav', 'flac'] as const;

/** @throws EarshotError bad_request for a tool without a passage to preview */
export function checkPreviewed({ id, preview }: AnyTool): PassagePreview {
  if (preview !== null) return preview;
  const known = tools.flatMap((each) => (each.preview === null ? [] : [each.id])).join(', ');
  throw new EarshotError('bad_request', `Expected a tool that changes one recording but received ${id}`, {
    nextAction: `Preview one of ${known}.`,
    details: { field: 'tool', expected: known, received: id },
  });
}

/**
 * Makes and writes a passage before and after a tool: `previewTool` of the library's surface, for callers who learn at
 * run time which tool it is.
 * @param options parsed
 */
export async function previewUntyped(
  engine: UntypedEngine,
  tool: AnyTool,
  input: string,
  options: Readonly<Record<string, unknown>>,
  preview: PreviewOptions,
): Promise<Preview> {
  const how = checkPreviewed(tool);
  const { signal = new AbortController().signal, onWarning, overwrite = false } = preview;
  const path = resolve(input);
  const wanted = checkedPassage(preview);
  const places = await placesOf(tool, path, preview);
  const facts = probe(path);
  const stretch = stretchFor(how, facts, wanted);
  const meter = createProgressMeter();
  const share =
    (from: number, to: number, stage: string) =>
    (fraction: number): void =>
      preview.onProgress?.(meter(from + (to - from) * fraction, stage));
  const folder = await makeWorkFolder(preview.tempDir ?? tmpdir());
  try {
    const copy = join(folder, 'in', 'passage.wav');
    const inPlace = stretch.inPlace && !facts.hasVideo;
    if (!inPlace) {
      const bitDepth = isLosslessCodec(facts.audio?.codec ?? '') ? bitDepthFor(facts) : '32f';
      const progress = { signal, onProgress: share(0, 0.1, 'reading') };
      const { from, to } = stretch;
      const copied = await copyPassage({ facts, from, to }, copy, { format: 'wav', bitDepth, ...progress });
      stretch.to = stretch.from + copied;
    }
    const end = Math.min(wanted.to, stretch.to);
    if (end - wanted.from < 0.01) throw behindEnd(wanted.from, stretch.to);
    const run = await engine.run(
      tool.id,
      inPlace ? path : { path: copy, name: 'passage.wav' },
      wavByDefault(tool, options),
      {
        signal,
        outputDir: join(folder, 'run'),
        onProgress: ({ progress, stage }) => share(0.1, 0.9, stage)(progress),
        ...(onWarning === undefined ? {} : { onWarning }),
      },
    );
    const made = run.outputs.find(({ hasAudio }) => hasAudio)?.path;
    const course = courseOf(tool.id, run.result, stretch.to - stretch.from);
    if (made === undefined || course === null)
      throw new EarshotError('bad_request', `Expected options with which ${tool.slug} writes a recording`, {
        nextAction: 'Leave out what only lists changes, such as dry_run.',
      });
    const times = versions(wanted.from, end, stretch, course.toOutput);
    const before: Passage = { facts: inPlace ? facts : probe(copy), ...times.before };
    const after: Passage = { facts: probe(made), ...times.after };
    if (after.to - after.from < 0.01)
      throw new EarshotError('bad_request', `${tool.title} removes this whole passage`, {
        nextAction: 'Choose a longer passage, or another one.',
      });
    share(0.9, 1, 'comparing')(0);
    const written = await writeVersions(before, after, places, {
      signal,
      overwrite,
      parts: alternation(times, preview),
    });
    share(0.9, 1, 'comparing')(1);
    const isWhole = stretch.isWhole || inPlace;
    return {
      tool: tool.id,
      fromSeconds: wanted.from,
      toSeconds: round(wanted.from + written.before.seconds),
      processed: [round(stretch.from), round(Number.isFinite(stretch.to) ? stretch.to : run.processedSeconds)],
      ...written,
      mayDiffer: isWhole ? [] : differences(how, run.result, stretch),
      result: run.result,
      warnings: run.warnings,
    };
  } finally {
    await removeWorkFolder(folder);
  }
}

/** What the tool would have decided over all of the recording. */
function differences({ mayDiffer }: PassagePreview, result: JsonObject, stretch: Stretch): string[] {
  const gain =
    typeof result['gainDb'] === 'number'
      ? ['The final gain is that of the same stretch: equal levels hide it, but not what its limiter does to peaks']
      : [];
  return mayDiffer === null ? gain : [`${mayDiffer}; here over ${clocks(stretch)} of it`, ...gain];
}

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const clocks = ({ from, to }: Stretch): string => `${clock(from)} to ${clock(to)}`;

/** @throws EarshotError bad_request */
function checkedPassage({ fromSeconds = 0, seconds = 20, contextSeconds = 60, alternateSeconds }: PreviewOptions) {
  if (!(fromSeconds >= 0 && fromSeconds <= 1e7)) throw badValue('fromSeconds', 'number of at least 0', fromSeconds);
  if (!(seconds >= 1 && seconds <= 600)) throw badValue('seconds', 'number between 1 and 600', seconds);
  if (!(contextSeconds >= 0 && contextSeconds <= 3600))
    throw badValue('contextSeconds', 'number between 0 and 3600', contextSeconds);
  if (alternateSeconds !== undefined && !(alternateSeconds >= 1 && alternateSeconds <= 60))
    throw badValue('alternateSeconds', 'number between 1 and 60', alternateSeconds);
  return { from: fromSeconds, to: fromSeconds + seconds, contextSeconds };
}

/** What the tool gets of the recording. */
interface Stretch {
  from: number;
  to: number;
  readonly isWhole: boolean;
  /** The recording itself, without a copy. */
  readonly inPlace: boolean;
}

/** @throws EarshotError no_audio, bad_request for a passage behind the end */
function stretchFor(
  { needsWhole = false }: PassagePreview,
  { hasAudio, durationSeconds }: MediaFacts,
  { from, to, contextSeconds }: ReturnType<typeof checkedPassage>,
): Stretch {
  if (!hasAudio) throw new EarshotError('no_audio', 'Expected a recording with sound but this file has none');
  // Containers round their lengths.
  if (durationSeconds !== null && from > durationSeconds + 1) throw behindEnd(from, durationSeconds);
  const length = durationSeconds ?? Infinity;
  if (needsWhole) return { from: 0, to: length, isWhole: true, inPlace: true };
  const [start, end] = [Math.max(0, from - contextSeconds), to + contextSeconds];
  const isWhole = length <= wholeUpToSeconds || (start === 0 && end >= length);
  return isWhole
    ? { from: 0, to: Infinity, isWhole, inPlace: false }
    : { from: start, to: end, isWhole, inPlace: false };
}

const behindEnd = (from: number, length: number): EarshotError =>
  new EarshotError(
    'bad_request',
    `Expected a passage that begins before the end of the recording, ${clock(length)}, but it begins at ${clock(from)}`,
    { details: { field: 'fromSeconds', expected: `less than ${round(length)}`, received: from } },
  );

/** A format without losses, where the caller chooses none. */
function wavByDefault(tool: AnyTool, options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { output_format: format } = tool.options.properties ?? {};
  const chosen = options['output_format'] ?? 'same';
  return format === undefined || chosen !== 'same' ? options : { ...options, output_format: 'wav' };
}

interface Places {
  readonly before: string;
  readonly after: string;
  readonly alternating: string | null;
  readonly format: (typeof formats)[number];
}

/** @throws EarshotError bad_request, not_found, conflict */
async function placesOf(
  tool: AnyTool,
  input: string,
  { output, alternateSeconds, overwrite = false }: PreviewOptions,
): Promise<Places> {
  const usual = `${basename(input, extname(input))}.${tool.slug}`;
  const given = output === undefined ? join(dirname(input), usual) : resolve(output);
  const isFolder =
    output !== undefined && (/[\\/]$/.test(output) || ((await stat(given).catch(() => null))?.isDirectory() ?? false));
  const path = isFolder ? join(given, usual) : given;
  const extension = extname(path).slice(1).toLowerCase();
  const named = formats.find((each) => each === extension);
  const stem = output !== undefined && named !== undefined ? path.slice(0, -extension.length - 1) : path;
  const format = named ?? 'wav';
  if (!((await stat(dirname(stem)).catch(() => null))?.isDirectory() ?? false))
    throw new EarshotError('not_found', `The folder ${dirname(stem)} for the output does not exist`, {
      details: { field: 'output', expected: 'existing folder', received: dirname(stem) },
    });
  const places = {
    before: `${stem}.before.${format}`,
    after: `${stem}.after.${format}`,
    alternating: alternateSeconds === undefined ? null : `${stem}.ab.${format}`,
    format,
  };
  for (const place of [places.before, places.after, places.alternating])
    if (place !== null) await refusePlace(place, [input], overwrite);
  return places;
}

type Times = Pick<Passage, 'from' | 'to'>;

interface Versions {
  readonly before: Times;
  readonly after: Times;
  /** A time of the copied passage in both, from the passage's beginning. */
  at(seconds: number): { readonly before: number; readonly after: number };
}

/** The passage in the file that the tool got, and in the one that it made. */
function versions(from: number, to: number, stretch: Stretch, toOutput: (seconds: number) => number): Versions {
  const before = { from: from - stretch.from, to: to - stretch.from };
  const after = { from: toOutput(before.from), to: toOutput(before.to) };
  return {
    before,
    after,
    at(seconds) {
      const place = Math.min(seconds, before.to - before.from);
      return { before: place, after: Math.max(0, toOutput(before.from + place) - after.from) };
    },
  };
}

/** Stretches of the two versions in turn. */
function alternation(
  { before, at }: Versions,
  { alternateSeconds }: PreviewOptions,
): { before: Times; after: Times }[] {
  if (alternateSeconds === undefined) return [];
  const length = before.to - before.from;
  const count = Math.max(1, Math.round(length / alternateSeconds));
  return Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1;
    const [start, end] = [at(index * alternateSeconds), at(isLast ? length : (index + 1) * alternateSeconds)];
    return { before: { from: start.before, to: end.before }, after: { from: start.after, to: end.after } };
  });
}

/** Peaks of what is turned up stay under this. */
const ceilingDbtp = -1;

/** Gains with which both are as loud as the louder one, or as the peaks of both allow. */
function matching(readings: readonly LoudnessReading[]): {
  readonly lufs: number | null;
  readonly gains: readonly number[];
} {
  const levels = readings.map(({ integratedLufs }) => integratedLufs);
  if (levels.some((level) => level === null || !Number.isFinite(level)))
    return { lufs: null, gains: readings.map(() => 0) };
  const known = levels as number[];
  const loudestWithin = readings.map(
    ({ truePeakDbtp }, index) => (known[index] as number) + ceilingDbtp - truePeakDbtp,
  );
  const lufs = Math.min(Math.max(...known), ...loudestWithin);
  return { lufs, gains: known.map((level) => lufs - level) };
}

async function writeVersions(
  before: Passage,
  after: Passage,
  places: Places,
  { signal, overwrite, parts }: { signal: AbortSignal; overwrite: boolean; parts: ReturnType<typeof alternation> },
): Promise<Pick<Preview, 'before' | 'after' | 'matchedLufs' | 'alternatingPath'>> {
  const { format } = places;
  const readings = [await measurePassage(before, { signal }), await measurePassage(after, { signal })];
  const { lufs, gains } = matching(readings);
  const partOf = (path: string): string => join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  const how = { format, bitDepth: '24', signal } as const;
  const wanted = [places.before, places.after, ...(places.alternating === null ? [] : [places.alternating])];
  try {
    const lengths: number[] = [];
    for (const [index, passage] of [before, after].entries())
      lengths.push(await copyPassage(passage, partOf(wanted[index] as string), { ...how, gainDb: gains[index] ?? 0 }));
    if (places.alternating !== null) {
      const [one, other] = wanted.slice(0, 2).map((path) => probe(partOf(path))) as [MediaFacts, MediaFacts];
      const row = parts.flatMap((part) => [
        { facts: one, ...part.before },
        { facts: other, ...part.after },
      ]);
      const heard = row.filter(({ from, to }) => to > from);
      await concatenate(heard, partOf(places.alternating), how);
    }
    for (const path of wanted) await move(partOf(path), path, overwrite);
    const version = (index: number): PreviewedVersion => ({
      path: wanted[index] as string,
      seconds: round(lengths[index] as number),
      integratedLufs: roundedDb(readings[index]?.integratedLufs ?? null),
      truePeakDbtp: roundedDb(readings[index]?.truePeakDbtp ?? null),
      matchDb: roundedDb(gains[index] ?? 0) ?? 0,
    });
    const [matchedLufs, alternatingPath] = [roundedDb(lufs), places.alternating];
    return { before: version(0), after: version(1), matchedLufs, alternatingPath };
  } finally {
    for (const path of wanted) await rm(partOf(path), { force: true });
  }
}
