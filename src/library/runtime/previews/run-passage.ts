// A tool's run on a passage of one recording: the passage as it was and as it becomes, both equally loud. What is
// louder always sounds better.
import { rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { EarshotError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { roundedDb } from '../../core/levels.ts';
import {
  behindEnd,
  clock,
  type PassageFacts,
  type PassageOrder,
  type PassageVersion,
  requireBeforeEnd,
} from '../../contract/passage-order.ts';
import type { InputFile } from '../../contract/tool-inputs.ts';
import type { LoudnessReading } from '../../dsp/loudness/loudness-meter.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { contentTypeOf } from '../../media/formats.ts';
import { probe } from '../../media/read/probe.ts';
import { bitDepthFor, isLosslessCodec } from '../../media/write/bit-depth.ts';
import type { AnyTool } from '../../tools/declare/define.ts';
import type { PassagePreview } from '../../tools/declare/facts.ts';
import type { RunOutput, RunResult } from '../../tools/declare/run.ts';
import { requireTool } from '../../tools/registry.ts';
import { courseOf } from '../../tools/course.ts';
import { concatenate, copyPassage, measurePassage, type Passage } from './passages.ts';

/** What a passage is made of, and by what. */
interface PassageWork {
  readonly toolId: string;
  readonly input: InputFile;
  /** Parsed. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly workDir: string;
  readonly signal: AbortSignal;
  /** The tool's own run. */
  run(input: InputFile, options: Readonly<Record<string, unknown>>): Promise<RunResult>;
}

const wholeUpToSeconds = 300;

/** Of a passage. */
const shortestSeconds = 0.01;

/**
 * Runs the tool on the passage and what lies around it.
 * @returns files with the roles before, after and, where it was asked for, ab; the tool's result with `preview`
 * @throws EarshotError bad_request for a passage behind the end or that the tool removes, no_audio, those of the tool
 */
export async function runPassage(order: PassageOrder, work: PassageWork): Promise<RunResult> {
  const { input, workDir, signal } = work;
  const tool = requireTool(work.toolId);
  const how = tool.preview ?? { mayDiffer: null };
  const wanted = { from: order.fromSeconds, to: order.fromSeconds + order.seconds };
  const facts = probe(input.path);
  const stretch = stretchFor(how, facts, wanted, order.contextSeconds);
  const copy = join(workDir, 'passage.wav');
  const inPlace = stretch.inPlace && !facts.hasVideo;
  if (!inPlace) {
    const bitDepth = isLosslessCodec(facts.audio?.codec ?? '') ? bitDepthFor(facts) : '32f';
    const { from, to } = stretch;
    stretch.to = from + (await copyPassage({ facts, from, to }, copy, { format: 'wav', bitDepth, signal }));
  }
  const end = Math.min(wanted.to, stretch.to);
  if (end - wanted.from < shortestSeconds)
    throw stretch.to < shortestSeconds ? tooShort() : behindEnd(wanted.from, stretch.to, 'fromSeconds');
  const given = inPlace ? input : { path: copy, name: `${stemOf(input.name)}.wav` };
  const ran = await work.run(given, wavByDefault(tool, work.options));
  const made = ran.outputs.find(({ durationSeconds }) => durationSeconds !== null)?.path;
  const { result } = ran;
  const course = courseOf(tool.id, result, stretch.to - stretch.from);
  if (made === undefined || course === null)
    throw new EarshotError('bad_request', `Expected options with which ${tool.slug} writes a recording`, {
      nextAction: 'Leave out what only lists changes, such as dry_run.',
    });
  const times = versions(wanted.from, end, stretch, course.toOutput);
  const before: Passage = { facts: inPlace ? facts : probe(copy), ...times.before };
  const after: Passage = { facts: probe(made), ...times.after };
  if (after.to - after.from < shortestSeconds)
    throw new EarshotError('bad_request', `${tool.title} removes this whole passage`, {
      nextAction: 'Choose a longer passage, or another one.',
    });
  const written = await writeVersions([before, after], alternation(times, order), order, work);
  for (const path of [made, ...(inPlace ? [] : [copy])]) await rm(path, { force: true });
  const isWhole = stretch.isWhole || inPlace;
  const preview: PassageFacts = {
    fromSeconds: wanted.from,
    toSeconds: round(wanted.from + written.before.seconds),
    processed: [round(stretch.from), round(Number.isFinite(stretch.to) ? stretch.to : ran.processedSeconds)],
    before: written.before,
    after: written.after,
    matchedLufs: written.matchedLufs,
    mayDiffer: isWhole ? [] : differences(how, result, stretch),
  };
  return { ...ran, outputs: written.outputs, result: { ...result, preview: preview as unknown as JsonObject } };
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
const stemOf = (name: string): string => name.slice(0, name.length - extname(name).length);

const clocks = ({ from, to }: Stretch): string => `${clock(from)} to ${clock(to)}`;

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
  { from, to }: Times,
  contextSeconds: number,
): Stretch {
  if (!hasAudio) throw new EarshotError('no_audio', 'Expected a recording with sound but this file has none');
  requireBeforeEnd(from, durationSeconds, 'fromSeconds');
  const length = durationSeconds ?? Infinity;
  if (needsWhole) return { from: 0, to: length, isWhole: true, inPlace: true };
  const [start, end] = [Math.max(0, from - contextSeconds), to + contextSeconds];
  const isWhole = length <= wholeUpToSeconds || (start === 0 && end >= length);
  return isWhole
    ? { from: 0, to: Infinity, isWhole, inPlace: false }
    : { from: start, to: end, isWhole, inPlace: false };
}

const tooShort = (): EarshotError =>
  new EarshotError('bad_request', `Expected a recording of at least ${shortestSeconds} s but this one is shorter`);

/** A format without losses, where the caller chooses none. */
function wavByDefault(tool: AnyTool, options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { output_format: format } = tool.options.properties ?? {};
  const chosen = options['output_format'] ?? 'same';
  return format === undefined || chosen !== 'same' ? options : { ...options, output_format: 'wav' };
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
  { alternateSeconds }: PassageOrder,
): { before: Times; after: Times }[] | null {
  if (alternateSeconds === null) return null;
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
  passages: readonly [Passage, Passage],
  parts: ReturnType<typeof alternation>,
  { format }: PassageOrder,
  { input, workDir, signal }: PassageWork,
): Promise<Pick<PassageFacts, 'before' | 'after' | 'matchedLufs'> & { readonly outputs: readonly RunOutput[] }> {
  const readings: LoudnessReading[] = [];
  for (const passage of passages) readings.push(await measurePassage(passage, { signal }));
  const { lufs, gains } = matching(readings);
  const how = { format, bitDepth: '24', signal } as const;
  const file = (role: string, durationSeconds: number): RunOutput => ({
    path: join(workDir, `${role}.${format}`),
    filename: `${stemOf(input.name)}.${role}.${format}`,
    contentType: contentTypeOf(format, false),
    format,
    durationSeconds,
    role,
  });
  const outputs: RunOutput[] = [];
  for (const [index, role] of (['before', 'after'] as const).entries()) {
    const passage = passages[index] as Passage;
    const { path } = file(role, 0);
    outputs.push(file(role, await copyPassage(passage, path, { ...how, gainDb: gains[index] ?? 0 })));
  }
  const [before, after] = outputs as [RunOutput, RunOutput];
  if (parts !== null) {
    const [one, other] = [probe(before.path), probe(after.path)];
    const row = parts.flatMap((part) => [
      { facts: one, ...part.before },
      { facts: other, ...part.after },
    ]);
    const { path } = file('ab', 0);
    await concatenate(
      row.filter(({ from, to }) => to > from),
      path,
      how,
    );
    outputs.push(file('ab', probe(path).durationSeconds ?? 0));
  }
  const version = (index: number): PassageVersion => ({
    seconds: round(outputs[index]?.durationSeconds ?? 0),
    integratedLufs: roundedDb(readings[index]?.integratedLufs ?? null),
    truePeakDbtp: roundedDb(readings[index]?.truePeakDbtp ?? null),
    matchDb: roundedDb(gains[index] ?? 0) ?? 0,
  });
  return { before: version(0), after: version(1), matchedLufs: roundedDb(lufs), outputs };
}
