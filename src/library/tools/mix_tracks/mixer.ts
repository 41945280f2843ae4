import { dbToGain } from '../../core/levels.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { mixInto } from '../../kernels/ops.ts';
import type { GainCurve } from '../../dsp/gain/gain-curve.ts';
import { rideGain } from '../../dsp/gain/ride-gain.ts';
import type { BlockSource } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { type LockstepBlock, openLockstep } from '../../media/read/lockstep.ts';
import { compose } from '../../pcm/compose.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import type { MixedTrack } from './options.ts';

export interface MixSource extends BlockSource {
  /** Complete once `next` has returned null. */
  readonly warnings: readonly Warning[];
  close(): void;
}

export interface Recipe {
  readonly files: readonly MediaFacts[];
  readonly settings: readonly MixedTrack[];
  readonly format: AudioFormat;
  /** The gain curve of the music; null for none. */
  readonly duck: GainCurve | null;
}

/**
 * The sum of tracks as a source of blocks: each with its volume, music ducked. As long as the longest track.
 * @param listen called with every block before volumes are applied
 */
export function openMix(
  { files, settings, format, duck }: Recipe,
  listen: (block: LockstepBlock) => void = () => undefined,
): MixSource {
  const together = openLockstep(files, format);
  const ducked = settings.map(({ role }) => (duck && role === 'music' ? compose([rideGain(duck)], format) : null));
  const planes = Array.from({ length: format.channels }, () => new Float32Array(format.sampleRate));
  return {
    format,
    get warnings() {
      return together.warnings;
    },
    expectedFrames: together.expectedFrames,
    next(): AudioBlock | null {
      const block = together.next();
      if (!block) return null;
      listen(block);
      const { frames } = block;
      const sum = frames === format.sampleRate ? planes : planes.map((plane) => plane.subarray(0, frames));
      for (const plane of sum) plane.fill(0);
      for (const [index, track] of block.tracks.entries()) {
        // The curve works in place; these planes are ours until the next block.
        ducked[index]?.process({ planes: track.planes, frames }, () => undefined);
        mixInto(sum, track.planes, dbToGain(settings[index]?.volume_db ?? 0), frames);
      }
      return { planes: sum, frames };
    },
    close() {
      for (const pipeline of ducked) pipeline?.close();
      together.close();
    },
  };
}
