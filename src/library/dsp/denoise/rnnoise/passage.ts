import type { FanOut } from '../../../core/machine/fan-out.ts';
import { runPiece } from '../suppressor/pieces.ts';
import { createRumbleFilter, rumbleTailFrames } from '../suppressor/rumble.ts';
import { planesOf, segmentOf } from './segment-planes.ts';
import { type Segment, type SegmentResult, segmentTailFrames } from './segment-task.ts';
import { builtInHighPass, segmentTaskUrl } from './suppressor.ts';

/** Sound before and after a passage for `suppressPassage`. The first is a multiple of 480. */
export const passageLeadFrames = 4 * 48_000;
export const passageTailFrames = segmentTailFrames + rumbleTailFrames;

/**
 * Runs one passage of a recording at 48 kHz through RNNoise.
 * @param planes one channel or a pair, with `passageLeadFrames` before (fewer at a recording's start) and
 *   `passageTailFrames` after
 * @param lead frames before
 * @returns the passage, `frames` long
 */
export async function suppressPassage(
  planes: readonly Float32Array[],
  lead: number,
  frames: number,
  highPass: boolean,
  runner: FanOut,
): Promise<Float32Array<ArrayBuffer>[]> {
  const length = lead + frames + segmentTailFrames;
  const filtered = planes.map(() => new Float32Array(length));
  let got = 0;
  const rumble = createRumbleFilter(
    { channels: planes.length, highPass, followedBy: builtInHighPass },
    (parts, count) => {
      for (const [channel, part] of parts.entries())
        filtered[channel]?.set(part.subarray(0, Math.min(count, Math.max(0, length - got))), Math.min(got, length));
      got += count;
    },
  );
  rumble.push(planes, planes[0]?.length ?? 0);
  rumble.flush();
  const segment = segmentOf(filtered, lead, frames);
  return planesOf(
    await runPiece<Segment, SegmentResult>(
      runner,
      segmentTaskUrl,
      'suppressSegment',
      segment,
      filtered.map(({ buffer }) => buffer),
    ),
  );
}
