import type { Account, Language } from './account.ts';

/** How a browser signed in. 'operator': by a session that the operator's command made. */
export type SessionMethod = 'operator' | 'link' | 'passkey';

/** A signed-in browser. Its token is not stored. */
export interface Session {
  /** Public id, unique: "ses_...". */
  readonly id: string;
  /** The account that is signed in. */
  readonly accountId: string;
  readonly createdAt: Date;
  /** Accurate to a few minutes. */
  readonly seenAt: Date;
  readonly expiresAt: Date;
  /** Without use for this long, it ends; null: it ends at `expiresAt`. */
  readonly idleSeconds: number | null;
  readonly method: SessionMethod;
  /** Browser and system, such as "Firefox on Linux"; '': not known. */
  readonly device: string;
}

/** A new session. */
export interface NewSession extends Pick<Session, 'accountId' | 'expiresAt'> {
  /** SHA-256 of the session's secret. */
  readonly hash: string;
  /** Without use for this long, it ends; null: it ends at `expiresAt`. Default: null. */
  readonly idleSeconds?: number | null;
  /** How it began. Default: operator. */
  readonly method?: SessionMethod;
  /** Browser and system, such as "Firefox on Linux". Default: '', not known. */
  readonly device?: string;
}

/** Purpose of a one-time token. 'sign-in', 'email' and 'undo-address': links; the others: challenges of passkeys. */
export type OneTimePurpose = 'sign-in' | 'email' | 'undo-address' | 'add-passkey' | 'use-passkey';

/** Data of a one-time token. */
export interface OneTimeData {
  /** The account to sign in to, or to change; absent: the one of `email`. */
  readonly accountId?: string;
  /** Address that the link was sent to. */
  readonly email?: string;
  /** SHA-256 of the secret of the requesting browser; absent until a browser has opened the link. */
  readonly browser?: string;
  /** Hash of the code and that secret; absent: the link alone. */
  readonly code?: string;
  /** The change of an address to undo. */
  readonly change?: string;
  /** Path to go to afterwards. */
  readonly next?: string;
  /** Language of the page that requested it; absent when not known. */
  readonly language?: Language;
}

/** A passkey: the public half of a key that a device keeps. */
export interface StoredPasskey {
  /** The credential's id, base64url. */
  readonly id: string;
  /** The account that it signs in to. */
  readonly accountId: string;
  /** The user's name for it, 1 to 80 characters. */
  readonly name: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** The device's signature counter; always 0 on many devices. */
  readonly counter: number;
  /** How the browser reaches the device, such as "internal" or "usb". */
  readonly transports: readonly string[];
  readonly createdAt: Date;
  /** null: never used. */
  readonly lastUsedAt: Date | null;
}

/** A change of an account's address that the old address can still undo. */
export interface AddressChange {
  /** Its own id, "chg_...". */
  readonly id: string;
  /** The account whose address was changed. */
  readonly accountId: string;
  /** Address before the change; reserved for the account until `expiresAt`. */
  readonly oldEmail: string;
  /** Passkeys and keys made since then go with an undo. */
  readonly since: Date;
  readonly changedAt: Date;
  readonly expiresAt: Date;
}

/** Sign-in links, challenges and passkeys. */
export interface SignInStore {
  /** `hash` is the SHA-256 of the token. */
  addToken(token: {
    readonly hash: string;
    readonly purpose: OneTimePurpose;
    readonly subject: string | null;
    readonly data: OneTimeData;
    readonly expiresAt: Date;
  }): Promise<void>;
  /** Tokens of the subject that were made since then and are not used. */
  countTokens(subject: string, since: Date): Promise<number>;
  /** null: unknown, used or expired. */
  peekToken(hash: string, purpose: OneTimePurpose, at: Date): Promise<OneTimeData | null>;
  /** Binds a token that any browser may use to one, by the SHA-256 of its secret. Does nothing to a bound one. */
  bindToken(hash: string, purpose: OneTimePurpose, browser: string, at: Date): Promise<void>;
  /** Uses the token: of several concurrent calls one gets it, and the others null. */
  takeToken(hash: string, purpose: OneTimePurpose, at: Date): Promise<OneTimeData | null>;
  /**
   * Counts a try of a code for each unused sign-in request of a browser that has had fewer than `mostTries`.
   * @param browser hash of the browser's secret
   */
  tryCodes(
    browser: string,
    mostTries: number,
    at: Date,
  ): Promise<readonly { readonly hash: string; readonly data: OneTimeData }[]>;
  /**
   * Counts one more of the key, of all processes together, in a window that begins with the first.
   * @returns the count with this one
   */
  countAsked(key: string, windowSeconds: number): Promise<{ readonly count: number; readonly secondsLeft: number }>;

  /** Has the browser signed in to the account of the address before? */
  knowsBrowser(hash: string, email: string): Promise<boolean>;
  /**
   * Remembers that a browser has signed in.
   * @param browser `before`: hash of the secret that it had, which is void from now on; null: none. `hash`: of the new
   * one
   * @returns whether the account knew it before
   */
  keepBrowser(
    accountId: string,
    browser: { readonly before: string | null; readonly hash: string },
    at: Date,
  ): Promise<boolean>;

  /** null: no account has the address. */
  accountByEmail(email: string): Promise<Account | null>;
  /**
   * The account of the address; a new one with this id if there is none.
   * @throws EarshotError conflict with the reason former_address, when the address is reserved for an account
   */
  accountForEmail(account: { readonly id: string; readonly email: string }, at: Date): Promise<Account>;

  /**
   * Changes the address, and ends all links that were sent to the old one or for the account.
   * @returns the change, if there was an old address that can undo it
   * @throws EarshotError conflict when another account has the address, or had it a few days ago
   */
  changeEmail(change: {
    readonly id: string;
    readonly accountId: string;
    readonly email: string;
    readonly since: Date;
    readonly at: Date;
    readonly expiresAt: Date;
  }): Promise<AddressChange | null>;
  /** null: unknown, undone or too old. */
  pendingChange(id: string, at: Date): Promise<AddressChange | null>;
  /** The account's latest change that can be undone; null: none. */
  latestChange(accountId: string, at: Date): Promise<AddressChange | null>;
  /** The latest change that replaced this address and can be undone; null: none. */
  formerAddress(email: string, at: Date): Promise<AddressChange | null>;
  /**
   * Gives the account the old address back, and takes back what anyone who changed it may have left: later changes, all
   * sessions, links and programs, and passkeys and keys made since `since`.
   * @returns the address that was taken away; null: unknown, undone or too old
   * @throws EarshotError conflict when another account has the old address
   */
  undoChange(
    id: string,
    at: Date,
  ): Promise<{ readonly accountId: string; readonly email: string; readonly takenEmail: string | null } | null>;
  /** Language of the account's mails from now on. */
  setLanguage(accountId: string, language: Language): Promise<void>;

  /** @throws EarshotError conflict when it is known already */
  addPasskey(passkey: Omit<StoredPasskey, 'createdAt' | 'lastUsedAt'>): Promise<void>;
  /** Those of an account, oldest first. */
  listPasskeys(accountId: string): Promise<readonly StoredPasskey[]>;
  /** null when it is unknown. */
  findPasskey(id: string): Promise<StoredPasskey | null>;
  /** false when a later counter was already stored: the passkey may have been cloned. */
  usePasskey(id: string, counter: number, at: Date): Promise<boolean>;
  /** false when the account has no such passkey. */
  removePasskey(accountId: string, id: string): Promise<boolean>;

  /**
   * Ends all access to the account and removes personal data: keys are revoked; sessions, passkeys, links, address and
   * name are deleted. The row, its ledger and its payments stay.
   */
  closeAccount(accountId: string, at: Date): Promise<void>;
}
