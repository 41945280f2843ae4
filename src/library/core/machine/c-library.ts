import { closeSync, openSync, readSync } from 'node:fs';

/** Is this Node linked with musl (Alpine)? A program names its loader within its first kilobytes. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const head = Buffer.alloc(4096);
  try {
    const file = openSync(process.execPath, 'r');
    try {
      readSync(file, head);
    } finally {
      closeSync(file);
    }
  } catch {
    // Unknown. A library that does not load reports it itself.
    return false;
  }
  return head.includes('/ld-musl-');
}

/**
 * Why the system's C library is not supported, in a sentence with what to do; null where it is. node-av's builds of
 * FFmpeg need glibc.
 */
export const unfitCLibrary = (): string | null =>
  isMusl()
    ? 'earshot needs glibc, and this Node is built with musl (Alpine). Use a Debian-based image such as node:24-slim.'
    : null;
