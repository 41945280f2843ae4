// Writes an edit list to a file, for every tool that cuts.
import { join } from 'node:path';
import { EarshotError } from '../core/errors/errors.ts';
import type { Warning } from '../core/progress/progress.ts';
import type { TimeRange } from '../core/time-range.ts';
import { type AudioSource, openAudio } from '../media/read/decode.ts';
import { type BlockSource, discard, drive } from '../media/read/drive.ts';
import { openPlainSamples } from '../media/read/plain-samples.ts';
import { openRecording } from '../media/read/recording-length.ts';
import type { OnThreadsOption, ThreadedSink } from '../media/write/encode.ts';
import type { MediaFacts } from '../media/facts.ts';
import { copyWhole } from '../media/write/copy-whole.ts';
import { openPlannedOutput, type OutputPlan } from '../media/write/output.ts';
import { openVideoEdit } from '../media/video/video-edit.ts';
import type { AudioFormat } from '../pcm/block.ts';
import type { Stage } from '../pcm/stage.ts';
import { type EditList, keptFrames, keptOf, timeMap } from './edit-list.ts';
import { copySamples, samplesFor } from './copy-samples.ts';
import { planPieces } from './pieces.ts';
import { renderEdits } from './render-sound.ts';

export interface WriteEditOptions extends OnThreadsOption {
  readonly signal: AbortSignal;
  /** 0 to 1 of this file. */
  onProgress(fraction: number): void;
  /** Name of the output in the folder, without extension. Default "output". */
  readonly name?: string;
  /** What is done to the source before it is cut; no frame may be added or left out. Default: nothing. */
  readonly stages?: readonly Stage[];
  /** Does a cue of a video's text subtitles stay? Times are those of the source. Default: all do. */
  readonly keepsCue?: (range: TimeRange, text: string) => boolean;
  /** Read the source to its end even if nothing more is kept, to learn its length. Default false. */
  readonly measureSource?: boolean;
}

export interface WrittenEdit {
  readonly path: string;
  readonly frames: number;
  readonly durationSeconds: number;
  readonly warnings: readonly Warning[];
  /** Number of frames read: all if that was requested. */
  readonly sourceFrames: number;
  /** Facts from reading the written file back; absent: it was not read back. */
  readonly readBack?: MediaFacts;
}

async function openSink(
  folder: string,
  facts: MediaFacts,
  plan: OutputPlan,
  edits: EditList,
  format: AudioFormat,
  options: WriteEditOptions,
): Promise<{ path: string; sink: ThreadedSink }> {
  const map = timeMap(edits);
  const name = options.name ?? 'output';
  if (plan.kind === 'video') {
    const path = join(folder, `${name}.${plan.format}`);
    const keeps = edits.keeps.map((keep) => ({
      startSeconds: keep.start / edits.sampleRate,
      endSeconds: keep.end / edits.sampleRate,
    }));
    return {
      path,
      sink: await openVideoEdit(path, facts, format, {
        keeps,
        sourceSeconds: edits.sourceFrames / edits.sampleRate,
        mapTime: (seconds) => map.toOutput(seconds),
        signal: options.signal,
        ...(options.keepsCue === undefined ? {} : { keepsCue: options.keepsCue }),
      }),
    };
  }
  // Only the seams change; a 16-bit recording keeps its samples everywhere else, so nothing is dithered.
  return openPlannedOutput(folder, facts, plan, format, {
    name,
    threads: options.threads,
    sources: [{ facts, kept: keptOf(edits) }],
    processed: false,
  });
}

/** A video's edits include the silence during the rest of its picture. */
const openPlanned = (facts: MediaFacts, plan: OutputPlan, { sourceFrames, sampleRate }: EditList): AudioSource =>
  plan.kind === 'video' ? openRecording(facts, sourceFrames / sampleRate) : openAudio(facts);

const keepsAll = ({ keeps, sourceFrames }: EditList): boolean =>
  keeps.length === 1 && keeps[0]?.start === 0 && keeps[0].end >= sourceFrames;

/**
 * Where nothing is cut, nothing is encoded: the recording is copied as it is. It is still read, for its warnings; a
 * damaged one is encoded again. null: not copied.
 */
async function copyUncut(
  facts: MediaFacts,
  plan: OutputPlan,
  edits: EditList,
  folder: string,
  options: WriteEditOptions,
): Promise<WrittenEdit | null> {
  if (!keepsAll(edits) || (options.stages?.length ?? 0) > 0) return null;
  const { signal } = options;
  const sourceFrames = await framesIfWhole(facts, plan, edits, options);
  if (sourceFrames === null) return null;
  const path = join(folder, `${options.name ?? 'output'}.${plan.format}`);
  const warnings = await copyWhole(facts, plan, path, signal);
  if (warnings === null) return null;
  options.onProgress(1);
  const frames = keptFrames(edits);
  return { path, frames, durationSeconds: frames / edits.sampleRate, warnings, sourceFrames };
}

/** A recording's length; null: reading it warns of something. */
async function framesIfWhole(
  facts: MediaFacts,
  plan: OutputPlan,
  edits: EditList,
  { signal, onProgress }: WriteEditOptions,
): Promise<number | null> {
  const samples = openPlainSamples(facts);
  samples?.close();
  if (samples?.frames === edits.sourceFrames) return samples.frames;
  const source = openPlanned(facts, plan, edits);
  try {
    const frames = await drive(source, [], discard, { signal, onProgress, expectedFrames: edits.sourceFrames });
    return source.warnings.length > 0 ? null : frames;
  } finally {
    source.close();
  }
}

/**
 * Renders an edit list: sound exact to the frame with crossfades at the seams, a video's picture with it, chapters
 * moved. A recording of which everything is kept is copied, packet by packet.
 * @param plan the output, see `planOutput`
 * @throws EarshotError bad_request when nothing is kept
 */
export async function writeEdited(
  facts: MediaFacts,
  plan: OutputPlan,
  edits: EditList,
  folder: string,
  options: WriteEditOptions,
): Promise<WrittenEdit> {
  const frames = keptFrames(edits);
  if (frames === 0) throw new EarshotError('bad_request', 'The edit removes the whole recording');
  const uncut = await copyUncut(facts, plan, edits, folder, options);
  if (uncut) return uncut;
  const last = edits.keeps.at(-1)?.end ?? 0;
  const source = openPlanned(facts, plan, edits);
  try {
    const { path: outputPath, sink } = await openSink(folder, facts, plan, edits, source.format, options);
    try {
      const samples = options.stages?.length ? null : samplesFor(facts, edits.sourceFrames, sink);
      if (samples) {
        try {
          await copySamples(samples, planPieces(edits), sink, options);
        } finally {
          samples.close();
        }
        await sink.finish();
        const { warnings } = sink;
        return {
          path: outputPath,
          frames,
          durationSeconds: frames / edits.sampleRate,
          warnings,
          sourceFrames: edits.sourceFrames,
          readBack: sink.written(),
        };
      }
      let position = 0;
      const to = options.measureSource ? edits.sourceFrames : last;
      /** The source up to a frame. */
      const upTo = (frame: number): BlockSource => ({
        format: source.format,
        expectedFrames: null,
        next() {
          const block = position <= frame ? source.next() : null;
          position += block?.frames ?? 0;
          return block;
        },
      });
      const pass = {
        signal: options.signal,
        onProgress: () => options.onProgress(Math.min(1, position / Math.max(1, to))),
      };
      // Nothing is needed beyond the last keep and its crossfade.
      await drive(upTo(last + edits.crossfadeFrames), [...(options.stages ?? []), renderEdits(edits)], sink, pass);
      await sink.finish();
      const warnings = [...source.warnings, ...sink.warnings];
      if (options.measureSource) await drive(upTo(Number.POSITIVE_INFINITY), [], discard, pass);
      const durationSeconds = frames / edits.sampleRate;
      const readBack = sink.written();
      return { path: outputPath, frames, durationSeconds, warnings, sourceFrames: position, readBack };
    } finally {
      sink.close();
    }
  } finally {
    source.close();
  }
}
