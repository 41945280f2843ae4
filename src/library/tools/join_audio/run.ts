import { join } from 'node:path';
import { usualLayout } from '../../core/channels.ts';
import { roundedDb } from '../../core/levels.ts';
import { amplify, limit } from '../../dsp/loudness/limit.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { copyAll, samplesFor } from '../../edit/copy-samples.ts';
import { createJoiner } from '../../edit/overlap.ts';
import { channelsReduced } from '../../media/formats.ts';
import { discard, drive } from '../../media/read/drive.ts';
import { probe, soundFormat } from '../../media/read/probe.ts';
import { measurePicture, openRecording, type RecordingLength } from '../../media/read/recording-length.ts';
import type { ThreadedSink } from '../../media/write/encode.ts';
import { keptFrom, type SourcePart } from '../../media/kept.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { openPlannedOutput, plannedFile, type OutputPlan, planOutput } from '../../media/write/output.ts';
import { openVideoJoin } from '../../media/video/video-join.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { compose, type Pipeline } from '../../pcm/compose.ts';
import type { RunResult } from '../declare/run.ts';
import type { JoinAudioContext } from './options.ts';
import type { JoinAudioResult } from './result.ts';
import { withTitleChapters } from './title-chapters.ts';

const ceilingDbtp = -1;

interface Piece {
  readonly facts: MediaFacts;
  /** See `openRecording`; 0 where pictures are left out. */
  readonly pictureEndSeconds: number;
  /** The whole recording's length, seconds. */
  readonly seconds: number;
  /** At the output's rate. */
  readonly frames: number;
  readonly reading: LoudnessReading;
}

/**
 * The common format: the highest rate and the most channels, so that no file loses anything, but no more channels than
 * the output holds: gain and limiter are for what is heard.
 */
function commonFormat(context: JoinAudioContext, all: readonly MediaFacts[], { limits }: OutputPlan): AudioFormat {
  const sampleRate = Math.max(...all.map((facts) => facts.audio?.sampleRate ?? 0));
  const widest = all.reduce((best, facts) =>
    (facts.audio?.channels ?? 0) > (best.audio?.channels ?? 0) ? facts : best,
  );
  const channels = widest.audio?.channels ?? 1;
  if (channels > limits.maxChannels) {
    context.warn(channelsReduced(limits, channels));
    return { sampleRate, channels: limits.maxChannels, layout: usualLayout(limits.maxChannels) };
  }
  return { sampleRate, channels, layout: widest.audio?.layout ?? usualLayout(channels) };
}

async function read(
  context: JoinAudioContext,
  facts: MediaFacts,
  format: AudioFormat,
  { pictureEndSeconds, seconds }: RecordingLength,
  onProgress: (fraction: number) => void,
): Promise<Piece> {
  const source = openRecording(facts, pictureEndSeconds, { rate: format.sampleRate, channels: format.channels });
  const meter = meterLoudness();
  try {
    const frames = await drive(source, [meter], discard, { signal: context.signal, onProgress });
    for (const warning of source.warnings) context.warn(warning);
    const longest = Math.max(seconds ?? 0, frames / format.sampleRate);
    return { facts, pictureEndSeconds, seconds: longest, frames, reading: meter.result() };
  } finally {
    source.close();
  }
}

/**
 * The loudness of all files as one programme: the mean of their powers, weighted by length. null when all are silent.
 */
function commonLufs(pieces: readonly Piece[]): number | null {
  let power = 0;
  let frames = 0;
  for (const piece of pieces) {
    if (piece.reading.integratedLufs === null) continue;
    power += piece.frames * 10 ** (piece.reading.integratedLufs / 10);
    frames += piece.frames;
  }
  return frames === 0 ? null : 10 * Math.log10(power / frames);
}

/** Overlaps that fit: the two overlaps of a recording together are at most its length. */
function fittingOverlaps(pieces: readonly Piece[], wanted: number): number[] {
  const share = (index: number): number =>
    Math.floor((pieces[index]?.frames ?? 0) / (index === 0 || index === pieces.length - 1 ? 1 : 2));
  return pieces.slice(1).map((_, index) => Math.min(wanted, share(index), share(index + 1)));
}

/** First frame of each recording in the output. */
const startsOf = (pieces: readonly Piece[], overlaps: readonly number[]): number[] =>
  pieces.map((_, index) =>
    pieces.slice(0, index).reduce((at, before, n) => at + before.frames - (overlaps[n] ?? 0), 0),
  );

/** In an overlap, the next file's chapters and marks start in the middle, where both are equally loud. */
function sourcesOf(pieces: readonly Piece[], overlaps: readonly number[], sampleRate: number): SourcePart[] {
  const starts = startsOf(pieces, overlaps);
  const from = starts.map((start, index) => (start + (overlaps[index - 1] ?? 0) / 2) / sampleRate);
  return pieces.map(({ facts }, index) => {
    const at = from[index] as number;
    return { facts, kept: keptFrom(at, at - (starts[index] as number) / sampleRate, from[index + 1]) };
  });
}

/** Pictures are not faded: in an overlap, the picture changes in the middle, where both files are equally loud. */
async function openVideo(
  context: JoinAudioContext,
  pieces: readonly Piece[],
  overlaps: readonly number[],
  plan: OutputPlan,
  format: AudioFormat,
): Promise<{ path: string; sink: ThreadedSink }> {
  const path = join(context.workDir, `output.${plan.format}`);
  const files = startsOf(pieces, overlaps).map((start, index) => ({
    facts: (pieces[index] as Piece).facts,
    startSeconds: start / format.sampleRate,
    pictureSeconds: (start + (overlaps[index - 1] ?? 0) / 2) / format.sampleRate,
  }));
  return { path, sink: await openVideoJoin(path, files, format, { signal: context.signal }) };
}

/** All files measured, in their order. */
async function readAll(
  context: JoinAudioContext,
  files: readonly MediaFacts[],
  format: AudioFormat,
  isVideo: boolean,
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const lengths = files.map(({ durationSeconds }) => durationSeconds ?? 0);
  const allSeconds = lengths.reduce((sum, seconds) => sum + seconds, 0);
  const measuring = context.pass('measuring', ['joining']);
  let readSeconds = 0;
  for (const [index, facts] of files.entries()) {
    const own = lengths[index] ?? 0;
    // A picture that is longer than its sound is not cut by the next file.
    const length = isVideo ? await measurePicture(facts, context.signal) : { seconds: null, pictureEndSeconds: 0 };
    pieces.push(
      await read(context, facts, format, length, (fraction) =>
        measuring((readSeconds + fraction * own) / (allSeconds || 1)),
      ),
    );
    readSeconds += own;
  }
  return pieces;
}

/** How the files become one. */
interface Mix {
  /** null: every file keeps its level. */
  readonly targetLufs: number | null;
  /** dB, by file. */
  readonly gains: readonly number[];
  /** Frames, by seam. */
  readonly overlaps: readonly number[];
  /** Frames of the output. */
  readonly total: number;
  readonly changed: boolean;
  readonly limited: boolean;
}

function planMix(context: JoinAudioContext, pieces: readonly Piece[], { sampleRate, channels }: AudioFormat): Mix {
  const { options } = context;
  const targetLufs = options.match_loudness ? commonLufs(pieces) : null;
  const gains = pieces.map(({ reading }) =>
    targetLufs === null || reading.integratedLufs === null ? 0 : targetLufs - reading.integratedLufs,
  );
  const wanted = Math.round((options.crossfade_ms / 1000) * sampleRate);
  const overlaps = fittingOverlaps(pieces, wanted);
  if (overlaps.some((frames) => frames < wanted)) {
    context.warn({
      code: 'crossfade_shortened',
      message: `A file is too short for ${options.crossfade_ms} ms of overlap; its overlaps were shortened`,
    });
  }
  // Gains, overlaps and a down-mix may push peaks over full scale; an unchanged file is passed through.
  const peak = Math.max(...pieces.map((piece, index) => piece.reading.truePeakDbtp + (gains[index] ?? 0)));
  const overlapping = overlaps.some((frames) => frames > 0);
  const mixedDown = pieces.some(({ facts }) => (facts.audio?.channels ?? 0) > channels);
  const changed = gains.some((gain) => gain !== 0) || overlapping || mixedDown;
  return {
    targetLufs,
    gains,
    overlaps,
    total: pieces.reduce((sum, piece) => sum + piece.frames, 0) - overlaps.reduce((sum, frames) => sum + frames, 0),
    changed,
    limited: changed && peak + (overlapping ? 3 : 0) > ceilingDbtp,
  };
}

/** Decodes the files again and writes them as one. */
async function writeAll(
  context: JoinAudioContext,
  pieces: readonly Piece[],
  { gains, overlaps, total, changed }: Mix,
  format: AudioFormat,
  output: Pipeline,
  sink: ThreadedSink,
): Promise<void> {
  let done = 0;
  const joining = context.pass('joining');
  const joiner = createJoiner(format.channels, overlaps, (block) => output.process(block, sink.write));
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) joiner.next();
    const { facts, frames } = piece;
    const samples = changed ? null : samplesFor(facts, frames, sink);
    if (samples) {
      try {
        const onProgress = (fraction: number): void => joining((done + fraction * frames) / Math.max(1, total));
        done += await copyAll(samples, sink, { signal: context.signal, onProgress });
      } finally {
        samples.close();
      }
      continue;
    }
    const source = openRecording(piece.facts, piece.pictureEndSeconds, {
      rate: format.sampleRate,
      channels: format.channels,
    });
    const gain = gains[index] ?? 0;
    try {
      done += await drive(
        source,
        gain === 0 ? [] : [amplify(gain)],
        { write: joiner.write, ready: sink.ready },
        {
          signal: context.signal,
          expectedFrames: piece.frames,
          onProgress: (fraction) => joining((done + fraction * piece.frames) / Math.max(1, total)),
        },
      );
    } finally {
      source.close();
    }
  }
  joiner.finish();
  output.flush(sink.write);
  await sink.finish();
}

function describe(pieces: readonly Piece[], mix: Mix, sampleRate: number, sink: ThreadedSink): JoinAudioResult {
  const starts = startsOf(pieces, mix.overlaps);
  return {
    durationSeconds: mix.total / sampleRate,
    sampleRate: sink.format.sampleRate,
    channels: sink.format.channels,
    targetLufs: roundedDb(mix.targetLufs),
    limited: mix.limited,
    files: pieces.map((piece, index) => ({
      startSeconds: (starts[index] as number) / sampleRate,
      durationSeconds: piece.frames / sampleRate,
      integratedLufs: roundedDb(piece.reading.integratedLufs),
      gainDb: roundedDb(mix.gains[index] ?? 0),
    })),
  };
}

export async function run(context: JoinAudioContext): Promise<RunResult<JoinAudioResult>> {
  const { options } = context;
  if (options.keep_encoding) {
    const { joinPackets } = await import('./packets.ts');
    return joinPackets(context);
  }
  const files = context.inputs.file_ids;
  const facts = files.map(({ path }) => probe(path));
  for (const each of facts) soundFormat(each);
  const first = facts[0] as MediaFacts;
  const isVideo = options.output_format === 'same' && facts.every((one) => one.hasVideo);
  // Joined sound has no picture; tags and cover are the first file's, chapters those of all files, or the files.
  const joined: MediaFacts = isVideo
    ? first
    : { ...first, hasVideo: false, video: null, format: first.hasVideo ? 'm4a' : first.format };
  const plan = planOutput(joined, options.output_format);
  const format = commonFormat(context, facts, plan);
  const read = await readAll(context, facts, format, isVideo);
  const names = files.map(({ name }) => name);
  const pieces = options.title_chapters ? withTitleChapters(read, names, plan) : read;
  const mix = planMix(context, pieces, format);
  const output = compose(mix.limited ? [limit({ ceilingDbtp })] : [], format);
  const { path, sink } = isVideo
    ? await openVideo(context, pieces, mix.overlaps, plan, output.format)
    : openPlannedOutput(context.workDir, joined, plan, output.format, {
        processed: mix.changed,
        threads: context,
        expectedSeconds: mix.total / format.sampleRate,
        sources: sourcesOf(pieces, mix.overlaps, format.sampleRate),
      });
  try {
    await writeAll(context, pieces, mix, format, output, sink);
    for (const warning of [...plan.warnings, ...sink.warnings]) context.warn(warning);
  } finally {
    sink.close();
    output.close();
  }
  const result = describe(pieces, mix, format.sampleRate, sink);
  return {
    outputs: [plannedFile(plan, path, files[0]?.name ?? '', result.durationSeconds)],
    result,
    processedSeconds: pieces.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}
