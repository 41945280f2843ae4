import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { FileStore } from './file-store.ts';
import type { ObjectStore, UploadInParts } from './object-store.ts';
import type { StoredFile } from './stored-file.ts';
import type { Tokens } from '../shared/tokens.ts';
import type { FilesDeps } from './deps.ts';
import { deleted, expired, requireAwaiting } from './guards.ts';
import { uploadOf } from './part-uploads.ts';

/** The records of files whose bytes are arriving. */
export class ArrivingFiles {
  private readonly files: FileStore;
  private readonly objects: ObjectStore;
  private readonly tokens: Tokens;
  private readonly now: () => Date;

  constructor({ files, objects, tokens }: Pick<FilesDeps, 'files' | 'objects' | 'tokens'>, now: () => Date) {
    this.files = files;
    this.objects = objects;
    this.tokens = tokens;
    this.now = now;
  }

  /** @throws EarshotError not_found, file_expired */
  async byToken(token: string): Promise<StoredFile> {
    const at = this.now();
    const reading = await this.tokens.read('upload', token, at);
    if (!reading.ok && reading.reason === 'expired')
      throw new EarshotError('file_expired', 'This upload link has expired', {
        nextAction: 'Create the file again for a new link.',
      });
    const file = reading.ok ? await this.files.get(reading.id) : null;
    if (file === null)
      throw new EarshotError('not_found', 'There is no such upload link', {
        nextAction: 'Check that the link is complete.',
      });
    if (file.expiresAt <= at) throw expired(file);
    return file;
  }

  async awaiting(token: string): Promise<StoredFile & { readonly sizeBytes: number }> {
    const file = await this.byToken(token);
    requireAwaiting(file);
    const { sizeBytes } = file;
    if (sizeBytes === null || file.upload === null)
      throw new EarshotError('conflict', `The file ${file.id} has no name and size yet`, {
        details: { id: file.id },
        nextAction: 'Name the file with its filename and sizeBytes first.',
      });
    return { ...file, sizeBytes };
  }

  /**
   * Loads the record again after the arrival was registered: a deletion marks the record first and then stops
   * registered arrivals.
   */
  async stillAwaiting(file: StoredFile): Promise<StoredFile> {
    const current = await this.files.get(file.id);
    if (current === null) throw deleted(file);
    requireAwaiting(current);
    return current;
  }

  /** All bytes have arrived; the first of several concurrent uploads wins. */
  async arrived(file: StoredFile, objectKey: string, sha256: string | null): Promise<StoredFile | null> {
    return await this.files.update(file.id, ['awaiting_upload'], { status: 'processing', objectKey, sha256 }, 'check');
  }

  /**
   * The file, after checking whether its bytes have arrived: a PUT to the store is not announced. While the store is
   * unreachable, the file still awaits its upload.
   */
  async looked(file: StoredFile): Promise<StoredFile> {
    const upload = uploadOf(file);
    const isDirect = this.objects.direct !== undefined && file.upload?.mode === 'single' && upload !== null;
    if (!isDirect || file.status !== 'awaiting_upload') return file;
    return await this.joinSingle(file, upload).catch((thrown: unknown) => {
      const { code, retryable } = EarshotError.from(thrown);
      // A conflict: it was uploaded again at this moment.
      if (code === 'conflict' || (code === 'internal_error' && retryable)) return file;
      throw thrown;
    });
  }

  private async joinSingle(file: StoredFile, upload: UploadInParts): Promise<StoredFile> {
    const receipts = (await this.objects.direct?.parts(upload)) ?? null;
    if (receipts === null) {
      // Already joined but not recorded: the process that joined it has died.
      if ((await this.objects.stat(upload.key))?.sizeBytes !== file.sizeBytes) return file;
    } else {
      const [only, ...others] = receipts;
      if (only?.sizeBytes !== file.sizeBytes || others.length > 0) return file;
      await this.objects.completeUpload(upload, receipts);
    }
    return (await this.arrived(file, upload.key, null)) ?? (await this.takenOver(file, upload.key));
  }

  /** Another request was faster after the join: a file that is gone, or has other bytes, does not need these. */
  async takenOver(file: StoredFile, key: string): Promise<StoredFile> {
    const current = await this.superseded(file).catch(async (thrown: unknown) => {
      await this.objects.remove(key);
      throw thrown;
    });
    if (current.objectKey !== key) await this.objects.remove(key);
    return current;
  }

  /** The file after another request has changed it. @throws EarshotError file_expired */
  async superseded(file: StoredFile): Promise<StoredFile> {
    const current = await this.files.get(file.id);
    if (current === null || current.status === 'deleted') throw deleted(file);
    return current;
  }
}
