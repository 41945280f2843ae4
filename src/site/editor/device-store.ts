// Recordings of this device with their words and edits, kept by the browser (IndexedDB), the latest few.
import type { PackedHistory } from '../../library/speech/word-edit/packed-history.ts';
import type { WordEdit } from '../../library/speech/word-edit/word-edit.ts';
import type { GivenTranscript } from './doc.ts';
import type { NamedVersion } from './source.ts';

export interface KeptRecording {
  readonly key: string;
  readonly file: File;
  readonly transcript: GivenTranscript | null;
  readonly edit: WordEdit | null;
  /** Earlier releases have kept none. */
  readonly history?: PackedHistory | null;
  readonly versions?: readonly (NamedVersion & { readonly edit: WordEdit; readonly words: GivenTranscript | null })[];
  /** Counts the changes. */
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const [database, store] = ['earshot-editor', 'recordings'];
const mostKept = 5;

/** The same file again, without reading it. */
export const keyOf = ({ name, size, lastModified }: File): string => `${name}/${size}/${lastModified}`;

async function within<Result>(
  mode: IDBTransactionMode,
  act: (kept: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opened = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(store, { keyPath: 'key' }));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB cannot be used')));
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = opened.transaction(store, mode);
      const request = act(transaction.objectStore(store));
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('It could not be kept')));
    });
  } finally {
    opened.close();
  }
}

/** Latest first; none where the browser keeps nothing. */
export async function keptRecordings(): Promise<readonly KeptRecording[]> {
  try {
    const all = (await within('readonly', (kept) => kept.getAll())) as KeptRecording[];
    return all.toSorted((a, b) => b.at - a.at);
  } catch {
    return [];
  }
}

export const keptRecording = async (key: string): Promise<KeptRecording | null> =>
  (await within('readonly', (kept) => kept.get(key) as IDBRequest<KeptRecording | undefined>)) ?? null;

/** Keeps it, and forgets the oldest. */
export async function keepRecording(recording: KeptRecording): Promise<void> {
  await within('readwrite', (kept) => kept.put(recording));
  for (const { key } of (await keptRecordings()).slice(mostKept)) await within('readwrite', (kept) => kept.delete(key));
}
