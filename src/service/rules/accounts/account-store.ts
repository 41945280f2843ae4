import type { AutoRefill } from '../money/auto-refill.ts';
import type { PageRequest, Page } from '../shared/page.ts';
import type { Account, ApiKey } from './account.ts';
import type { NewSession, Session } from './sign-in-store.ts';

/** Accounts, their API keys and their sessions. Secrets are kept as hashes only. */
export interface AccountStore {
  /**
   * A new account without credits.
   * @throws EarshotError conflict when the OAuth subject has an account
   */
  create(account: {
    readonly id: string;
    readonly name: string;
    readonly oauthSubject: string | null;
  }): Promise<Account>;
  /** null when there is no such account. */
  get(id: string): Promise<Account | null>;
  /** null when no account has this subject. */
  findByOauthSubject(subject: string): Promise<Account | null>;
  /** All accounts, newest first. */
  list(page: PageRequest): Promise<Page<Account>>;
  /** Answers null when there is no such account. */
  update(
    id: string,
    patch: {
      readonly name?: string;
      readonly autoRefill?: AutoRefill;
      readonly operator?: boolean;
      readonly blockedAt?: Date | null;
      readonly blockedFor?: string | null;
    },
  ): Promise<Account | null>;

  /** `hash` is the SHA-256 of the key, `prefix` its visible part. */
  addKey(key: {
    readonly id: string;
    readonly accountId: string;
    readonly name: string;
    readonly prefix: string;
    readonly hash: string;
  }): Promise<ApiKey>;
  /** Adds the account's first key; null: it has, or had, a key. @throws EarshotError not_found */
  addFirstKey(key: Parameters<AccountStore['addKey']>[0]): Promise<ApiKey | null>;
  /** Also answers revoked keys: the caller decides. */
  findKey(hash: string): Promise<{ readonly key: ApiKey; readonly account: Account } | null>;
  /** Stores the time of use; called at most once a minute per key. */
  touchKey(id: string, at: Date): Promise<void>;
  /** Including revoked keys, oldest first. */
  listKeys(accountId: string): Promise<readonly ApiKey[]>;
  /** By id or by prefix. Answers null when there is none. */
  revokeKey(idOrPrefix: string, at: Date): Promise<ApiKey | null>;

  /** @throws EarshotError not_found when there is no such account */
  addSession(session: NewSession): Promise<Session>;
  /** null: unknown or expired. */
  findSession(hash: string, at: Date): Promise<{ readonly session: Session; readonly account: Account } | null>;
  /** Records a use, and postpones the end of a session that expires without use. */
  touchSession(id: string, at: Date): Promise<void>;
  /** Active sessions, latest use first. */
  listSessions(accountId: string, at: Date): Promise<readonly Session[]>;
  /** false when the account has no such session. */
  endSession(accountId: string, id: string): Promise<boolean>;
  /** Ends all but this one, and takes back what programs may do for the account; returns the number of sessions. */
  endOtherSessions(accountId: string, keptId: string): Promise<number>;
  /** The same with every session. */
  removeSessions(accountId: string): Promise<number>;
}
