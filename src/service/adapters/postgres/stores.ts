import type { AccountNoteStore } from '../../rules/accounts/account-notes.ts';
import type { AccountStore } from '../../rules/accounts/account-store.ts';
import type { Changes } from '../../rules/shared/wait-for.ts';
import type { FileStore } from '../../rules/files/file-store.ts';
import type { FreeRunStore } from '../../rules/free-runs/free-run-store.ts';
import type { FreeUses } from '../../rules/accounts/free.ts';
import type { JobStore } from '../../rules/jobs/job-store.ts';
import type { Ledger } from '../../rules/money/ledger.ts';
import type { LegacyJobStore } from '../../rules/legacy-jobs/legacy-job-store.ts';
import type { PaymentStore } from '../../rules/money/payment-store.ts';
import type { Settings } from '../../rules/free-runs/visitors.ts';
import type { SignInStore } from '../../rules/accounts/sign-in-store.ts';
import type { EditStore } from '../../rules/edits/edit-store.ts';
import type { ShareStore } from '../../rules/edits/share-store.ts';
import type { FleetStore, RunIdentity } from '../../rules/fleet/fleet.ts';
import type { ProgramStore } from '../../rules/accounts/program-store.ts';
import type { ChainPresetStore, ChainStore } from '../../rules/chains/chain-store.ts';
import type { LoadStore } from '../../rules/operator/load-store.ts';
import type { ReconciliationStore } from '../../rules/operator/reconciliation.ts';
import type { RunnerStore } from '../../rules/runners/runner-store.ts';
import type { WebhookStore } from '../../rules/webhooks/webhook-store.ts';
import type { TokenKeyStore } from '../../rules/shared/token-keys.ts';
import type { Enqueuer } from '../queue/enqueue.ts';
import { createAccountNoteStore } from './accounts/account-notes.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createApiKeys } from './accounts/api-keys.ts';
import { createChanges } from './database/changes.ts';
import type { SaidSentences } from '../../rules/jobs/said-sentences.ts';
import { createSaidSentences } from './jobs/said-sentences.ts';
import { guarded, type Database } from './database/database.ts';
import { createVoiceStore } from './files/voices.ts';
import type { VoiceStore } from '../../rules/voices/voice-store.ts';
import { createEditStore } from './files/edits.ts';
import { createShareStore } from './files/edit-shares.ts';
import { createFileStore } from './files/files.ts';
import { createFleet } from './fleet/fleet.ts';
import { createChainPresetStore } from './jobs/chain-presets.ts';
import { createChainStore } from './jobs/chains.ts';
import { createJobStore } from './jobs/jobs.ts';
import { createFreeRunStore } from './free-runs/free-runs.ts';
import { createFreeUses } from './jobs/free-uses.ts';
import { createLegacyJobStore } from './jobs/legacy-jobs.ts';
import { createLedger } from './money/ledger.ts';
import { createPaymentStore } from './payments/payments.ts';
import { createProgramStore } from './accounts/programs.ts';
import { createReconciliation } from './money/reconciliation.ts';
import { createLoadStore } from './fleet/load.ts';
import { createRunnerStore } from './fleet/runners.ts';
import { createSessions } from './accounts/sessions.ts';
import { createSignInStore } from './accounts/sign-in.ts';
import { createSettings } from './shared/settings.ts';
import { createWebhookStore } from './webhooks/webhooks.ts';
import { createTokenKeyStore } from './accounts/token-keys.ts';

/** All stores of the service, on one database. */
export interface PostgresStores {
  readonly accounts: AccountStore;
  readonly signIn: SignInStore;
  readonly ledger: Ledger;
  readonly freeUses: FreeUses;
  readonly jobs: JobStore;
  readonly chains: ChainStore;
  readonly chainPresets: ChainPresetStore;
  readonly accountNotes: AccountNoteStore;
  readonly voices: VoiceStore;
  readonly load: LoadStore;
  readonly files: FileStore;
  readonly edits: EditStore;
  readonly shares: ShareStore;
  readonly freeRuns: FreeRunStore;
  readonly payments: PaymentStore;
  readonly legacyJobs: LegacyJobStore;
  readonly runners: RunnerStore;
  readonly settings: Settings;
  readonly tokenKeys: TokenKeyStore;
  readonly programs: ProgramStore;
  /** Keys that sign access tokens. */
  readonly programKeys: TokenKeyStore;
  readonly fleet: FleetStore;
  readonly reconciliation: ReconciliationStore;
  readonly webhooks: WebhookStore;
  readonly changes: Changes;
  readonly said: SaidSentences;
  /** Ends all waits. The caller closes the database and the queue. */
  close(): Promise<void>;
}

/**
 * All stores on one database. They throw only EarshotErrors.
 * @param queue default: tasks are not enqueued, for commands that create neither jobs nor files
 */
export function createPostgresStores(
  database: Database,
  queue: Enqueuer | null = null,
  identity: RunIdentity | null = null,
): PostgresStores {
  const changes = createChanges(database.listener);
  return {
    accounts: guarded({
      ...createAccounts(database),
      ...createApiKeys(database),
      ...createSessions(database),
    }),
    signIn: guarded(createSignInStore(database)),
    ledger: guarded(createLedger(database)),
    freeUses: guarded(createFreeUses(database)),
    jobs: guarded(createJobStore(database, queue, identity)),
    chains: guarded(createChainStore(database, queue, identity)),
    chainPresets: guarded(createChainPresetStore(database)),
    accountNotes: guarded(createAccountNoteStore(database)),
    voices: guarded(createVoiceStore(database, queue)),
    load: guarded(createLoadStore(database)),
    files: guarded(createFileStore(database, queue)),
    edits: guarded(createEditStore(database)),
    shares: guarded(createShareStore(database)),
    freeRuns: guarded(createFreeRunStore(database)),
    payments: guarded(createPaymentStore(database, queue)),
    legacyJobs: guarded(createLegacyJobStore(database, queue)),
    runners: guarded(createRunnerStore(database, queue)),
    settings: guarded(createSettings(database)),
    tokenKeys: guarded(createTokenKeyStore(database)),
    programs: guarded(createProgramStore(database)),
    programKeys: guarded(createTokenKeyStore(database, 'program_keys')),
    fleet: guarded(createFleet(database, queue)),
    reconciliation: guarded(createReconciliation(database)),
    webhooks: guarded(createWebhookStore(database)),
    changes,
    said: createSaidSentences(database.kysely, database.listener),
    close: () => changes.close(),
  };
}
