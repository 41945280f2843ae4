import type { JsonObject } from '../../../library/core/json.ts';
import type { Progress, Warning } from '../../../library/core/progress/progress.ts';
import type { ClaimingWorker, ReportAnswer } from '../fleet/fleet.ts';
import type { ToolOutput } from '../../../library/contract/media-work.ts';

/** A machine that runs jobs and has nothing but our address and a token. */
export interface Runner {
  /** Made by the service, unique: "run_...". */
  readonly id: string;
  /** The operator's name for it. */
  readonly name: string;
  /** The first characters of its token, enough to tell tokens apart. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** When it last asked for a job, accurate to a minute; null: never. */
  readonly lastSeenAt: Date | null;
  /** null while its token is valid. */
  readonly revokedAt: Date | null;
  /** Number of answers that were accepted, at least 0. */
  readonly accepted: number;
  /**
   * Number of answers refused since the last accepted one, at least 0: the tool cannot have given them, or their files
   * were not what the runner reported.
   */
  readonly refused: number;
  /** Number of jobs that it took and never ended, in a row, at least 0: its lease passed without a word. */
  readonly unfinished: number;
  /** When the last of these was noticed; null: there is none. */
  readonly unfinishedAt: Date | null;
}

/** An entry of the queue, claimed for a runner. Later claims of the same entry have another number. */
export interface ClaimedEntry {
  readonly entryId: string;
  readonly claim: number;
}

/** A runner's process, when it asks for a job. */
export interface ClaimingRunner extends ClaimingWorker {
  /** Its id in the fleet. */
  readonly workerId: string;
}

/** An output that is being uploaded to the object store. */
export interface RunnerOutput {
  /** Key of the object. */
  readonly key: string;
  /** The object store's id of the upload. */
  readonly uploadId: string;
  readonly sizeBytes: number;
  /** Whether all parts are joined. */
  readonly whole: boolean;
}

/** A runner's description of a file that it has sent. */
export interface RunnerFile extends Omit<ToolOutput, 'path'> {
  /** Index of the output, from 0. */
  readonly output: number;
  /** SHA-256 of its bytes, lower-case hex. */
  readonly sha256: string;
}

/** A runner's answer for a successful run. */
export interface RunnerAnswer {
  readonly files: readonly RunnerFile[];
  readonly result: JsonObject;
  readonly warnings: readonly Warning[];
  /** In the tool's billing measure. */
  readonly processedSeconds: number;
}

/** One attempt of a job at a runner. */
export interface RunnerRun extends ClaimedEntry {
  /** The job's id. */
  readonly jobId: string;
  /** Which start of the job it is, from 1 on. */
  readonly attempt: number;
  /** The runner's id. */
  readonly runnerId: string;
  /** Limit for all outputs together. */
  readonly maxOutputBytes: number;
  readonly outputs: readonly RunnerOutput[];
  /** null until it has answered. */
  readonly answer: RunnerAnswer | null;
}

/** Runners and their attempts. */
export interface RunnerStore {
  /** `hash` is the SHA-256 of the token. */
  add(runner: Pick<Runner, 'id' | 'name' | 'prefix'> & { readonly hash: string }): Promise<Runner>;
  /** Also returns revoked ones: the caller decides. Records the time. */
  find(hash: string): Promise<Runner | null>;
  /** Newest first, with revoked ones. */
  list(): Promise<readonly Runner[]>;
  /** By id, name or prefix; null: there is none. @throws EarshotError conflict when several have that name */
  revoke(named: string): Promise<Runner | null>;
  /** Its unanswered jobs whose lease is valid. */
  running(runnerId: string): Promise<number>;

  /** Records that a runner has the job. */
  begin(run: Omit<RunnerRun, 'outputs' | 'answer'>): Promise<void>;
  /** null: unknown, or its runner was revoked. */
  run(jobId: string, attempt: number): Promise<RunnerRun | null>;
  /** Stores the progress of the attempt, and returns its state. A stage of null leaves the stage as it is. */
  report(run: RunnerRun, progress: Omit<Progress, 'stage'> & { readonly stage: string | null }): Promise<ReportAnswer>;
  /** The number of the new output, counting from 0. @throws EarshotError file_too_large, conflict */
  addOutput(run: RunnerRun, output: Omit<RunnerOutput, 'whole'>): Promise<number>;
  /** All parts of the output are joined. */
  outputWhole(run: RunnerRun, output: number): Promise<void>;
  /**
   * Stores the answer, ends the queue's entry and enqueues the task 'accept', if the runner still has the entry.
   * Idempotent.
   */
  handOver(run: RunnerRun, answer: RunnerAnswer): Promise<boolean>;
  /** The latest attempt of the job that a runner has answered; null: none. */
  handedOver(jobId: string): Promise<RunnerRun | null>;
  /** The attempt has ended, and its answer was accepted. */
  accepted(run: RunnerRun): Promise<void>;
  /** The attempt has ended; the job goes back into the queue, and the attempt counts. Idempotent. */
  refused(run: RunnerRun): Promise<void>;
  /** The runner ended the attempt as it should, without an answer: it failed or was cancelled. Forgets it. */
  ended(run: RunnerRun): Promise<void>;
  /** Forgets the attempt. */
  forget(run: RunnerRun): Promise<void>;
  /** Forgets attempts older than that. */
  forgetBefore(before: Date): Promise<void>;
}

/** The queue of jobs for runners: any API process can renew or end what another one claimed. */
export interface RunnerEntries {
  /** Does any job wait? */
  due(): Promise<boolean>;
  /**
   * Takes the first job in line that suits the machine. Unless it is renewed within `leaseSeconds` of the database's
   * clock, the queue gives it to another one. null: no such job waits.
   * @param perOwner running jobs of one account in the whole fleet; null: no limit
   */
  claim(
    leaseSeconds: number,
    machine: ClaimingRunner,
    perOwner: number | null,
  ): Promise<(ClaimedEntry & { readonly jobId: string }) | null>;
  /** false: the lease has ended; another machine has the job, or will get it. */
  renew(entry: ClaimedEntry): Promise<boolean>;
  /** As `renew`, and renews nothing. */
  holds(entry: ClaimedEntry): Promise<boolean>;
  /** The job has ended. */
  end(entry: ClaimedEntry): Promise<void>;
  /** The job goes to another machine at once. */
  release(entry: ClaimedEntry): Promise<void>;
}
