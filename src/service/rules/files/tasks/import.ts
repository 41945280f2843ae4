import { AbortError } from '../../../../library/core/abort.ts';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { requireDiskRoom } from '../disk-room.ts';
import type { RequestBound, StoredFile } from '../stored-file.ts';
import { requireRoomForSize } from '../../accounts/quotas.ts';
import { toStored, type StoredError } from '../../shared/stored-error.ts';
import { contentTypeFor } from '../names.ts';
import { arrivalKey } from '../object-keys.ts';
import { requestTooLarge } from '../request-size.ts';
import { createOwnerQueues } from './owner-queues.ts';
import type { FileTaskHandlers, FileTaskDeps } from './deps.ts';
import { watchFile } from './while-wanted.ts';

interface Fetched {
  readonly objectKey: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filename: string;
  readonly contentType: string;
}

export function createImport(deps: FileTaskDeps): FileTaskHandlers['importFile'] {
  const { files, objects, config, log } = deps;
  const inOwnerQueue = createOwnerQueues((waiting) =>
    log.info({ waiting }, 'Imports wait for the next reconciliation of the queue'),
  );

  const importOne = async (id: string, signal: AbortSignal): Promise<void> => {
    const file = await files.get(id);
    if (!waitsForFetch(file)) return;
    const outcome = await fetchWhileWanted(deps, file, signal);
    if (outcome === 'unwanted') return;
    if ('code' in outcome) {
      await files.update(id, ['processing'], { status: 'invalid', error: outcome });
      return;
    }
    const { objectKey, sizeBytes, sha256, filename, contentType } = outcome;
    // The link is deleted: it may contain a secret.
    const upload = { mode: 'import', partSizeBytes: null, partCount: null } as const;
    try {
      const taken = await files.update(
        id,
        ['processing'],
        { objectKey, sizeBytes, sha256, filename, contentType, upload },
        'check',
        (usage) => requireRoomForSize(usage, config),
      );
      if (taken === null) await objects.remove(objectKey);
    } catch (thrown) {
      if (!(thrown instanceof EarshotError) || thrown.code !== 'limit_exceeded') throw thrown;
      await objects.remove(objectKey);
      await files.update(id, ['processing'], {
        status: 'invalid',
        error: toStored(thrown),
      });
    }
  };

  /** One fetch at a time for each account or visitor. */
  return async (id, signal) => {
    const file = await files.get(id);
    if (waitsForFetch(file)) await inOwnerQueue(file.accountId ?? file.visitor ?? file.id, id, signal, importOne);
  };
}

const waitsForFetch = (file: StoredFile | null): file is StoredFile =>
  file?.status === 'processing' && file.objectKey === null && file.upload?.mode === 'import';

/** The bytes, or the error to store. @throws AbortError when the worker shuts down; database errors */
async function fetchWhileWanted(
  deps: FileTaskDeps,
  file: StoredFile,
  signal: AbortSignal,
): Promise<Fetched | StoredError | 'unwanted'> {
  const { files, config, log } = deps;
  const watch = watchFile(files, file, waitsForFetch);
  const { unwanted } = watch;
  const timeout = AbortSignal.timeout(config.importSeconds * 1000);
  try {
    return await fetchLink(deps, file, AbortSignal.any([signal, unwanted, timeout]));
  } catch (thrown) {
    if (signal.aborted) throw new AbortError();
    if (unwanted.aborted) return 'unwanted';
    if (timeout.aborted)
      return { code: 'fetch_failed', message: `Fetching the link took longer than ${config.importSeconds} s` };
    if (thrown instanceof EarshotError) return toStored(thrown);
    log.error({ err: thrown, fileId: file.id }, 'An import failed');
    return { code: 'internal_error', message: 'The file could not be stored; import it again' };
  } finally {
    await watch.stop();
  }
}

async function fetchLink(
  { files, links, objects, config }: FileTaskDeps,
  file: StoredFile,
  signal: AbortSignal,
): Promise<Fetched> {
  const link = file.upload?.link;
  if (link === undefined) throw new EarshotError('internal_error', 'The link of this import was deleted');
  const left = link.request === undefined ? Infinity : await leftOf(link.request, files);
  const maxBytes = Math.min(config.maxFileBytes, left);
  const inRequest = (thrown: unknown): Error =>
    link.request !== undefined && left <= config.maxFileBytes && EarshotError.from(thrown).code === 'file_too_large'
      ? requestTooLarge(link.request.bytes, file.accountId !== null)
      : (thrown as Error);
  const fetched = await links.fetch(new URL(link.url), { maxBytes, signal }).catch((thrown: unknown) => {
    throw inRequest(thrown);
  });
  try {
    await requireDiskRoom(objects, config, fetched.sizeBytes ?? 0);
    const objectKey = arrivalKey(file.id);
    const written = await objects.write(objectKey, fetched.body, { maxBytes, signal }).catch((thrown: unknown) => {
      throw inRequest(thrown);
    });
    const filename = link.named ? file.filename : (fetched.filename ?? file.filename);
    return { objectKey, ...written, filename, contentType: contentTypeFor(filename, fetched.contentType) };
  } finally {
    fetched.body.destroy();
  }
}

/** Bytes that a request has left for one of its links, after the files before it. */
async function leftOf(
  { bytes, earlier }: RequestBound,
  files: Pick<FileTaskDeps['files'], 'getMany'>,
): Promise<number> {
  const known = await files.getMany(earlier);
  return Math.max(0, bytes - known.reduce((sum, file) => sum + (file?.sizeBytes ?? 0), 0));
}
