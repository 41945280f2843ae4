import type { Authentication } from './accounts/access.ts';
import type { Account } from './accounts/account.ts';
import type { AccountNotes } from './accounts/account-notes.ts';
import type { Accounts } from './accounts/accounts.ts';
import type { Chains } from './chains/chains.ts';
import type { Edits } from './edits/edit-use-cases.ts';
import type { Shares } from './edits/shares.ts';
import type { Files } from './files/file-use-cases.ts';
import type { Peaks } from './files/peaks.ts';
import type { Transcripts } from './files/transcripts.ts';
import type { FreeRuns } from './free-runs/free-run-use-cases.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { SaidSentences } from './jobs/said-sentences.ts';
import type { Origins } from './jobs/origins.ts';
import type { Tools } from './jobs/tools.ts';
import type { LegacyJobs } from './legacy-jobs/legacy-job-use-cases.ts';
import type { Overview } from './operator/overview.ts';
import type { Payments } from './payments/payment-use-cases.ts';
import type { Keys } from './sign-in/key-use-cases.ts';
import type { Programs } from './sign-in/program-use-cases.ts';
import type { Voices } from './voices/voices.ts';
import type { Webhooks } from './webhooks/webhooks.ts';
import type { SignIn } from './sign-in/sign-in-use-cases.ts';

/**
 * The service's use cases, for HTTP dialects and the operator's commands. They know no dialect. Every method throws
 * EarshotError with a code of the catalogue.
 */
export interface Service {
  readonly access: Authentication;
  readonly accounts: Accounts;
  readonly notes: AccountNotes;
  readonly voices: Voices;
  readonly tools: Tools;
  readonly files: Files;
  readonly jobs: Jobs;
  /** Sentences of running transcriptions. */
  readonly said: Pick<SaidSentences, 'hear'>;
  readonly origins: Origins;
  readonly chains: Chains;
  readonly peaks: Peaks;
  readonly transcripts: Transcripts;
  readonly edits: Edits;
  readonly shares: Shares;
  readonly freeRuns: FreeRuns;
  readonly payments: Payments;
  readonly legacyJobs: LegacyJobs;
  readonly webhooks: Webhooks;
  readonly signIn: SignIn;
  readonly keys: Keys;
  /** null: the service issues no access tokens. */
  readonly programs: Programs | null;
  /**
   * @param query letters of an account's name or address, or its id; '': all
   * @throws EarshotError forbidden for an account without the right
   */
  overview(account: Account, query: string): Promise<Overview>;
}
