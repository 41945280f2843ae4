import type { JobClass } from './job-classes.ts';
import type { FleetRole, FleetWorker } from './fleet.ts';

/** The fleet in figures, for `/metrics`. */
export interface FleetOverview {
  /** Number of processes, at least 1, by role and state; pairs without a process are missing. */
  readonly processes: readonly {
    readonly role: FleetRole;
    readonly state: FleetWorker['state'];
    readonly count: number;
  }[];
  /** Living machines that take no jobs, or did not lately, because they lack something for all of them. */
  readonly unfit: number;
  /** Seconds since the oldest queued job was ordered, by class; 0: none is queued. */
  readonly oldestQueuedSeconds: Readonly<Record<JobClass, number>>;
  /** Seconds since each task of the housekeeping last ended well, by name; a task that never has is missing. */
  readonly housekeepingSeconds: Readonly<Record<string, number>>;
  /** What all processes have counted, by name: see attempt-counts.ts. */
  readonly counts: Readonly<Record<string, number>>;
}
