// Where a run's files lie: one file of the origin's private file system, or memory where that is not to be had. Both
// are read and written at once, as the library does it.

export interface Store {
  /** Fills the bytes from a place on. */
  read(bytes: Uint8Array, at: number): void;
  write(bytes: Uint8Array, at: number): void;
  /** Ends it: its first bytes stay, and are read where they lie. */
  keep(bytes: number): Promise<Blob>;
  /** Ends it, and nothing stays. */
  close(): Promise<void>;
}

/** Of FileSystemSyncAccessHandle, which TypeScript's library for pages does not have. */
interface SyncHandle {
  read(bytes: Uint8Array, options: { readonly at: number }): number;
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(bytes: number): void;
  flush(): void;
  close(): void;
}

const folderName = 'earshot';

async function openPrivate(name: string): Promise<Store> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(folderName, { create: true });
  const file = (await folder.getFileHandle(name, { create: true })) as FileSystemFileHandle & {
    createSyncAccessHandle(): Promise<SyncHandle>;
  };
  const handle = await file.createSyncAccessHandle();
  return {
    read(bytes, at) {
      const got = handle.read(bytes, { at });
      bytes.fill(0, got);
    },
    write(bytes, at) {
      if (handle.write(bytes, { at }) < bytes.length)
        throw Object.assign(new Error('The browser keeps no more for this page'), { code: 'ENOSPC' });
    },
    async keep(bytes) {
      handle.truncate(bytes);
      handle.flush();
      handle.close();
      return file.getFile();
    },
    async close() {
      handle.close();
      await folder.removeEntry(name);
    },
  };
}

const pageBytes = 2 ** 20;

function inMemory(): Store {
  const pages: Uint8Array<ArrayBuffer>[] = [];
  const each = (
    bytes: Uint8Array,
    at: number,
    use: (page: Uint8Array, part: Uint8Array, from: number) => void,
  ): void => {
    for (let done = 0; done < bytes.length;) {
      const place = at + done;
      const from = place % pageBytes;
      const size = Math.min(pageBytes - from, bytes.length - done);
      const page = (pages[Math.floor(place / pageBytes)] ??= new Uint8Array(pageBytes));
      use(page, bytes.subarray(done, done + size), from);
      done += size;
    }
  };
  return {
    read: (bytes, at) => each(bytes, at, (page, part, from) => part.set(page.subarray(from, from + part.length))),
    write: (bytes, at) => each(bytes, at, (page, part, from) => page.set(part, from)),
    keep: (bytes) => Promise.resolve(new Blob(pages.slice(0, Math.ceil(bytes / pageBytes))).slice(0, bytes)),
    close: () => Promise.resolve(),
  };
}

/** @param name of the file; no other run has it */
export async function openStore(name: string): Promise<Store> {
  try {
    return await openPrivate(name);
  } catch {
    // Private windows of some browsers have no file system.
    return inMemory();
  }
}
