import type { Balance } from './passages/balance.ts';
import type { ChannelLevels } from './level/channel-levels.ts';
import { levellingCurve } from './level/levelling-curve.ts';
import type { NoiseEngine } from './engines.ts';
import type { Listener } from '../listener/listener.ts';
import { heardDbfs } from '../listener/listener.ts';
import { type SuppressorFactory, suppressorRate } from './suppressor/suppressor.ts';
import type { PassageReport } from './passages/passage-report.ts';
import { WatchfulSuppressor } from './passages/watchful.ts';

/** Level for the analysis of passages, dBFS RMS above 150 Hz. */
const judgedDbfs = -20;
/** Level at which RNNoise keeps most of a whisper or a creak. */
const standInDbfs = -42;
const factor = (db: number): number => 10 ** (db / 20);

/**
 * An engine as the tools use it: at its best level, and with checks of its output (see `WatchfulSuppressor`).
 * @param levels of a first pass over the recording
 * @param listener null: music and noises are not told from voices
 * @param balance how loud voice, room and music are; default: no room, the rest as recorded
 * @param report receives every passage that differs from the network's output, in the order of the groups
 */
export const watchedSuppressor =
  (
    engine: NoiseEngine,
    levels: ChannelLevels,
    { add: onPassage, hear: onHeard }: Pick<PassageReport, 'add' | 'hear'>,
    listener: Listener | null,
    balance: Balance | null = null,
  ): SuppressorFactory =>
  (options) =>
    new WatchfulSuppressor(engine.createSuppressor, options, {
      curve: levellingCurve(levels, options.group, judgedDbfs, suppressorRate),
      suppressorGain: factor(engine.hearsBestDbfs - judgedDbfs),
      standInGain: factor(standInDbfs - judgedDbfs),
      standIn: engine.losesVoices,
      listener,
      listenerGain: factor(heardDbfs - judgedDbfs),
      balance,
      onPassage,
      onHeard,
    });
