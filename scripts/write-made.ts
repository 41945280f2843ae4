// How scripts write the files that are made from others.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * Writes a file as `npm run format` leaves it; with --check only says when it is stale, and the process ends with 1.
 * @param file from the root of the project
 * @param command that makes it anew
 */
export function writeMade(file: string, source: string, command: string): void {
  const path = root + file;
  const written = execFileSync(`${root}node_modules/.bin/oxfmt`, ['--stdin-filepath', path], {
    input: source,
    encoding: 'utf8',
  });
  if (!process.argv.includes('--check')) writeFileSync(path, written);
  else if (readFileSync(path, 'utf8') !== written) {
    console.error(`${file} is stale: \`${command}\` makes it anew`);
    process.exitCode = 1;
  }
}
