import type { OpenedFile } from './opened-file.ts';
import type { ObjectStore } from './object-store.ts';
import type { StoredFile } from './stored-file.ts';
import { deleted } from './guards.ts';

/** @throws EarshotError file_expired when the bytes were deleted */
export async function openFile(objects: Pick<ObjectStore, 'stat' | 'read'>, file: StoredFile): Promise<OpenedFile> {
  const { objectKey } = file;
  const stat = objectKey === null ? null : await objects.stat(objectKey);
  if (objectKey === null || stat === null) throw deleted(file);
  return { file, sizeBytes: stat.sizeBytes, read: async (range) => await objects.read(objectKey, range) };
}
