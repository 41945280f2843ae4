import type { JsonObject } from '../../library/core/json.ts';
import type { Progress, Warning } from '../../library/core/progress.ts';
import type { ReportAnswer } from './fleet.ts';
import type { ToolOutput } from '../../library/contract/media-work.ts';

/** A machine that runs jobs with nothing but our address and a token. */
export interface Runner {
  /** Made by the service, unique: "run_...". */
  readonly id: string;
  /** What the operator calls it. */
  readonly name: string;
  /** The first characters of its token, enough to tell tokens apart. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** When it last asked for a job, exact to a minute; null: never. */
  readonly lastSeenAt: Date | null;
  /** null while its token works. */
  readonly revokedAt: Date | null;
  /** Number of answers that were accepted, at least 0. */
  readonly accepted: number;
  /**
   * Number of answers, at least 0, that were refused since the last accepted one: files that are not what it said they
   * are.
   */
  readonly refused: number;
}

/** An entry of the queue, claimed for a runner. Later claims of the same entry have another number. */
export interface ClaimedEntry {
  readonly entryId: string;
  readonly claim: number;
}

/** An output on its way into the object store. */
export interface RunnerOutput {
  /** Of the object that it becomes. */
  readonly key: string;
  /** The object store's id of the upload. */
  readonly uploadId: string;
  readonly sizeBytes: number;
  /** Are all parts joined? */
  readonly whole: boolean;
}

/** What a runner says of a file that it has sent. */
export interface RunnerFile extends Omit<ToolOutput, 'path'> {
  /** Which one of the outputs that it sent, counting from 0. */
  readonly output: number;
  /** Of its bytes, hex, lower case. */
  readonly sha256: string;
}

/** What a runner answers of a run that succeeded. */
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
  /** Of all outputs together. */
  readonly maxOutputBytes: number;
  readonly outputs: readonly RunnerOutput[];
  /** null: it has not answered. */
  readonly answer: RunnerAnswer | null;
}

/** Runners and what they are working on. */
export interface RunnerStore {
  /** `hash` is the SHA-256 of the token. */
  add(runner: Pick<Runner, 'id' | 'name' | 'prefix'> & { readonly hash: string }): Promise<Runner>;
  /** Also revoked ones: the caller decides. Notes that it was seen. */
  find(hash: string): Promise<Runner | null>;
  /** Newest first, with revoked ones. */
  list(): Promise<readonly Runner[]>;
  /** By id, name or prefix; null: there is none. @throws EarshotError conflict when several have that name */
  revoke(named: string): Promise<Runner | null>;
  /** Jobs that it has claimed and not answered, of which it has told us within the lease. */
  running(runnerId: string): Promise<number>;

  /** Notes that a runner has the job. */
  begin(run: Omit<RunnerRun, 'outputs' | 'answer'>): Promise<void>;
  /** null: unknown, or its runner was revoked. */
  run(jobId: string, attempt: number): Promise<RunnerRun | null>;
  /** Stores the progress of the attempt, and says what the database knows of it. */
  report(run: RunnerRun, progress: Progress): Promise<ReportAnswer>;
  /** The number of the new output, counting from 0. @throws EarshotError file_too_large, conflict */
  addOutput(run: RunnerRun, output: Omit<RunnerOutput, 'whole'>): Promise<number>;
  /** All parts of the output are joined. */
  outputWhole(run: RunnerRun, output: number): Promise<void>;
  /**
   * Keeps the answer, ends the queue's entry and enqueues the task 'accept', if the entry is still the runner's. Called
   * again it changes nothing and answers the same.
   */
  handOver(run: RunnerRun, answer: RunnerAnswer): Promise<boolean>;
  /** The latest attempt of the job that a runner has answered; null: none. */
  handedOver(jobId: string): Promise<RunnerRun | null>;
  /** The attempt has ended, and its answer was accepted. */
  accepted(run: RunnerRun): Promise<void>;
  /** The attempt has ended; the job goes back into the queue, and the attempt counts. */
  refused(run: RunnerRun): Promise<void>;
  /** Forgets the attempt. */
  forget(run: RunnerRun): Promise<void>;
  /** Forgets attempts older than that. */
  forgetBefore(before: Date): Promise<void>;
}

/** The queue of jobs, as the desk of runners needs it: any API process can renew or end what another one claimed. */
export interface RunnerEntries {
  /**
   * Takes the first job in line. Unless it is renewed within `leaseSeconds` of the database's clock, the queue gives it
   * to another machine. null: no job waits.
   */
  claim(leaseSeconds: number): Promise<(ClaimedEntry & { readonly jobId: string }) | null>;
  /** false: the lease has ended, and the job is another one's or waits for one. */
  renew(entry: ClaimedEntry): Promise<boolean>;
  /** The job has ended. */
  end(entry: ClaimedEntry): Promise<void>;
  /** The job goes to another machine at once. */
  release(entry: ClaimedEntry): Promise<void>;
}
