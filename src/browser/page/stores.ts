// Files of runs in the origin's private file system: their names, and what is left of pages that are gone. A page that
// is there holds a lock with its name; outputs are read where they lie as long as it does.

const folderName = 'earshot';
const lockPrefix = 'earshot ';
const page = crypto.randomUUID();

let count = 0;

/** Of a new run's file. */
export const storeName = (): string => `${page}.${(count += 1)}`;

let held: Promise<void> | undefined;

/** Tells other pages of this origin that this one is there. Without locks there is no private file system either. */
export function holdPage(): Promise<void> {
  held ??= new Promise((resolve) => {
    const forever = (): Promise<never> => {
      resolve();
      return new Promise(() => undefined);
    };
    Promise.resolve(navigator.locks?.request(`${lockPrefix}${page}`, forever)).then(resolve, () => resolve());
  });
  return held;
}

const folder = async (): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(folderName);

/** A worker that was ended lets go of its file a little later. */
const tries = { count: 10, milliseconds: 100 };

async function remove(name: string): Promise<void> {
  const from = await folder();
  for (let tried = 1; ; tried += 1) {
    try {
      await from.removeEntry(name);
      return;
    } catch (thrown) {
      const isOpen = thrown instanceof DOMException && thrown.name === 'NoModificationAllowedError';
      if (!isOpen || tried === tries.count) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, tries.milliseconds));
    }
  }
}

async function removeThoseOfOthers(): Promise<void> {
  const from = await folder();
  const names: string[] = [];
  for await (const name of (from as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
  // After the names: a page's lock is there before its files.
  const { held: locks = [] } = await navigator.locks.query();
  const there = new Set(locks.map(({ name }) => name));
  const stale = names.filter((name) => !there.has(`${lockPrefix}${name.split('.')[0]}`));
  await Promise.allSettled(stale.map((name) => from.removeEntry(name)));
}

// There may be no such folder, or no file system at all.

/** @param name of a run's file that nothing needs any more */
export const removeStore = (name: string): Promise<void> => remove(name).catch(() => undefined);

/** Removes files of pages that are gone. */
export const removeStale = (): Promise<void> => removeThoseOfOthers().catch(() => undefined);
