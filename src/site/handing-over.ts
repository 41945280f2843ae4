// Passes files from one page of the site to the next: stored in the browser (IndexedDB), and removed when they arrive.
const [database, store, key] = ['earshot', 'handed-over', 'files'];

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(store));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB cannot be used')));
  });
}

async function within<Result>(
  mode: IDBTransactionMode,
  act: (files: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opened = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = opened.transaction(store, mode);
      const request = act(transaction.objectStore(store));
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () =>
        reject(transaction.error ?? new Error('The files could not be kept')),
      );
    });
  } finally {
    opened.close();
  }
}

/**
 * @param page whose path alone takes them, also a day later: after a sign-in. Default: the next page
 * @returns false when the browser cannot store them (a private window, a full disk)
 */
export const handOver = (files: readonly File[], { page = '' } = {}): Promise<boolean> =>
  within('readwrite', (kept) => kept.put({ files, page, at: Date.now() }, key)).then(
    () => true,
    () => false,
  );

/** Older files were meant for a page that was never opened. */
const [freshMs, dayMs] = [60_000, 86_400_000];

/** Takes out the files of the previous page. */
export async function takeOver(): Promise<readonly File[]> {
  try {
    const found: unknown = await within('readonly', (kept) => kept.get(key) as IDBRequest<unknown>);
    if (found === undefined) return [];
    const {
      files,
      page = '',
      at,
    } = found as { readonly files: readonly File[]; readonly page?: string; readonly at: number };
    const isFresh = Date.now() - at < (page === '' ? freshMs : dayMs);
    if (isFresh && page !== '' && page !== location.pathname) return [];
    await within('readwrite', (kept) => kept.delete(key));
    return isFresh ? files : [];
  } catch {
    return [];
  }
}
