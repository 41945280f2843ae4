import type { Analyser } from '../../pcm/stage.ts';
import { type BurstReading, meterBursts } from './bursts.ts';
import { type ClippingReading, meterClipping } from './clipping.ts';
import { type HumReading, meterHum } from './hum.ts';

/** Damage in a recording that can be repaired before any other processing. */
export interface Damage {
  readonly clipping: ClippingReading;
  /** Channel by channel; null: none. */
  readonly hum: readonly (HumReading | null)[];
  readonly bursts: BurstReading;
}

export const isClipped = ({ clipping }: Damage): boolean => clipping.channels.some((levels) => levels !== null);
export const hasHum = ({ hum }: Damage): boolean => hum.some((reading) => reading !== null);
export const hasClicks = ({ bursts }: Damage): boolean => bursts.clicks.some(({ length }) => length > 0);
export const hasPlosives = ({ bursts }: Damage): boolean => bursts.plosives.some(({ length }) => length > 0);

/** Looks for damage in a whole recording at its own rate. */
export function meterDamage(): Analyser<Damage> {
  const [clipping, hum, bursts] = [meterClipping(), meterHum(), meterBursts()];
  return {
    latencyFrames: 0,
    open(format) {
      hum.open(format);
      bursts.open(format);
      return clipping.open(format);
    },
    process(block, emit) {
      hum.process(block, () => undefined);
      bursts.process(block, () => undefined);
      clipping.process(block, emit);
    },
    flush(emit) {
      hum.flush(emit);
      bursts.flush(emit);
      clipping.flush(emit);
    },
    close() {
      hum.close();
      bursts.close();
      clipping.close();
    },
    result: () => ({ clipping: clipping.result(), hum: hum.result(), bursts: bursts.result() }),
  };
}
