import type { ToolId } from '../../library/contract/tool-ids.ts';

/** A job that crashed its process on two machines. It is not started again until the operator replays it. */
export interface PoisonJob {
  /** Public id, "job_...". */
  readonly jobId: string;
  readonly tool: ToolId;
  /** The same for jobs with the same tool, options and input bytes: SHA-256, hex. */
  readonly fingerprint: string;
  /** Where it crashed. */
  readonly hosts: readonly string[];
  /** When the second machine's crash was found. */
  readonly notedAt: Date;
  /** null: it was not replayed. */
  readonly replayedAt: Date | null;
  /** The job that was made of it; null as above. */
  readonly replayJobId: string | null;
}

/** After crashes on so many machines a job is poison. */
export const poisonousHosts = 2;

/** Poison jobs, for their operator. */
export interface PoisonStore {
  /** Newest first, at most 1000. */
  list(): Promise<readonly PoisonJob[]>;
  /**
   * Forgets the crashes of the job's fingerprint, and orders the job anew for its owner, at no charge. Returns the new
   * job's id; null: there is no such poison job.
   * @throws EarshotError conflict when it was replayed already
   */
  replay(jobId: string): Promise<string | null>;
}
