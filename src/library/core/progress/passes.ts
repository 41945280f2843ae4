import type { RunStage } from './stages.ts';

/**
 * Starts a pass over the material, which ends the previous one. The pass reports its own fraction, 0 to 1; run-meter.ts
 * turns it into progress of the whole run by the tool's `passes`.
 * @param stage a short word for the work: "encoding"
 * @param after the stages of the passes that will certainly follow, one pass each
 * @param maybe the stages that may follow, each counted as half a pass
 */
export type StartPass = (
  stage: RunStage,
  after?: readonly RunStage[],
  maybe?: readonly RunStage[],
) => (fraction: number) => void;
