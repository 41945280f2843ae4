import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { searchFolders } from '../../models/folders.ts';
import { knownModels, recordName } from '../../models/manifest.ts';

/** Ids of the installed models; a model that was added from a hub with its revision. */
export function installedModelIds(modelsDir?: string): readonly string[] {
  const known = new Set(knownModels().map(({ id }) => id));
  const ids = searchFolders(modelsDir).flatMap((folder) => {
    let names: string[] = [];
    try {
      names = readdirSync(folder);
    } catch {
      // No model was installed there.
    }
    return names.flatMap((name) => (known.has(name) ? [name] : addedIn(folder, name)));
  });
  return [...new Set(ids)].toSorted();
}

function addedIn(folder: string, name: string): readonly string[] {
  try {
    const text = readFileSync(join(folder, name, recordName), 'utf8');
    const { id, revision } = JSON.parse(text) as Record<string, unknown>;
    if (id !== name) return [];
    return [typeof revision === 'string' ? `${name}@${revision.slice(0, 12)}` : name];
  } catch {
    return [];
  }
}
