import type { Account, Language } from '../accounts/account.ts';
import type { Session, SessionMethod, StoredPasskey } from '../accounts/sign-in-store.ts';

/** A browser that signed in. */
export interface SignedIn {
  /** Value of the session cookie. */
  readonly token: string;
  /** Secret for the browser's cookie: by it this browser is known at the next sign-in. */
  readonly browser: string;
  readonly expiresAt: Date;
  readonly account: Account;
  /** Path to go to; null: none was asked for. */
  readonly next: string | null;
}

/** A browser that signs in. */
export interface Arriving {
  /** Secret in its cookie; null: it has none. */
  readonly browser: string | null;
  /** Browser and system, such as "Firefox on Linux"; '': not known. */
  readonly device: string;
}

/**
 * 'other_browser': another browser opened it first, and it only works there. 'by_code': it was requested in another
 * browser, where the code of the same mail works, too.
 */
export type LinkState = 'ready' | 'other_browser' | 'by_code';

/** Signing in on the website, and managing sessions and passkeys. */
export interface SignIn {
  /** Does the service send mails? If not, the operator creates links. */
  readonly mails: boolean;
  /** May people create accounts? */
  readonly open: boolean;
  /**
   * Is the sign-in recent enough (`freshSignInMinutes`) to change who may use the account? The use cases that say so
   * throw EarshotError forbidden with the reason old_sign_in otherwise.
   */
  isFresh(session: Session): boolean;
  /**
   * Sends a link and a code of six digits by mail. Resolves when the mail server has taken the mail. Every address gets
   * one, also where it has no account and cannot get one: the answer does not tell.
   * @param browser secret of the requesting browser; link and code work only there
   * @param network its network address, for limits: they are those of the asker, never of the address
   * @throws EarshotError bad_request when it is no address, rate_limited, internal_error when the mail was not taken
   */
  requestLink(wanted: {
    readonly email: string;
    readonly browser: string;
    readonly network: string;
    readonly next: string | null;
    readonly language: Language;
    readonly device: string;
  }): Promise<void>;
  /**
   * The state of a link, without using it: mail scanners open links, too.
   * @throws EarshotError not_found when it was used, has expired or never existed
   */
  linkState(token: string, browser: string | null): Promise<LinkState>;
  /** The same for the page of the link; one that any browser may use belongs to this browser from now on. */
  openLink(token: string, browser: string): Promise<LinkState>;
  /** Uses a link. @throws EarshotError not_found, forbidden */
  followLink(token: string, arriving: Arriving): Promise<SignedIn>;
  /**
   * Uses the code of a mail, typed in the browser that asked for it. Five tries a mail.
   * @throws EarshotError bad_request, forbidden when it is wrong, not_found when there is no request to use it for
   */
  followCode(code: string, arriving: Arriving): Promise<SignedIn>;

  /**
   * Sends a link to a new address, which takes effect once the link is opened. Needs a fresh sign-in.
   * @throws EarshotError bad_request
   */
  requestAddress(account: Account, session: Session, email: string): Promise<void>;
  /**
   * Changes the address, and sends a link that undoes it to the old one.
   * @throws EarshotError not_found, conflict when another account has the address, or had it a few days ago
   */
  confirmAddress(account: Account, token: string): Promise<string>;
  /** What an undo link would take back, without doing it. @throws EarshotError not_found */
  undoableChange(
    token: string,
  ): Promise<{ readonly email: string; readonly changedAt: Date; readonly expiresAt: Date }>;
  /**
   * Gives an account its old address back. All of its sessions, links and programs end, and passkeys and keys made in
   * the
   * week before the change and since go. Signs no one in. Returns the address.
   * @throws EarshotError not_found
   */
  undoAddress(token: string): Promise<string>;

  /** Browsers that are signed in, latest use first. */
  sessions(account: Account): Promise<readonly Session[]>;
  /** Signs one browser out. @throws EarshotError not_found */
  endSession(account: Account, id: string): Promise<void>;
  /** Ends all but this one, and takes back what programs may do for the account; returns the number of sessions. */
  endOtherSessions(account: Account, kept: Session): Promise<number>;

  /** Passkeys of the account, oldest first. */
  passkeys(account: Account): Promise<readonly StoredPasskey[]>;
  /** What the browser needs to make a passkey: PublicKeyCredentialCreationOptions as JSON. Needs a fresh sign-in. */
  passkeyOptions(account: Account, session: Session, origin: string): Promise<object>;
  /** Needs a fresh sign-in. @throws EarshotError forbidden when the response does not fit */
  addPasskey(account: Account, session: Session, origin: string, name: string, response: unknown): Promise<void>;
  /** What the browser needs to sign in: PublicKeyCredentialRequestOptions as JSON. */
  passkeyChallenge(origin: string): Promise<object>;
  /** @throws EarshotError forbidden when the response does not fit or the passkey is not known */
  signInByPasskey(origin: string, response: unknown, arriving: Arriving): Promise<SignedIn>;
  /** Removes a passkey. Needs a fresh sign-in. @throws EarshotError not_found */
  removePasskey(account: Account, session: Session, id: string): Promise<void>;

  /** Language of the account's mails from now on. */
  setLanguage(account: Account, language: Language): Promise<void>;
  /**
   * Deletes the account: first its access, then unfinished jobs and files. The ledger and payments stay. Needs a fresh
   * sign-in.
   * @throws EarshotError forbidden while a change of the address can be undone
   */
  deleteAccount(account: Account, session: Session): Promise<void>;
}

/** Begins a session. */
export type BeginSession = (
  account: Account,
  method: SessionMethod,
  arriving: Arriving,
  /** Was the account made by this sign-in? */
  isNew: boolean,
) => Promise<Omit<SignedIn, 'next'>>;
