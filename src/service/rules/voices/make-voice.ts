// The queued work on voices: makes the print of a recording.
import { isAbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { MediaWork } from '../../../library/contract/media-work.ts';
import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { Log } from '../shared/log.ts';
import type { QueueHandler } from '../shared/queue-handler.ts';
import { retryOnce } from '../files/tasks/retry-once.ts';
import type { StoredError } from '../shared/stored-error.ts';
import type { VoiceStore } from './voice-store.ts';

export interface MakeVoiceDeps {
  readonly voices: Pick<VoiceStore, 'waiting' | 'finish'>;
  readonly files: Pick<FileStore, 'get'>;
  readonly objects: Pick<ObjectStore, 'checkOut'>;
  readonly media: Pick<MediaWork, 'voicePrint'>;
  readonly log: Log;
}

/** Idempotent, as all handlers of the queue. What is logged has neither the name nor the print. */
export function createMakeVoice({ voices, files, objects, media, log }: MakeVoiceDeps): QueueHandler {
  return async (id, signal) => {
    const voice = await voices.waiting(id);
    if (voice === null) return;
    const file = await files.get(voice.fileId);
    if (file === null || file.objectKey === null || file.accountId !== voice.accountId)
      return await voices.finish(id, { error: { code: 'file_expired', message: 'The recording was deleted' } });
    const { objectKey } = file;
    try {
      const print = await retryOnce(async () => {
        const local = await objects.checkOut(objectKey);
        try {
          return await media.voicePrint(local.path, file.filename, voice.ranges, signal, voice.accountId);
        } finally {
          await local.release();
        }
      });
      await voices.finish(id, { print });
    } catch (thrown) {
      if (signal.aborted || isAbortError(thrown)) throw thrown;
      const { code, message } = EarshotError.from(thrown);
      const told =
        code === 'bad_request' || code === 'ranges_outside' || code === 'file_invalid' || code === 'no_audio';
      if (!told) log.error({ err: thrown, voiceId: id }, 'A voice print could not be made');
      const error: StoredError = told
        ? { code, message }
        : { code: 'internal_error', message: 'The print could not be made; delete the voice and add it again' };
      await voices.finish(id, { error });
    }
  };
}
