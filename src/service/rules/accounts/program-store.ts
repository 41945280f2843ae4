import type { Account } from './account.ts';

/** A record of the authorization server: a client, a grant, a code, a token or an open question of consent. */
export interface ProgramRecord {
  /** The protocol library's name for it, such as "RefreshToken". */
  readonly kind: string;
  /** SHA-256 of the record's id, hex. The id of a code or token is its secret, and is not stored. */
  readonly id: string;
  /** The account that the grant is for; null for records without one. */
  readonly accountId: string | null;
  /** SHA-256 of the client's id; null for records without a client. */
  readonly clientId: string | null;
  /** SHA-256 of the id of the grant that it belongs to; null for records without one. */
  readonly grantId: string | null;
  /** JSON of the protocol library. */
  readonly payload: object;
  /** Seconds until it expires, by the database's clock. */
  readonly seconds: number;
}

/** A record that has not expired. */
export interface FoundRecord {
  readonly payload: object;
  /** Seconds until it expires. */
  readonly secondsLeft: number;
  /** Seconds since it was used up; null: it was not. */
  readonly usedSeconds: number | null;
}

/** A program that a person let act for the account. */
export interface ConnectedProgram {
  /** SHA-256 of the grant's id. */
  readonly id: string;
  /** What the program calls itself, which proves nothing; null: nothing. */
  readonly name: string | null;
  /** Where the program gets its codes: the redirect addresses that it registered. */
  readonly redirectUris: readonly string[];
  readonly createdAt: Date;
  /** Accurate to a few minutes; null: never used. */
  readonly lastUsedAt: Date | null;
}

/** Clients, grants, codes and tokens of the authorization server. Secrets are stored as hashes only. */
export interface ProgramStore {
  /**
   * Adds or replaces a record. One with a client extends that client's life to its own. A new client that is never used
   * expires; of those, only the newest are kept.
   */
  put(record: ProgramRecord): Promise<void>;
  /** null: unknown or expired. */
  find(kind: string, id: string): Promise<FoundRecord | null>;
  /**
   * Uses a record up: of several concurrent calls one answers true.
   * @param againSeconds how long after the first use it may be used again
   */
  use(kind: string, id: string, againSeconds: number): Promise<boolean>;
  /** Ignores unknown records. */
  remove(kind: string, id: string): Promise<void>;
  /** Ends a grant with its codes and tokens. Ignores unknown grants. */
  removeGrant(grantId: string): Promise<void>;
  /** Ends the grants of the client for this account, with their tokens, but for one. */
  removeOtherGrants(accountId: string, clientId: string, keptGrantId: string): Promise<void>;

  /** The account of a grant, and records the use, at most once in a few minutes; null: it was ended or has expired. */
  accountOfGrant(grantId: string): Promise<Account | null>;
  /** Programs that may act for the account, newest first; at most 200. */
  list(accountId: string): Promise<readonly ConnectedProgram[]>;
  /** Ends a grant of this account with its tokens; false when it has no such grant. */
  end(accountId: string, grantId: string): Promise<boolean>;
}
