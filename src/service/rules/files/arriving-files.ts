import { EarshotError } from '../../../library/core/errors.ts';
import type { FileStore } from '../ports.ts';
import type { StoredFile } from '../records.ts';
import type { Tokens } from '../tokens.ts';
import type { FilesDeps } from './deps.ts';
import { deleted, expired, requireAwaiting } from './guards.ts';

/** The records of files whose bytes are arriving. */
export class ArrivingFiles {
  private readonly files: FileStore;
  private readonly tokens: Tokens;
  private readonly now: () => Date;

  constructor({ files, tokens }: Pick<FilesDeps, 'files' | 'tokens'>, now: () => Date) {
    this.files = files;
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

  /** The file after another request has changed it. @throws EarshotError file_expired */
  async superseded(file: StoredFile): Promise<StoredFile> {
    const current = await this.files.get(file.id);
    if (current === null || current.status === 'deleted') throw deleted(file);
    return current;
  }
}
