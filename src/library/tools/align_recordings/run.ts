import { join } from 'node:path';
import { setImmediate as turnOnce } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { count } from '../../core/readable.ts';
import { lagAt } from '../../dsp/sync/clock-lines.ts';
import { searchIn, type SegmentSearch } from '../../dsp/sync/find-segments.ts';
import { findLines, matchPair } from '../../dsp/sync/match-pair.ts';
import { onTimeLine } from '../../dsp/sync/on-time-line.ts';
import { type Link, type Placed, type PlacedPiece, placeRecordings } from '../../dsp/sync/place-recordings.ts';
import { weighLinks } from '../../dsp/sync/weigh-links.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { openPlannedOutput, outputNames, planOutput } from '../../media/write/output.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import { hear, type Heard } from './listen.ts';
import type { AlignRecordingsContext } from './options.ts';
import type { AlignedPiece, AlignRecordingsResult } from './result.ts';

/** From this on the sign of the peak is believed. */
const surePolarity = 0.5;
/** Below, a place is a guess of some 20 ms. */
const sureConfidence = 0.5;
/** From this on a recording that found its place is not looked for in others. */
const surePlace = 0.9;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/**
 * Looks for each recording in those that have their place already, the reference first: what was found surely is not
 * compared with the others. What nothing leads to begins a group of its own, whose pairs are told, too.
 */
async function compareFrom(
  context: AlignRecordingsContext,
  heard: readonly Heard[],
  reference: number,
  turn: () => Promise<void>,
): Promise<Link[]> {
  const progress = context.pass('aligning', context.options.find_only ? [] : ['writing']);
  const framesOf = (index: number): number => heard[index]?.frames ?? 0;
  const left = new Set(heard.map((_, index) => index).sort((a, b) => framesOf(b) - framesOf(a)));
  const links: Link[] = [];
  const pairs = (left.size * (left.size - 1)) / 2;
  const next = [reference];
  let prepared = { index: -1, search: null as SegmentSearch | null };
  while (left.size > 0) {
    const from = next.shift() ?? [...left][0] ?? reference;
    left.delete(from);
    for (const to of left) {
      const [one, other] = framesOf(to) > framesOf(from) ? [from, to] : [to, from];
      const [shorter, longer] = [heard[one], heard[other]] as [Heard, Heard];
      if (prepared.index !== other) prepared = { index: other, search: searchIn(longer.marks) };
      const coarse = await findLines(shorter, prepared.search as SegmentSearch, turn);
      const match = await matchPair(shorter, longer, coarse, turn);
      links.push({ one, other, match });
      if (match.related && !next.includes(to)) next.push(to);
      if (match.related && match.confidence >= surePlace) left.delete(to);
      progress(Math.max(links.length / pairs, 1 - left.size / heard.length));
    }
  }
  return links;
}

const pieceOf = ({ startSeconds, endSeconds, line }: PlacedPiece): AlignedPiece => ({
  startSeconds: rounded(startSeconds, 3),
  endSeconds: rounded(endSeconds, 3),
  offsetSeconds: rounded(lagAt(line, startSeconds), 6),
  driftPpm: rounded(line.slope * 1e6, 3),
});

function describe(
  context: AlignRecordingsContext,
  heard: readonly Heard[],
  links: readonly Link[],
  placed: readonly (Placed | null)[],
  reference: number,
): Omit<AlignRecordingsResult, 'written'> {
  return {
    reference: reference + 1,
    recordings: context.inputs.file_ids.map(({ name }, index) => {
      const { pieces = [], polarity = 0, confidence = 0 } = placed[index] ?? {};
      return {
        name,
        durationSeconds: rounded(heard[index]?.durationSeconds ?? 0, 3),
        pieces: pieces.map(pieceOf),
        polarity: Math.abs(polarity) < surePolarity ? null : polarity < 0 ? 'inverted' : 'same',
        confidence: rounded(confidence, 3),
      };
    }),
    pairs: links.map(({ one, other, match }) => ({
      a: one + 1,
      b: other + 1,
      related: match.related,
      confidence: rounded(match.confidence, 3),
      segments: match.segments,
      agreeing: match.agreeing,
      share: rounded(match.share, 3),
      kind: match.related ? (match.pieces[0]?.kind ?? null) : null,
      delays: match.delays.map(({ startSeconds, endSeconds, offsetSeconds }) => ({
        startSeconds: rounded(startSeconds, 1),
        endSeconds: rounded(endSeconds, 1),
        offsetSeconds: rounded(offsetSeconds, 6),
      })),
    })),
  };
}

function warnOf(context: AlignRecordingsContext, links: readonly Link[], placed: readonly (Placed | null)[]): void {
  const nameOf = (index: number): string => context.inputs.file_ids[index]?.name ?? '';
  for (const [index, each] of placed.entries()) {
    const own = links.filter(({ one, other }) => one === index || other === index);
    if (each === null)
      context.warn(
        own.some(({ match }) => match.repeats)
          ? {
              code: 'repeats',
              message: `${nameOf(index)} repeats itself, or another does: it fits in many places, so it has none`,
            }
          : {
              code: 'no_common_sound',
              message: own.every(({ match }) => match.tooLittle)
                ? `${nameOf(index)} or what it is compared with has too little sound to find its place: ` +
                  'it takes some 30 s without long pauses'
                : `${nameOf(index)} holds nothing that the reference or what lies with it holds, too; two microphones ` +
                  'that do not hear each other need a recording of the call or of the room between them',
            },
      );
    else if (each.confidence < sureConfidence)
      context.warn({ code: 'place_in_doubt', message: `The place of ${nameOf(index)} may be off by 20 ms or more` });
  }
  for (const { one, other, match } of links)
    if (match.delays.length > 0)
      context.warn({
        code: 'delay_jumps',
        message:
          `The delay between ${nameOf(one)} and ${nameOf(other)} jumps, as in a call (${match.delays.length} ` +
          'delays): they are aligned by the most common one; the plan lists each',
      });
    else if (match.sharesMusic)
      context.warn({
        code: 'shares_music',
        message: `${nameOf(one)} and ${nameOf(other)} may only share music that both play: hear whether they belong together`,
      });
}

/** The stretch of the reference's time that the outputs have. */
function extentOf(
  placed: readonly Placed[],
  ends: AlignRecordingsContext['options']['ends'],
  referenceSeconds: number,
): { readonly startSeconds: number; readonly seconds: number } {
  if (ends === 'reference') return { startSeconds: 0, seconds: referenceSeconds };
  const edges = placed.map(({ pieces }) => {
    const [first, last] = [pieces[0] as PlacedPiece, pieces.at(-1) as PlacedPiece];
    return {
      start: first.startSeconds + lagAt(first.line, first.startSeconds),
      end: last.endSeconds + lagAt(last.line, last.endSeconds),
    };
  });
  const [starts, stops] = [edges.map(({ start }) => start), edges.map(({ end }) => end)];
  const startSeconds = ends === 'pad' ? Math.min(...starts) : Math.max(...starts);
  const endSeconds = ends === 'pad' ? Math.max(...stops) : Math.min(...stops);
  return { startSeconds, seconds: Math.max(0, endSeconds - startSeconds) };
}

/** A piece as it is written: without drift, where clocks are left alone. */
function uncorrected(piece: PlacedPiece): PlacedPiece {
  const middle = (piece.startSeconds + piece.endSeconds) / 2;
  return { ...piece, line: { offsetSeconds: lagAt(piece.line, middle), slope: 0 } };
}

async function write(
  context: AlignRecordingsContext,
  files: readonly MediaFacts[],
  placed: readonly (Placed | null)[],
  extent: { readonly startSeconds: number; readonly seconds: number },
): Promise<RunOutput[]> {
  const progress = context.pass('writing');
  const outputs: RunOutput[] = [];
  const names = outputNames(
    context.inputs.file_ids.map(({ name }) => name),
    files.map(() => context.options.output_format),
  );
  for (const [index, facts] of files.entries()) {
    const place = placed[index] ?? null;
    if (place === null) continue;
    const pieces = context.options.correct_drift ? place.pieces : place.pieces.map(uncorrected);
    const plan = planOutput(facts, context.options.output_format);
    const source = openAudio(facts);
    try {
      const { path, sink } = openPlannedOutput(context.workDir, facts, plan, source.format, {
        processed: pieces.some(({ line }) => line.slope !== 0),
        threads: context,
        name: `recording-${index + 1}`,
        expectedSeconds: extent.seconds,
        sources: [
          {
            facts,
            kept: pieces.map((piece) => ({
              startSeconds: piece.startSeconds,
              endSeconds: piece.endSeconds,
              atSeconds: piece.startSeconds + lagAt(piece.line, piece.startSeconds) - extent.startSeconds,
            })),
          },
        ],
      });
      try {
        await drive(onTimeLine(source, pieces, extent), [], sink, {
          signal: context.signal,
          onProgress: (fraction) => progress((index + fraction) / files.length),
        });
        await sink.finish();
      } finally {
        sink.close();
      }
      for (const warning of [...source.warnings, ...plan.warnings, ...sink.warnings]) context.warn(warning);
      outputs.push({
        path,
        filename: names[index] as string,
        contentType: plan.contentType,
        format: plan.format,
        durationSeconds: extent.seconds,
        role: `recording-${index + 1}`,
      });
    } finally {
      source.close();
    }
  }
  return outputs;
}

/** What a picture would need, which is never resampled. */
function warnOfPictures(
  context: AlignRecordingsContext,
  files: readonly MediaFacts[],
  placed: readonly (Placed | null)[],
  startSeconds: number,
): void {
  for (const [index, { video }] of files.entries()) {
    const piece = placed[index]?.pieces[0];
    if (!video || piece === undefined) continue;
    const at = piece.startSeconds + lagAt(piece.line, piece.startSeconds) - startSeconds;
    const frames = video.frameRate === null ? '' : ` (${count(Math.round(at * video.frameRate), 'frame')})`;
    context.warn({
      code: 'picture_not_moved',
      message:
        `The output of ${context.inputs.file_ids[index]?.name} is its sound: its picture begins ${at.toFixed(3)} s` +
        `${frames} into the outputs, and would run ${Math.abs(3600 * piece.line.slope * 1000).toFixed(0)} ms an hour ` +
        (piece.line.slope > 0 ? 'ahead' : 'behind'),
    });
  }
}

/**
 * Every recording is read once: marks of what it sounds like stay in memory, its sound at 8 kHz on disk. Segments of
 * the shorter of two are looked for in the other; where they agree on a line, rows of phase correlations find it to a
 * part of a sample. What is linked is placed on the reference's clock, and written.
 */
export async function run(context: AlignRecordingsContext): Promise<RunResult<AlignRecordingsResult>> {
  const { options, signal, workDir } = context;
  const files = context.inputs.file_ids.map(({ path }) => probe(path));
  const heard: Heard[] = [];
  try {
    const reading = context.pass('reading', ['aligning', ...(options.find_only ? [] : (['writing'] as const))]);
    for (const [index, facts] of files.entries()) {
      const onProgress = (fraction: number): void => reading((index + fraction) / files.length);
      heard.push(await hear(facts, join(workDir, `heard-${index + 1}`), { signal, onProgress }));
    }
    const durations = heard.map(({ durationSeconds }) => durationSeconds);
    const reference =
      options.reference === undefined ? durations.indexOf(Math.max(...durations)) : options.reference - 1;
    const turn = async (): Promise<void> => {
      await turnOnce();
      throwIfAborted(signal);
    };
    const links = await compareFrom(context, heard, reference, turn);
    const related = links.filter(({ match }) => match.related);
    const placed = await weighLinks(
      heard,
      placeRecordings(durations, related, reference),
      { links: related, reference },
      turn,
    );
    warnOf(context, links, placed);
    const found = describe(context, heard, links, placed, reference);
    const together = placed.filter((each) => each !== null);
    const processedSeconds = durations.reduce((sum, each) => sum + each, 0);
    if (options.find_only || together.length < 2)
      return { outputs: [], result: { ...found, written: null }, processedSeconds };
    const extent = extentOf(together, options.ends, durations[reference] ?? 0);
    warnOfPictures(context, files, placed, extent.startSeconds);
    const outputs = await write(context, files, placed, extent);
    const written = { startSeconds: rounded(extent.startSeconds, 6), durationSeconds: rounded(extent.seconds, 3) };
    return { outputs, result: { ...found, written }, processedSeconds };
  } finally {
    for (const each of heard) each.close();
  }
}
