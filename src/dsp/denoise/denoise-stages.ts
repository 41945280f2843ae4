import type { FanOut } from '../../core/fan-out.ts';
import type { AnyStage } from '../../pcm/stage.ts';
import type { ChannelGroups } from './channel-groups.ts';
import { createDenoiser } from './denoiser.ts';
import type { NoiseEngine } from './engines.ts';
import { runHere } from './suppressor/pieces.ts';

export interface DenoiseStagesOptions {
  readonly groups: ChannelGroups;
  readonly engine: NoiseEngine;
  /** Length of the recording. */
  readonly seconds: number;
  /** Cores to keep busy, at least 1. */
  readonly parallelism: number;
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
}

/** Shorter recordings are done before other threads have loaded the networks. */
const worthThreadsSeconds = 10;

/**
 * What every tool sends a recording at 48 kHz through to be rid of its noise; what comes out is in step and as long. A
 * stage that is to prepare the sound for the network, or to mend what it leaves, stands here in front of it or behind.
 */
export function denoiseStages(options: DenoiseStagesOptions): AnyStage[] {
  const { groups, engine, seconds, parallelism, fanOut, signal } = options;
  const denoiser = createDenoiser({
    groups,
    createSuppressor: engine.createSuppressor,
    runner: fanOut,
    here: runHere(signal),
    cores: seconds < worthThreadsSeconds ? 1 : parallelism,
  });
  return [denoiser];
}
