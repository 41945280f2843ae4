import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredFile } from '../stored-file.ts';
import type { FileStore } from '../file-store.ts';

/** Watches a file's record during work on it, so that deleting the file ends the work. */
export interface FileWatch {
  /** Aborted when the result is no longer needed. */
  readonly unwanted: AbortSignal;
  stop(): Promise<void>;
}

const pollMs = 1000;

/** @param isWanted does the current record still need the work? Not called after a database error */
export function watchFile(
  files: Pick<FileStore, 'get'>,
  file: StoredFile,
  isWanted: (current: StoredFile | null) => boolean,
): FileWatch {
  const done = new AbortController();
  const unwanted = new AbortController();
  const watching = (async () => {
    while (!done.signal.aborted && !unwanted.signal.aborted) {
      await sleep(pollMs, undefined, { signal: done.signal }).catch(() => undefined);
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
