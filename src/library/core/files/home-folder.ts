import { lstatSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Makes the folder if missing, and tells whether only this user can write to it: a writer decides what code runs and
 * which options apply.
 */
export function isPrivateFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(path);
    // Windows separates users' folders itself.
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}

/** For a path that never exists. */
const nowhere = '/nonexistent';

/** From the environment or the system; null for a user without an entry in the user list and without HOME. */
function ownHome(): string | null {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

const fallBacks = new Map<string, string>();

/**
 * The user's home, for models, caches and presets. Users without one (AWS Lambda, OpenShift) get a folder
 * `earshot-<uid>` in the temporary folder, unless others own it or can write to it. Never fails; the folder need not
 * exist.
 */
export function homeFolder(): string {
  const home = ownHome();
  if (home !== null) return home;
  const path = join(tmpdir(), `earshot-${process.getuid?.() ?? 'user'}`);
  const known = fallBacks.get(path);
  if (known !== undefined) return known;
  const chosen = isPrivateFolder(path) ? path : nowhere;
  fallBacks.set(path, chosen);
  return chosen;
}
