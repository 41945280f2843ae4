import type { Readable } from 'node:stream';
import type { StoredFile } from './stored-file.ts';

/** A file with its bytes. */
export interface OpenedFile {
  readonly file: StoredFile;
  readonly sizeBytes: number;
  read(range?: { readonly start: number; readonly end: number }): Promise<Readable>;
}
