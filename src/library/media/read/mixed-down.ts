import type { Warning } from '../../core/progress/progress.ts';
import { createFormatConverter } from '../convert/format-converter.ts';
import type { BlockSource } from './drive.ts';

/**
 * A source with fewer channels (ITU-R BS.775-3 down-mix), for what must be done to the sound as it will be heard: a
 * limiter before the down-mix would work on peaks that add up only there.
 */
export function mixedDown(
  source: BlockSource & { close(): void },
  channels: number,
  warn: (warning: Warning) => void,
): BlockSource & { close(): void } {
  const converter = createFormatConverter(source.format, { sampleRate: source.format.sampleRate, channels });
  let ended = false;
  return {
    format: converter.format,
    expectedFrames: source.expectedFrames,
    next() {
      while (!ended) {
        const block = source.next();
        ended = block === null;
        const mixed = block === null ? converter.flush() : converter.convert(block);
        if (ended) for (const warning of converter.warnings()) warn(warning);
        if (mixed) return mixed;
      }
      return null;
    },
    close() {
      converter.close();
      source.close();
    },
  };
}
