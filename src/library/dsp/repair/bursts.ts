import { powerToDb } from '../../core/levels.ts';
import type { TimeRange } from '../../core/time-range.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { type ClickFinder, findClicks } from './clicks.ts';
import { createHopLevels } from './hop-levels.ts';
import { createHistograms, type Histograms } from './level-histograms.ts';
import { findPlosives, type PlosiveFinder } from './plosives.ts';

/** Short sounds that the mouth makes besides its voice; channel by channel, in order, none overlapping another. */
export interface BurstReading {
  /** Clicks of lips and tongue, and of the recording. */
  readonly clicks: readonly (readonly TimeRange[])[];
  /** Breath that presses on the microphone. */
  readonly plosives: readonly (readonly TimeRange[])[];
}

/** A voice's level is that of its loud hops: this share lies below it, of hops within a range of the loudest, dB. */
const loudShare = 0.95;
const topShare = 0.999;
const rangeDb = 40;

interface Channel {
  readonly levels: ReturnType<typeof createHopLevels>;
  readonly histogram: Histograms;
  readonly clicks: ClickFinder;
  readonly plosives: PlosiveFinder;
}

function listen(sampleRate: number): Channel {
  const histogram = createHistograms(1);
  const levels = createHopLevels(sampleRate, (high, middle) => {
    const middleDb = powerToDb(middle);
    histogram.addDb(0, middleDb);
    clicks.push(powerToDb(high), middleDb);
  });
  const clicks = findClicks(levels.hopFrames / sampleRate);
  return { clicks, histogram, plosives: findPlosives(sampleRate), levels };
}

function loudDb(histogram: Histograms): number {
  const topDb = histogram.percentileDb(0, topShare);
  return histogram.percentileDb(0, loudShare, topDb - rangeDb);
}

/** Finds clicks and plosives in a whole recording at its own rate. */
export function meterBursts(): Analyser<BurstReading> {
  let channels: Channel[] = [];
  return {
    latencyFrames: 0,
    open(format) {
      channels = Array.from({ length: format.channels }, () => listen(format.sampleRate));
      return format;
    },
    process(block, emit) {
      for (const [index, { levels, plosives }] of channels.entries()) {
        const plane = block.planes[index] as Float32Array;
        levels.push(plane, block.frames);
        plosives.push(plane, block.frames);
      }
      emit(block);
    },
    flush() {
      for (const { clicks, plosives } of channels) {
        clicks.flush();
        plosives.flush();
      }
    },
    close: () => undefined,
    result: () => ({
      clicks: channels.map(({ clicks, histogram }) => clicks.result(loudDb(histogram))),
      plosives: channels.map(({ plosives, histogram }) => plosives.result(loudDb(histogram))),
    }),
  };
}
