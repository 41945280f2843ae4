import { lstatSync, mkdirSync } from 'node:fs';

/**
 * Makes the folder if need be and says whether it is this user's alone: who can write into a folder of ours decides what
 * code runs and which options count.
 */
export function isPrivateFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(path);
    // Windows keeps a user's folders apart by itself.
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}
