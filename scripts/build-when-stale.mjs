// Builds dist unless it is newer than all that it is made of: `npm ci` has built it a moment ago where CI runs.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { npmCommand } from './npm.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const sources = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** When something in there changed last, in milliseconds; a folder changes with the names in it. */
function changedAt(path) {
  const { mtimeMs } = statSync(root + path);
  if (!statSync(root + path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(root + path).map((name) => changedAt(`${path}/${name}`)));
}

/** When the last step of a build ended: bundle-types.mjs. */
const built = statSync(`${root}dist/client.d.cts`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (built < Math.max(...sources.map(changedAt))) {
  const [npm, ...first] = npmCommand();
  process.exitCode = spawnSync(npm, [...first, 'run', 'build'], { cwd: root, stdio: 'inherit' }).status ?? 1;
} else console.log('dist is newer than its sources');
