import type { FileTask } from '../files/file-store.ts';
import type { ClaimingWorker } from '../fleet/fleet.ts';
import type { QueueHandler } from '../shared/queue-handler.ts';

/**
 * All queued work, by the id of its file, job or voice. 'voice': make its print; 'order': the file of an older-API job
 * has arrived or failed; 'deliver': send its result to the given URL; 'accept': look at what a runner has handed over
 * for a job, and settle it.
 */
export type TaskKind = FileTask | 'voice' | 'job' | 'order' | 'deliver' | 'accept';

/** Limits on the tasks that run at the same time in the whole fleet. */
export interface TaskLimits {
  /** Most running tasks of the kind for one account or visitor; null: no limit. */
  readonly perOwner: number | null;
  /** See `SlotRules`. Default: 0. */
  readonly freeSlots?: number;
  /** See `SlotRules`. Default: 0. */
  readonly paidSlots?: number;
  /** Of jobs: takes those that suit this worker; null: any. Default: null. */
  readonly worker?: ClaimingWorker | null;
  /** Asked before each look into the queue: may this machine take tasks now? Default: always */
  readonly mayTake?: () => boolean;
}

/** The queue of tasks for workers. Stores enqueue them in their own transactions. */
export interface WorkQueue {
  /** Handles up to `slots` tasks at a time. Starts within milliseconds of the enqueueing transaction's commit. */
  work(kind: TaskKind, slots: number, handler: QueueHandler, limits?: TaskLimits): Promise<void>;
  /** Takes no more tasks, aborts the handlers' signals after `graceMs`, and resolves when they are done. */
  stop(graceMs: number): Promise<void>;
  /** Number of running tasks in this process. */
  busy(): number;
  /** Queued tasks by kind, for metrics. */
  depth(): Promise<Readonly<Record<TaskKind, number>>>;
}
