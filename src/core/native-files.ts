import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packagePath } from './running-files.ts';

/** This system as our packages call it: "linux-x64". */
export const systemName = `${process.platform}-${process.arch}`;

/**
 * Where one of our native files lies: built in this checkout or installation, or in the package for this system
 * (`earshot-linux-x64`), which package managers choose by system and C library.
 * @param name "earshot.node"
 * @returns null where there is none
 */
export function nativeFile(name: string): string | null {
  const built = packagePath(join('prebuilt', name));
  if (existsSync(built)) return built;
  try {
    const { resolve } = createRequire(import.meta.url);
    const path = join(dirname(resolve(`earshot-${systemName}/package.json`)), name);
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}
