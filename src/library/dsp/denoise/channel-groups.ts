import { speakersOf } from '../../core/channels.ts';
import { createStats, type Stats } from '../../kernels/stats.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { Analyser, Stage } from '../../pcm/stage.ts';
import { highPassForMeasuring } from '../spectrum/high-pass.ts';

/** Which channels are cleaned, and which of them together. */
export interface ChannelGroups {
  /** A single channel, or two with the same voices, which share one filter. */
  readonly groups: readonly (readonly number[])[];
  /** Digital silence and low-frequency effects: unchanged. */
  readonly untouched: readonly number[];
}

/** From this correlation on two channels are one scene: their common part outweighs the rest. */
const oneSceneCorrelation = 0.5;
/** Rumble is in phase on all microphones and says nothing about voices. */
const listenAboveHz = 90;

export function groupChannels(
  { layout, channels }: AudioFormat,
  peaks: readonly number[],
  correlation: number | null,
): ChannelGroups {
  const speakers = speakersOf(layout, channels);
  const all = Array.from({ length: channels }, (_, channel) => channel);
  const untouched = all.filter((channel) => peaks[channel] === 0 || speakers[channel] === 'LFE');
  const cleaned = all.filter((channel) => !untouched.includes(channel));
  const together = channels === 2 && cleaned.length === 2 && (correlation ?? 0) >= oneSceneCorrelation;
  return { groups: together ? [cleaned] : cleaned.map((channel) => [channel]), untouched };
}

/** Analyses a whole recording and groups its channels. */
export function meterChannelGroups(): Analyser<ChannelGroups> {
  let stats: Stats | null = null;
  let peaks: Stats | null = null;
  let opened: AudioFormat | null = null;
  let ear: Stage | null = null;
  return {
    latencyFrames: 0,
    open(format) {
      opened = format;
      stats = createStats(format);
      peaks = createStats(format);
      ear = highPassForMeasuring(listenAboveHz);
      ear.open(format);
      return format;
    },
    process(block, emit) {
      peaks?.push(block.planes, block.frames);
      // Correlation is only needed for a pair.
      if (opened?.channels === 2) ear?.process(block, (heard) => stats?.push(heard.planes, heard.frames));
      emit(block);
    },
    flush: () => undefined,
    close: () => ear?.close(),
    result() {
      if (!opened || !stats || !peaks) throw new TypeError('Expected open before result');
      return groupChannels(
        opened,
        peaks.result().perChannel.map(({ samplePeak }) => samplePeak),
        stats.result().stereoCorrelation,
      );
    },
  };
}
