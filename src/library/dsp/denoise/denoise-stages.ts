import type { FanOut } from '../../core/machine/fan-out.ts';
import type { AnyStage } from '../../pcm/stage.ts';
import type { Balance } from './passages/balance.ts';
import type { ChannelGroups } from './channel-groups.ts';
import { createDenoiser } from './denoiser.ts';
import type { NoiseEngine } from './engines.ts';
import type { Listener } from '../listener/listener.ts';
import type { ChannelLevels } from './level/channel-levels.ts';
import type { PassageReport } from './passages/passage-report.ts';
import { watchedSuppressor } from './watched-suppressor.ts';
import { runHere } from './suppressor/pieces.ts';

export interface DenoiseStagesOptions {
  readonly groups: ChannelGroups;
  readonly engine: NoiseEngine;
  /** See `watchedSuppressor`. */
  readonly listener: Listener | null;
  /** From a first pass over the recording. */
  readonly levels: ChannelLevels;
  /** Receives passages that differ from the network's output. */
  readonly report: PassageReport;
  /** See `watchedSuppressor`. */
  readonly balance?: Balance | null;
  /** Length of the recording. */
  readonly seconds: number;
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
}

/** A thread with the networks and its pieces: printed by `npm run test:machines`. */
const threadBytes = 120e6;

/** Shorter recordings are finished before other threads have loaded the networks. */
const worthThreadsSeconds = 10;

/**
 * The noise suppression of every tool for a recording at 48 kHz; the output is in step and equally long. Stages that
 * prepare the sound for the network, or correct its output, go before or after it here.
 */
export function denoiseStages(options: DenoiseStagesOptions): AnyStage[] {
  const { groups, engine, listener, levels, report, seconds, fanOut, signal, balance = null } = options;
  const denoiser = createDenoiser({
    groups,
    createSuppressor: watchedSuppressor(engine, levels, report, listener, balance),
    runner: fanOut,
    here: runHere(signal),
    cores: seconds < worthThreadsSeconds ? 1 : fanOut.lanes(threadBytes),
  });
  return [denoiser];
}
