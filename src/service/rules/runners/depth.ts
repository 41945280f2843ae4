import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Pools } from '../fleet/pools.ts';
import type { QueuedWork } from '../jobs/job-store.ts';
import { expectedCpuSeconds } from '../worker/time-bound.ts';

/** Jobs that wait, for programs that start machines by their number. */
export interface Depth {
  readonly queuedJobs: number;
  /** Expected seconds of one core for all of them. */
  readonly queuedSeconds: number;
  /** Seconds since the oldest was ordered; 0: none waits. */
  readonly oldestSeconds: number;
}

/** The whole queue, and the part of it that prefers each label; "default": no label. */
export interface QueueDepth extends Depth {
  readonly pools: Readonly<Record<string, Depth>>;
}

const nothing: Depth = { queuedJobs: 0, queuedSeconds: 0, oldestSeconds: 0 };

const sumOf = (one: Depth, other: Depth): Depth => ({
  queuedJobs: one.queuedJobs + other.queuedJobs,
  queuedSeconds: one.queuedSeconds + other.queuedSeconds,
  oldestSeconds: Math.max(one.oldestSeconds, other.oldestSeconds),
});

/** Every label of the service is in it, also without a job: scalers refuse an answer that lacks their number. */
export function depthOf(queued: Readonly<Partial<Record<ToolId, QueuedWork>>>, pools: Pools): QueueDepth {
  const labels = ['default', ...Object.values(pools)];
  const byPool: Record<string, Depth> = Object.fromEntries(labels.map((label) => [label, nothing]));
  for (const [tool, { jobs, seconds, oldestSeconds }] of Object.entries(queued) as [ToolId, QueuedWork][]) {
    const label = pools[tool] ?? 'default';
    const depth = {
      queuedJobs: jobs,
      queuedSeconds: Math.ceil(expectedCpuSeconds(tool, seconds)),
      oldestSeconds: Math.round(oldestSeconds),
    };
    byPool[label] = sumOf(byPool[label] ?? nothing, depth);
  }
  return { ...Object.values(byPool).reduce(sumOf, nothing), pools: byPool };
}
