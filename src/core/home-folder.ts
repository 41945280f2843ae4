import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isPrivateFolder } from './private-folder.ts';

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
