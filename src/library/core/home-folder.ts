import { lstatSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

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

/** Of what is never there. */
const nowhere = '/nonexistent';

/** The environment's or the system's word; null for a user without an entry in the list of users and without HOME. */
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
 * The user's home, under which models, caches and presets are looked for. Users without one (AWS Lambda, OpenShift) have a
 * folder in the temporary folder instead: `earshot-<uid>`, unless it is somebody else's or may be written by others.
 * Never fails; the folder need not exist.
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
