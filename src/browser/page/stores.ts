// Files of runs in the origin's private file system: their names, and what is left of runs that were ended.

const folderName = 'earshot';
/** A file that is older and not open belongs to a page that is gone. */
const youngMilliseconds = 60_000;

export const storeName = (): string => `${Date.now()}-${crypto.randomUUID()}`;

const isOld = (name: string): boolean => Date.now() - Number(name.split('-')[0]) > youngMilliseconds;

async function remove(name: string | null): Promise<void> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(folderName);
  const names: string[] = [];
  if (name === null) {
    for await (const each of (folder as unknown as { keys(): AsyncIterable<string> }).keys())
      if (isOld(each)) names.push(each);
  } else names.push(name);
  // What another page has open is refused.
  await Promise.allSettled(names.map((each) => folder.removeEntry(each)));
}

/** @param name of an ended run; null: of all that are not open any more */
export function removeStale(name: string | null): void {
  // There may be no such folder, or no file system at all.
  remove(name).catch(() => undefined);
}
