import type { Config } from '../settings/config.ts';
import type { Log } from '../shared/log.ts';
import type { Mailer } from '../mails/mailer.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { ChainStore } from '../chains/chain-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Files } from '../files/file-use-cases.ts';
import type { FreshSignIn } from './fresh-sign-in.ts';
import type { AccountNotices } from './notices.ts';
import type { PasskeyChecks } from './passkey-checks.ts';
import type { SignInStore } from '../accounts/sign-in-store.ts';

/** Dependencies of the use cases of signing in. */
export interface SignInDeps {
  readonly accounts: AccountStore;
  readonly signIn: SignInStore;
  readonly jobs: Pick<JobStore, 'list' | 'requestCancel'>;
  readonly chains: Pick<ChainStore, 'list' | 'requestCancel'>;
  readonly files: Pick<Files, 'list' | 'remove'>;
  /** null: no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly passkeyChecks: PasskeyChecks;
  readonly fresh: FreshSignIn;
  readonly notices: AccountNotices;
  readonly config: Pick<Config, 'signUp' | 'sessionDays'>;
  readonly log: Pick<Log, 'warn'>;
  readonly baseUrl: () => string;
  readonly now: () => Date;
}
