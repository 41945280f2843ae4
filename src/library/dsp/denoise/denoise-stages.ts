import type { FanOut } from '../../core/fan-out.ts';
import type { AnyStage } from '../../pcm/stage.ts';
import type { ChannelGroups } from './channel-groups.ts';
import { createDenoiser } from './denoiser.ts';
import type { NoiseEngine } from './engines.ts';
import type { ChannelLevels } from './level/channel-levels.ts';
import type { PassageReport } from './passages/passage-report.ts';
import { watchedSuppressor } from './watched-suppressor.ts';
import { runHere } from './suppressor/pieces.ts';

export interface DenoiseStagesOptions {
  readonly groups: ChannelGroups;
  readonly engine: NoiseEngine;
  /** Of a first pass over the recording. */
  readonly levels: ChannelLevels;
  /** Hears of the passages that are not what the network made of them. */
  readonly report: PassageReport;
  /** Length of the recording. */
  readonly seconds: number;
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
}

/** A thread with the networks and its pieces: see what `npm run test:machines` prints. */
const threadBytes = 120e6;

/** Shorter recordings are done before other threads have loaded the networks. */
const worthThreadsSeconds = 10;

/**
 * What every tool sends a recording at 48 kHz through to be rid of its noise; what comes out is in step and as long. A
 * stage that is to prepare the sound for the network, or to mend what it leaves, stands here in front of it or behind.
 */
export function denoiseStages(options: DenoiseStagesOptions): AnyStage[] {
  const { groups, engine, levels, report, seconds, fanOut, signal } = options;
  const denoiser = createDenoiser({
    groups,
    createSuppressor: watchedSuppressor(engine, levels, report.add),
    runner: fanOut,
    here: runHere(signal),
    cores: seconds < worthThreadsSeconds ? 1 : fanOut.lanes(threadBytes),
  });
  return [denoiser];
}
