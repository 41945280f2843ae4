import type { TimeRange } from '../../core/time-range.ts';
import type { Analyser, Emit } from '../../pcm/stage.ts';
import { createSampleWindow, type SampleWindow } from '../denoise/suppressor/sample-window.ts';

/**
 * Repairs one spot.
 * @param plane the spot with what is around it; zeros beyond the recording
 * @param from where it starts in there, frames
 * @param to where it ends, exclusive
 * @returns what is there instead, as long as the spot; null: it stays as it is
 */
export type RepairSpot = (plane: Float32Array, from: number, to: number) => Float32Array | null;

/** Its result: the spots of each channel that were repaired. */
export type SpotRepairer = Analyser<readonly (readonly TimeRange[])[]>;

interface Patch {
  readonly from: number;
  readonly samples: Float32Array;
}

/**
 * Repairs spots of a recording one by one; all else stays as it is. The output is in step with the input and equally
 * long. Later spots see the sound before earlier ones were repaired.
 * @param channels spots of each channel, in order and apart
 * @param aroundSeconds what a repair sees on either side of a spot
 * @param createRepair for the stage's sample rate
 */
export function repairSpots(
  channels: readonly (readonly TimeRange[])[],
  aroundSeconds: number,
  createRepair: (sampleRate: number) => RepairSpot,
): SpotRepairer {
  let repair: RepairSpot = () => null;
  let held: SampleWindow = createSampleWindow(0);
  let [rate, around, done] = [0, 0, 0];
  /** By channel: the first spot that is not repaired yet, and patches that are not written yet. */
  let next: number[] = [];
  let patches: Patch[][] = [];
  let repaired: TimeRange[][] = [];
  const frameOf = (seconds: number): number => Math.round(seconds * rate);

  /** Repairs the spots whose surroundings are read; returns the frame up to which the channel is. */
  const advance = (channel: number, isEnd: boolean): number => {
    const spots = channels[channel] ?? [];
    for (let index = next[channel] as number; index < spots.length; index += 1) {
      const spot = spots[index] as TimeRange;
      const { startSeconds, endSeconds } = spot;
      const [from, to] = [
        frameOf(startSeconds),
        Math.min(frameOf(endSeconds), isEnd ? held.end : Number.POSITIVE_INFINITY),
      ];
      if (to + around > held.end && !isEnd) {
        next[channel] = index;
        return Math.max(done, Math.min(from, held.end));
      }
      if (to <= from) continue;
      const plane = held.read(channel, from - around, to + around);
      const samples = repair(plane, around, around + to - from);
      if (!samples) continue;
      patches[channel]?.push({ from, samples });
      repaired[channel]?.push(spot);
    }
    next[channel] = spots.length;
    return held.end;
  };

  const write = (isEnd: boolean, emit: Emit): void => {
    const to = Math.min(...Array.from({ length: next.length }, (_, channel) => advance(channel, isEnd)));
    if (to <= done) return;
    const planes = patches.map((own, channel) => {
      const plane = held.read(channel, done, to);
      for (const { from, samples } of own)
        for (let i = Math.max(0, done - from); i < samples.length && from + i < to; i += 1)
          plane[from + i - done] = samples[i] as number;
      return plane;
    });
    patches = patches.map((own) => own.filter(({ from, samples }) => from + samples.length > to));
    emit({ planes, frames: to - done });
    done = to;
    // The next spot may begin at once, and sees what is before it.
    held.discard(done - around);
  };

  return {
    latencyFrames: 0,
    open(format) {
      rate = format.sampleRate;
      around = Math.ceil(aroundSeconds * rate);
      repair = createRepair(rate);
      held = createSampleWindow(format.channels);
      next = Array.from({ length: format.channels }, () => 0);
      patches = next.map(() => []);
      repaired = next.map(() => []);
      return format;
    },
    process({ planes, frames }, emit) {
      held.append(planes, frames);
      write(false, emit);
    },
    flush: (emit) => write(true, emit),
    close: () => undefined,
    result: () => repaired,
  };
}
