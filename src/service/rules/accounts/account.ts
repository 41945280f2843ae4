import type { AutoRefill } from '../money/auto-refill.ts';

/** An account and its balance. */
export interface Account {
  /** Made by the service, unique: "acc_...". */
  readonly id: string;
  /** 1 to 200 characters; need not be unique. */
  readonly name: string;
  /** Credits owned, including those reserved by jobs. Never negative. */
  readonly balance: number;
  /** Credits reserved by jobs that have not ended. 0 <= reserved <= balance. */
  readonly reserved: number;
  readonly autoRefill: AutoRefill;
  /** Subject of the access tokens for this account, unique; null: none. */
  readonly oauthSubject: string | null;
  /** Address for sign-in links and receipts, in lower case, unique; null: none. */
  readonly email: string | null;
  /** Whether it may see the operator's page. */
  readonly operator: boolean;
  /** Language of its mails, as in its last sign-in. */
  readonly language: Language;
  /** When the operator blocked it; null: it is not blocked. */
  readonly blockedAt: Date | null;
  /** What its owner is told of that, in the operator's words; null: nothing. */
  readonly blockedFor: string | null;
  readonly createdAt: Date;
}

/** Languages of mails; the website may have more. */
export type Language = 'en' | 'de';

/** The language of mails for somebody who reads the website in this one: English where there are none in it. */
export const mailLanguage = (code: string): Language => (code === 'de' ? code : 'en');

/** An API key. Its secret is not stored. */
export interface ApiKey {
  /** Made by the service, unique: "key_...". */
  readonly id: string;
  /** The key's account. */
  readonly accountId: string;
  /** Need not be unique. */
  readonly name: string;
  /** The first 13 characters of the secret, enough to tell keys apart. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** Exact to a minute; null: never used. */
  readonly lastUsedAt: Date | null;
  /** null while the key works. */
  readonly revokedAt: Date | null;
}
