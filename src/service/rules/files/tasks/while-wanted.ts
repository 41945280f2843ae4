import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredFile } from '../../records.ts';
import type { FileStore } from '../../ports.ts';

/** Watches a file's record while work on it goes on, so that deleting the file ends the work. */
export interface Watch {
  /** Fires when the work is of no use to anybody any more. */
  readonly unwanted: AbortSignal;
  stop(): Promise<void>;
}

const lookMs = 1000;

/** @param isWanted of the record as it stands; trouble with the database says nothing */
export function watchFile(
  files: Pick<FileStore, 'get'>,
  file: StoredFile,
  isWanted: (current: StoredFile | null) => boolean,
): Watch {
  const done = new AbortController();
  const unwanted = new AbortController();
  const watching = (async () => {
    while (!done.signal.aborted && !unwanted.signal.aborted) {
      await sleep(lookMs, undefined, { signal: done.signal }).catch(() => undefined);
      if (done.signal.aborted) return;
      const current = await files.get(file.id).catch(() => file);
      if (!isWanted(current)) unwanted.abort();
    }
  })();
  return {
    unwanted: unwanted.signal,
    async stop() {
      done.abort();
      await watching;
    },
  };
}
