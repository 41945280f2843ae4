// Files of models that this browser keeps: fetched once, checked, and there until they are removed, also for pages that
// are opened later. Each lies in the origin's cache under its hash.
import { type KeptFile, type KeptModel, models } from 'tab-models';
import { throwIfAborted } from '../../library/core/abort.ts';
import { shownName, whatWasMeant } from '../../library/core/checks/names.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';

export { models };

const cacheName = 'earshot-models';

/** The cache knows files by addresses; no server is asked for these. */
const keyOf = ({ sha256 }: KeptFile): string => new URL(`/${cacheName}/${sha256}`, location.origin).href;

/** Pages that are no secure context have no cache. */
function hasCache(): boolean {
  return 'caches' in globalThis && 'subtle' in crypto;
}

async function cache(): Promise<Cache> {
  if (hasCache()) return caches.open(cacheName);
  throw new EarshotError('tool_unavailable', 'A browser keeps models for pages that come by https alone', {
    nextAction: 'Serve the page by https, or from localhost.',
  });
}

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The file, where it is kept. Its bytes stay on the disk. */
export async function keptFile(file: KeptFile): Promise<Blob | null> {
  if (!hasCache()) return null;
  const found = await (await cache()).match(keyOf(file));
  return found ? found.blob() : null;
}

const cannot = (why: string, url: string, cause?: unknown): EarshotError =>
  new EarshotError('tool_unavailable', `The model at ${url} cannot be used: ${why}`, {
    nextAction: 'Look whether `models` of createEngine is the address of a folder as docs/browser.md describes it.',
    cause,
  });

async function download(
  url: string,
  file: KeptFile,
  signal: AbortSignal | undefined,
  onBytes: (count: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(url, signal ? { signal } : {}).catch((thrown: unknown) => {
    if (signal) throwIfAborted(signal);
    throw cannot('it cannot be fetched', url, thrown);
  });
  if (!answer.ok || !answer.body) throw cannot(`the server answers ${answer.status}`, url);
  const bytes = new Uint8Array(file.bytes);
  let at = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > bytes.length) {
      await reader.cancel();
      throw cannot(`it has more than ${file.bytes} bytes`, url);
    }
    bytes.set(value, at);
    at += value.length;
    onBytes(value.length);
  }
  if (at < bytes.length) throw cannot(`it has ${at} bytes instead of ${file.bytes}`, url);
  const sha256 = hex(await crypto.subtle.digest('SHA-256', bytes));
  if (sha256 !== file.sha256) throw cannot(`it has SHA-256 ${sha256} instead of ${file.sha256}`, url);
  return bytes;
}

/**
 * Fetches a file unless it is kept; of several that want it at once, one does.
 * @param url where it is
 * @param onBytes gets how many more have come
 * @throws EarshotError tool_unavailable where it is missing, or another file; AbortError
 */
export async function fetchFile(
  url: string,
  file: KeptFile,
  signal?: AbortSignal,
  onBytes: (count: number) => void = () => undefined,
): Promise<Blob> {
  const store = await cache();
  const work = async (): Promise<Blob> => {
    const kept = await keptFile(file);
    if (kept) return kept;
    const bytes = await download(url, file, signal, onBytes);
    try {
      await store.put(keyOf(file), new Response(bytes));
    } catch {
      // No room on the disk: it serves this run from memory.
      return new Blob([bytes]);
    }
    return (await keptFile(file)) ?? new Blob([bytes]);
  };
  return navigator.locks ? navigator.locks.request(`${cacheName} ${file.sha256}`, work) : work();
}

/** @throws EarshotError bad_request for a model that a tab does not use */
export function requireKept(id: string): KeptModel {
  const model = models.find((one) => one.id === id);
  if (model) return model;
  const ids = models.map((one) => one.id);
  throw new EarshotError(
    'bad_request',
    `In a browser's tab there is no model ${shownName(id)}; ${whatWasMeant(id, ids)}`,
    {
      details: { field: 'model', expected: ids.join(', '), received: shownName(id) },
    },
  );
}

/** @param base address of the folder of all models, with or without a slash at its end */
export const addressOf = (base: string, { id }: KeptModel, { name }: KeptFile): string =>
  new URL(`${id}/${name}`, base.endsWith('/') ? base : `${base}/`).href;

/** Removes a model's files. */
export async function removeFiles({ files }: KeptModel): Promise<void> {
  if (!hasCache()) return;
  const store = await cache();
  await Promise.all(files.map((file) => store.delete(keyOf(file))));
}
