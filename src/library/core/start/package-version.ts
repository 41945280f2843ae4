import { readFileSync } from 'node:fs';
import { packagePath } from '../running-files.ts';

/** The version of this package. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { readonly version: string };
  return version;
}
