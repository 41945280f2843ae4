// What the website keeps for an account, so that it is there in another browser and on another device.
import { badValue } from '../../../library/core/checks/schema.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { Account } from './account.ts';

/**
 * Most of each kind of an account. Where one more would be too many, the oldest goes, but for presets, which people
 * have named: one more is refused.
 */
const most = {
  /** Settings of a recipe with a name: "podcast/My show". */
  preset: 100,
  /** Settings with which a chain was started, by its id. */
  order: 200,
  /** Chapters on the transcript of a chain's result, by its id. */
  chapters: 200,
  /** Name, address and VAT id on receipts; its name is "receipts". */
  buyer: 1,
} as const;

/** A kind of note, with a bound of its own. */
export type NoteKind = keyof typeof most;
export const noteKinds = Object.keys(most) as readonly NoteKind[];

const mostNameLetters = 120;
const mostValueLetters = 60_000;

/** A note of an account. */
export interface AccountNote {
  readonly name: string;
  readonly value: JsonObject;
}

/** Notes of accounts. */
export interface AccountNoteStore {
  /** Those of a kind, the newest first. */
  list(accountId: string, kind: NoteKind): Promise<readonly AccountNote[]>;
  /** null: none of that name is kept. */
  get(accountId: string, kind: NoteKind, name: string): Promise<AccountNote | null>;
  /** Replaces one of that name, and keeps the newest `most`. `tooMany`: it was not saved */
  save(
    accountId: string,
    kind: NoteKind,
    note: AccountNote,
    bound: { readonly most: number; readonly dropsOldest: boolean },
  ): Promise<{ readonly tooMany: boolean }>;
  /** Of a name that is not kept nothing happens. */
  remove(accountId: string, kind: NoteKind, name: string): Promise<void>;
}

/** What the website keeps for an account. */
export interface AccountNotes {
  /** Those of a kind, the newest first. */
  list(account: Account, kind: NoteKind): Promise<readonly AccountNote[]>;
  /** null: none of that name is kept. */
  get(account: Account, kind: NoteKind, name: string): Promise<AccountNote | null>;
  /** Replaces one of that name. @throws EarshotError bad_request, limit_exceeded */
  save(account: Account, kind: NoteKind, note: AccountNote): Promise<void>;
  /** Of a name that is not kept nothing happens. */
  remove(account: Account, kind: NoteKind, name: string): Promise<void>;
}

export const createAccountNotes = (notes: AccountNoteStore): AccountNotes => ({
  list: (account, kind) => notes.list(account.id, kind),
  get: (account, kind, name) => notes.get(account.id, kind, name),
  async save(account, kind, note) {
    if (note.name === '' || note.name.length > mostNameLetters)
      throw badValue('name', `1 to ${mostNameLetters} letters`, note.name.slice(0, mostNameLetters));
    const { length } = JSON.stringify(note.value);
    if (length > mostValueLetters) throw badValue('value', `at most ${mostValueLetters} letters of JSON`, length);
    const { tooMany } = await notes.save(account.id, kind, note, { most: most[kind], dropsOldest: kind !== 'preset' });
    if (tooMany)
      throw new EarshotError('limit_exceeded', `Expected at most ${most[kind]} presets of an account`, {
        nextAction: 'Delete one first.',
      });
  },
  remove: (account, kind, name) => notes.remove(account.id, kind, name),
});
