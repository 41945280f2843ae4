import type { TimeRange } from '../../../library/core/time-range.ts';
import type { KnownVoice, VoicePrint, VoiceReference } from '../../../library/contract/voice-print.ts';
import type { StoredError } from '../shared/stored-error.ts';

/** processing: its print is being made; failed: there is none, and `error` says why. */
export type VoiceStatus = 'processing' | 'ready' | 'failed';

/** A voice of an account, without its print. */
export interface AccountVoice {
  /** Public id, "voice_..." and 22 letters. */
  readonly id: string;
  /** The only account that knows it. */
  readonly accountId: string;
  /** Of the person, see `checkVoiceName`. */
  readonly name: string;
  readonly status: VoiceStatus;
  /** Why there is no print; null: there is one, or it is being made. */
  readonly error: StoredError | null;
  /** What the person agreed to. */
  readonly consent: string;
  /** Speech that the print was made of, seconds; null: not made yet. */
  readonly seconds: number | null;
  readonly createdAt: Date;
}

/** A voice whose print is to be made. */
export interface NewVoice extends Pick<AccountVoice, 'id' | 'accountId' | 'name' | 'consent'> {
  /** The recording; it may go afterwards. */
  readonly fileId: string;
  /** Where the person speaks in it; null: everywhere. */
  readonly ranges: readonly TimeRange[] | null;
}

/** Voices of accounts. Names of an account are different, whatever their case. */
export interface VoiceStore {
  /** Also enqueues the making of its print. @throws EarshotError conflict for the name, limit_exceeded */
  create(voice: NewVoice, most: number): Promise<AccountVoice>;
  /** Those of an account, in the order of their names. */
  list(accountId: string): Promise<readonly AccountVoice[]>;
  /** null: the account has none of this id. */
  get(accountId: string, id: string): Promise<AccountVoice | null>;
  /** null: there is none. @throws EarshotError conflict */
  rename(accountId: string, id: string, name: string): Promise<AccountVoice | null>;
  /** With its print, at once. false: there is none */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Those with a print. */
  known(accountId: string): Promise<readonly KnownVoice[]>;
  /** Of the people who are to be named in this job alone; deleted when it ends. */
  references(jobId: string): Promise<readonly VoiceReference[]>;
  /** What a print is to be made of; null: deleted, or made. */
  waiting(id: string): Promise<NewVoice | null>;
  /** Nothing happens where it was deleted meanwhile. */
  finish(id: string, made: { readonly print: VoicePrint } | { readonly error: StoredError }): Promise<void>;
}
