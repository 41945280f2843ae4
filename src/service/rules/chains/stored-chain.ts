import type { FormatChoices, StepInputs } from '../../../library/contract/chain-calls.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { Warning } from '../../../library/core/progress/progress.ts';
import type { JobStatus } from '../jobs/stored-job.ts';
import type { StoredError } from '../shared/stored-error.ts';
import type { Billing } from '../tools/offer.ts';

/**
 * 'whole': all results or none, and then nothing is charged. 'steps': what the finished steps made, and their price.
 */
export type Settling = 'whole' | 'steps';

/** A step as it is stored: everything that its runs need, so that releases and prices may change meanwhile. */
export interface StoredStep extends StepInputs {
  readonly tool: ToolId;
  readonly options: JsonObject;
  /** The sound format that its options ask for; null: none. */
  readonly soundFormat: string | null;
  readonly choices: FormatChoices;
  /** Of a tool that writes text: which files. null: all of its formats. */
  readonly formats: readonly string[] | null;
  /** Are its outputs text? */
  readonly writesText: boolean;
  /** Are its files results of the chain? */
  readonly isResult: boolean;
  readonly billing: Billing;
  /** Credits per minute. */
  readonly rate: number;
  /** The same where an input of that field is given. */
  readonly ratesWith: Readonly<Record<string, number>>;
}

/** A file that a chain was given, or that a step has made. */
export interface ChainFile {
  /** Of its record. */
  readonly id: string;
  /** Its name with extension. */
  readonly filename: string;
  /** null for text, and without a known length. */
  readonly durationSeconds: number | null;
}

/** What a chain does, decided when it is ordered. */
export interface ChainPlan {
  readonly steps: readonly StoredStep[];
  /** What it was given, in order; none once it has ended. */
  readonly files: readonly ChainFile[];
  /** Extension of the resulting sound; null: as the first file. */
  readonly format: string | null;
}

/** A chain, from its order to its settlement. Its steps are jobs. */
export interface StoredChain {
  /** Made by the service, unique: "chain_...". */
  readonly id: string;
  /** Whose files it works on, and who pays it. */
  readonly accountId: string;
  /** In the names of its results. */
  readonly name: string;
  /** The recipe that it was made of; null: data of the client's own. */
  readonly recipe: string | null;
  /** Stored as 'running' until it ends; see `statusOf`. */
  readonly status: JobStatus;
  /** Its options are forgotten when it ends. */
  readonly plan: ChainPlan;
  /** Ids of the files that it was given, in order. */
  readonly fileIds: readonly string[];
  readonly settling: Settling;
  /** Credits reserved until it ends. */
  readonly price: number;
  /** Credits that were charged; null until it ends. */
  readonly charged: number | null;
  /** Has a client asked to cancel it? */
  readonly cancelRequested: boolean;
  /** Why it failed; null unless it did. */
  readonly error: StoredError | null;
  /** The step that failed or was cancelled; null: none. */
  readonly failedStep: string | null;
  /** Ids of its results, the sound first; none before its end. */
  readonly outputFileIds: readonly string[];
  readonly createdAt: Date;
  /** Time of its end; null before. */
  readonly finishedAt: Date | null;
}

/** A job of a chain, as far as the chain shows it. */
export interface StepJob {
  readonly id: string;
  /** Index of its step, from 0. */
  readonly step: number;
  readonly status: JobStatus;
  readonly stage: string;
  /** The most that any attempt has reached, 0 to 1. */
  readonly progress: number;
  readonly processedSeconds: number | null;
  readonly creditsPerMinute: number;
  readonly result: JsonObject | null;
  readonly warnings: readonly Warning[];
  readonly error: StoredError | null;
  readonly startedAt: Date | null;
}
