import type { Account } from '../accounts/account.ts';
import type { FileStore } from '../files/file-store.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { isTranscriptFile } from '../files/transcript-file.ts';
import type { EditStore, Transcription } from './edit-store.ts';
import type { Translation } from './edit-use-cases.ts';

/** A transcription with its transcript. */
interface Written extends Pick<Transcription, 'language' | 'isTranslation'> {
  /** Of the transcript. */
  readonly id: string;
}

/** What was written down of recordings, as far as it can be read. */
export function createTranscriptLists({
  edits,
  files,
  now,
}: {
  readonly edits: Pick<EditStore, 'transcribed'>;
  readonly files: Pick<FileStore, 'getMany'>;
  readonly now: () => Date;
}) {
  const isUsable = (account: Account, file: StoredFile | null): boolean =>
    file !== null &&
    file.accountId === account.id &&
    file.status === 'ready' &&
    file.expiresAt > now() &&
    isTranscriptFile(file);
  return {
    isUsable,
    /** The latest first; translations behind all others, since their words have rougher times. */
    async of(account: Account, fileId: string): Promise<readonly Written[]> {
      const jobs = await edits.transcribed(account.id, fileId);
      const found = await files.getMany(jobs.flatMap(({ outputFileIds }) => outputFileIds));
      const usable = new Set(found.flatMap((file) => (file !== null && isUsable(account, file) ? [file.id] : [])));
      return jobs
        .flatMap(({ outputFileIds, language, isTranslation }) => {
          const id = outputFileIds.find((each) => usable.has(each));
          return id === undefined ? [] : [{ id, language, isTranslation }];
        })
        .toSorted((a, b) => Number(a.isTranslation) - Number(b.isTranslation));
    },
  };
}

/** One for each language that is not that of the chosen transcript. */
export function translationsIn(written: readonly Written[], chosen: string | null): readonly Translation[] {
  const own = written.find(({ id }) => id === chosen)?.language ?? null;
  const others = new Map<string, string>();
  for (const { id, language } of written)
    if (language !== null && language !== own && id !== chosen && !others.has(language)) others.set(language, id);
  return [...others].map(([language, transcriptFileId]) => ({ language, transcriptFileId }));
}
