import { createInOrder, release, runPiece } from '../suppressor/pieces.ts';
import { type Biquad, createRumbleFilter } from '../suppressor/rumble.ts';
import { createSampleWindow } from '../suppressor/sample-window.ts';
import { type EmitPlanes, type Suppressor, type SuppressorOptions, suppressorRate } from '../suppressor/suppressor.ts';
import { planesOf, segmentOf } from './segment-planes.ts';
import { type Segment, type SegmentResult, segmentTailFrames } from './segment-task.ts';
import { moduleUrl } from '../../../core/running-files.ts';

/**
 * The network's state cannot be passed between threads, so recordings are cut into segments in any case: the result is
 * the same on any number of cores. Multiples of 480.
 */
const segmentFrames = 40 * suppressorRate;
/** Each segment starts this much earlier; then it differs from a continuous run by about -45 dB, and is crossfaded. */
const warmUpFrames = 8 * suppressorRate;
const fadeFrames = 960;

/** RNNoise's own initial high-pass (`rnnoise_process_frame` in denoise.c): 24 Hz, with a phase shift up to 500 Hz. */
export const builtInHighPass: Biquad = { b: [1, -2, 1], a: [-1.995_99, 0.996] };

export const segmentTaskUrl = moduleUrl('library/dsp/denoise/rnnoise/segment-task');

/** RNNoise 0.2 (Valin 2018, and the 2024 network), whose weights are inside its package. */
export function createRnnoiseSuppressor({
  channels,
  runner,
  here,
  cores,
  siblings,
  highPass = true,
}: SuppressorOptions): Suppressor {
  const filtered = createSampleWindow(channels);
  const rumble = createRumbleFilter({ channels, highPass, followedBy: builtInHighPass }, filtered.append);
  // One besides those that are awaited, so that all cores work and nothing is done too early.
  const order = createInOrder(cores > 1 ? Math.ceil(cores / siblings) - 1 : 0);
  let next = 0;
  /** The last segment's frames beyond its end, for the crossfade. */
  let tail: Float32Array[] | null = null;

  const handOn = (result: SegmentResult, frames: number, emit: EmitPlanes): void => {
    const planes = planesOf(result);
    for (const [channel, plane] of planes.entries()) {
      const before = tail?.[channel] ?? new Float32Array();
      for (let i = 0; i < Math.min(before.length, plane.length); i += 1) {
        const share = (i + 0.5) / fadeFrames;
        plane[i] = (plane[i] as number) * share + (before[i] as number) * (1 - share);
      }
    }
    tail = planes.map((plane) => plane.slice(frames));
    emit(
      planes.map((plane) => plane.subarray(0, frames)),
      frames,
    );
    release(...planes);
  };

  /** Returns the start of the next segment. */
  const begin = async (emit: EmitPlanes, total: number | null): Promise<number> => {
    const start = next;
    const end = Math.min(start + segmentFrames, total ?? Number.POSITIVE_INFINITY);
    const from = Math.max(0, start - warmUpFrames);
    const frames = end - start + fadeFrames;
    const to = end + fadeFrames + segmentTailFrames;
    next = end;
    const planes = Array.from({ length: channels }, (_, channel) => filtered.read(channel, from, to));
    filtered.discard(next - warmUpFrames);
    const segment = segmentOf(planes, start - from, frames);
    const work = runPiece<Segment, SegmentResult>(
      cores === 1 ? here : runner,
      segmentTaskUrl,
      'suppressSegment',
      segment,
      planes.map(({ buffer }) => buffer),
    );
    await order.add(work.then((result) => () => handOn(result, end - start, emit)));
    return end;
  };

  return {
    async push(planes, frames, emit) {
      rumble.push(planes, frames);
      while (filtered.end >= next + segmentFrames + fadeFrames + segmentTailFrames) await begin(emit, null);
    },
    async flush(emit) {
      rumble.flush();
      const total = filtered.end;
      for (let at = next; at < total;) at = await begin(emit, total);
      await order.drain();
    },
  };
}
