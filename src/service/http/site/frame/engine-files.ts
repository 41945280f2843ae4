// The files of `earshot/browser`, which run tools in the browsers of people: served under an address that changes with
// them, and kept by browsers for a year.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../../../../library/core/running-files.ts';

export interface EngineFiles {
  /** Of their content. */
  readonly version: string;
  /** Paths below their address: "browser.js", "browser/worker.js". */
  readonly names: readonly string[];
  /** @param name one of them */
  read(name: string): Promise<Buffer>;
}

/** Of the page's script, and the folder of its worker. */
const entry = 'browser.js';
const folder = 'browser';

/** @returns null where they are not built; a checkout has them after `npm run build:wasm` and `npm run build` */
export function findEngine(dist = packagePath('dist')): EngineFiles | null {
  if (![entry, `${folder}/worker.js`, `${folder}/earshot.wasm`].every((name) => existsSync(join(dist, name))))
    return null;
  const names = [entry, ...readdirSync(join(dist, folder)).map((name) => `${folder}/${name}`)].toSorted((a, b) =>
    a.localeCompare(b),
  );
  const hash = createHash('sha256');
  for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(dist, name)));
  return { version: hash.digest('hex').slice(0, 10), names, read: (name) => readFile(join(dist, name)) };
}
