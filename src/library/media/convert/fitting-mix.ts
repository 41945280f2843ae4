// A down-mix whose peaks stay under full scale: channels that are loud at once add up there.
import { mayExceedFullScale } from '../../core/channels.ts';
import { createLimiter } from '../../kernels/limiter.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { joinBlocks } from '../../pcm/opposite-channels.ts';
import { createFormatConverter, type FormatConverter } from './format-converter.ts';

/** Greatest true peak of a down-mix, dBTP, as EBU R 128 has it: encoders with losses raise some again. */
const mixCeilingDbtp = -1;
/** Peaks that are lowered less are not worth a word, dB. */
const leastWarnedDb = 1;

/**
 * As `createFormatConverter`. Where a down-mix may exceed full scale, its true peaks are held at -1 dBTP by the
 * look-ahead limiter, with nothing shifted; what stays below is the same to the bit: a voice keeps its level.
 */
export function createFittingConverter(
  from: AudioFormat,
  to: { readonly sampleRate: number; readonly channels: number },
): FormatConverter {
  const converter = createFormatConverter(from, to);
  if (!mayExceedFullScale(from.layout, from.channels, to.channels)) return converter;
  const { sampleRate, channels } = converter.format;
  const limiter = createLimiter({ sampleRate, channels, ceilingDbtp: mixCeilingDbtp });
  /** What the limiter still has to give before the sound begins. */
  let early = limiter.latencyFrames;
  const limited = (block: AudioBlock | null): AudioBlock | null => {
    if (!block) return null;
    limiter.process(block.planes, block.planes, block.frames);
    const skipped = Math.min(early, block.frames);
    early -= skipped;
    const frames = block.frames - skipped;
    return frames === 0 ? null : { planes: block.planes.map((plane) => plane.subarray(skipped, block.frames)), frames };
  };
  return {
    format: converter.format,
    convert: (block) => limited(converter.convert(block)),
    flush() {
      const rest = converter.flush();
      const frames = limiter.latencyFrames;
      const silence = { planes: Array.from({ length: channels }, () => new Float32Array(frames)), frames };
      return limited(rest ? joinBlocks(rest, silence) : silence);
    },
    warnings() {
      const lowered = limiter.maxReductionDb();
      if (lowered < leastWarnedDb) return converter.warnings();
      const message =
        `Mixed down, peaks lay up to ${lowered.toFixed(1)} dB above ${mixCeilingDbtp} dBTP: the level was lowered ` +
        'around them so that they fit';
      return [...converter.warnings(), { code: 'peaks_fitted', message }];
    },
    close: () => converter.close(),
  };
}
