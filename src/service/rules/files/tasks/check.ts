import { isAbortError } from '../../../../library/core/abort.ts';
import type { CheckOutcome } from '../../../../library/contract/media-work.ts';
import type { StoredError } from '../../shared/stored-error.ts';
import type { StoredFile } from '../stored-file.ts';
import type { FileTaskHandlers, FileTaskDeps } from './deps.ts';
import { createOwnerQueues } from './owner-queues.ts';
import { retryOnce } from './retry-once.ts';
import { watchFile } from './while-wanted.ts';

const waitsForCheck = (file: StoredFile | null): boolean => file?.status === 'processing' && file.objectKey !== null;

/** One check at a time for each account or visitor, so that many files of one do not delay the others. */
export function createCheck(deps: FileTaskDeps): FileTaskHandlers['checkFile'] {
  const { files, objects, media, config, log } = deps;
  const inOwnerQueue = createOwnerQueues((waiting) =>
    log.info({ waiting }, 'Checks wait for the next reconciliation of the queue'),
  );

  const inspect = async (file: StoredFile, objectKey: string, signal: AbortSignal): Promise<CheckOutcome> => {
    const local = await objects.checkOut(objectKey);
    deps.onHeld?.(file.id);
    try {
      return await media.check(local.path, file.filename, file.contentType, signal, file.accountId);
    } finally {
      await local.release();
    }
  };

  const refuse = async (file: StoredFile, error: StoredError): Promise<void> => {
    const refused = await files.update(file.id, ['processing'], { status: 'invalid', error, objectKey: null });
    if (refused !== null && file.objectKey !== null) await objects.remove(file.objectKey);
  };

  const checkOne = async (id: string, signal: AbortSignal): Promise<void> => {
    const file = await files.get(id);
    if (file === null || file.status !== 'processing' || file.objectKey === null) return;
    const { objectKey } = file;
    const watch = watchFile(files, file, waitsForCheck);
    let outcome: CheckOutcome;
    try {
      outcome = await retryOnce(() => inspect(file, objectKey, AbortSignal.any([signal, watch.unwanted])));
    } catch (thrown) {
      if (watch.unwanted.aborted && !signal.aborted) return;
      if (signal.aborted || isAbortError(thrown)) throw thrown;
      // An error of ours. The file must not stay in 'processing': the client may upload it again.
      log.error({ err: thrown, fileId: id }, 'A file could not be checked');
      outcome = {
        ok: false,
        error: { code: 'internal_error', message: 'The file could not be checked; upload it again' },
      };
    } finally {
      await watch.stop();
    }
    if (!outcome.ok) return await refuse(file, outcome.error);
    const { contentType, format, durationSeconds, hasVideo, hasAudio, media: facts } = outcome;
    if (durationSeconds !== null && durationSeconds > config.maxSeconds) {
      return await refuse(file, {
        code: 'file_too_long',
        message: `Expected at most ${config.maxSeconds} s but the file is ${Math.ceil(durationSeconds)} s long`,
      });
    }
    await files.update(id, ['processing'], {
      status: 'ready',
      contentType,
      format,
      durationSeconds,
      hasVideo,
      hasAudio,
      media: facts,
      error: null,
    });
  };

  return async (id, signal) => {
    const file = await files.get(id);
    if (file !== null && waitsForCheck(file))
      await inOwnerQueue(file.accountId ?? file.visitor ?? file.id, id, signal, checkOne);
  };
}
