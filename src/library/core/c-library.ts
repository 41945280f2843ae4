import { closeSync, openSync, readSync } from 'node:fs';

/** Is this Node linked with musl (Alpine)? What starts a program is named within its first kilobytes. */
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
    // Nothing is known then, and what does not load says so itself.
    return false;
  }
  return head.includes('/ld-musl-');
}

/**
 * Why nothing can run here because of the system's C library, in a sentence with what to do; null where it can. FFmpeg's
 * libraries, as node-av has them, are built for glibc alone.
 */
export const unfitCLibrary = (): string | null =>
  isMusl()
    ? 'earshot needs glibc, and this Node is built with musl (Alpine). Use a Debian-based image such as node:24-slim.'
    : null;
