import type { StoredPasskey } from '../accounts/sign-in-store.ts';

/** The relying party: the site that passkeys belong to. */
export interface RelyingParty {
  /** Host name, without a port. */
  readonly id: string;
  /** "https://example.org". */
  readonly origin: string;
}

/** WebAuthn: options for browsers and verification of their responses. Stores nothing. */
export interface PasskeyChecks {
  /** PublicKeyCredentialCreationOptions as JSON, and their challenge. */
  creation(
    party: RelyingParty,
    account: { readonly id: string; readonly name: string },
    known: readonly StoredPasskey[],
  ): Promise<{ readonly options: object; readonly challenge: string }>;
  /** null: the response does not fit the challenge or the site. */
  checkCreation(
    party: RelyingParty,
    challenge: string,
    response: unknown,
  ): Promise<Pick<StoredPasskey, 'id' | 'publicKey' | 'counter' | 'transports'> | null>;
  /** PublicKeyCredentialRequestOptions as JSON, and their challenge. */
  request(party: RelyingParty): Promise<{ readonly options: object; readonly challenge: string }>;
  /** The new counter; null: the response does not fit. */
  checkRequest(
    party: RelyingParty,
    challenge: string,
    passkey: StoredPasskey,
    response: unknown,
  ): Promise<{ readonly counter: number } | null>;
}
