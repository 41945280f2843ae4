// In place of node:fs: what the library calls of it, over the files of the run.
import { files } from '../../files/current.ts';
import type { FileStats } from '../../files/tree.ts';

type Encoding = string | { readonly encoding?: string | null } | null | undefined;

export const constants = { R_OK: 4, W_OK: 2, F_OK: 0 };

const partOf = (bytes: ArrayBufferView, offset: number, length: number): Uint8Array =>
  new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset + offset, length);

export const openSync = (path: string, flags?: string): number => files().open(path, flags);
export const closeSync = (handle: number): void => files().close(handle);
export const existsSync = (path: string): boolean => files().exists(path);
export const fstatSync = (handle: number): FileStats => files().openStats(handle);
export const statSync = (path: string): FileStats => files().stats(path);
export const renameSync = (from: string, to: string): void => files().rename(from, to);
export const ftruncateSync = (handle: number, size = 0): void => files().truncate(handle, size);
/** Folders are names alone. */
export const mkdirSync = (): void => undefined;
export const readdirSync = (): string[] => [];

export const readSync = (
  handle: number,
  bytes: ArrayBufferView,
  offset = 0,
  length = bytes.byteLength - offset,
  at: number | null = null,
): number => files().read(handle, partOf(bytes, offset, length), at);

export const writeSync = (
  handle: number,
  bytes: ArrayBufferView | string,
  offset = 0,
  length?: number,
  at: number | null = null,
): number => {
  const data = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  return files().write(handle, partOf(data, offset, length ?? data.byteLength - offset), at);
};

export function rmSync(path: string): void {
  files().remove(path);
}

export function readFileSync(path: string, encoding?: Encoding): Uint8Array | string {
  const bytes = files().readAll(path);
  return encoding === undefined || encoding === null ? Buffer.from(bytes.buffer) : new TextDecoder().decode(bytes);
}

export function writeFileSync(path: string, data: Uint8Array | string): void {
  files().writeAll(path, typeof data === 'string' ? new TextEncoder().encode(data) : data);
}
