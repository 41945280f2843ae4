// Packages that come with the weights (`earshot-models`). Measuring and cutting need neither.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { packageFolder } from './folders.ts';

/**
 * Imports the first of these packages that is installed, beside the weights or here. Also works with package managers
 * that let a package see only its own dependencies.
 * @throws Error with the code MODULE_NOT_FOUND when none is installed
 */
export async function importCompanion(...names: readonly string[]): Promise<unknown> {
  const folder = packageFolder();
  const places = [
    ...(folder === null ? [] : [createRequire(pathToFileURL(`${folder}/package.json`))]),
    createRequire(import.meta.url),
  ];
  let missing: unknown;
  for (const name of names)
    for (const place of places) {
      let path: string;
      try {
        path = place.resolve(name);
      } catch (thrown) {
        missing ??= thrown;
        continue;
      }
      return import(pathToFileURL(path).href);
    }
  throw missing;
}
