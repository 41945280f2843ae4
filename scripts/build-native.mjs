// Compiles the native addon and the launcher that fences jobs off, into prebuilt/. Needs no network: the Node headers
// are taken from where they already are.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeTree } from './node-headers.mjs';
import { writeSystemCalls } from './system-calls/write.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
writeSystemCalls(root);
const nodedir = nodeTree(root);
// In a published package the recipe lies with the sources (scripts/release/pack.mjs).
const home = existsSync(join(root, 'binding.gyp')) ? root : join(root, 'native');
// No `rebuild`: it would empty build/, where other things are made, too. Make builds again what has changed.
const args = ['configure', 'build', '--release', `--directory=${home}`, `--jobs=${availableParallelism()}`];
if (nodedir) args.push(`--nodedir=${nodedir}`);
else console.error('earshot: no Node headers found locally; node-gyp will try to download them');
// node-gyp comes with npm, which puts it on the path of its scripts.
const missing = spawnSync('node-gyp', ['--version'], { shell: process.platform === 'win32' }).error;
if (missing && !process.env.npm_execpath) {
  const again = spawnSync('npm', ['run', 'install'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exit(again.status ?? 1);
}
const built = spawnSync('node-gyp', args, {
  cwd: root,
  stdio: process.env.CI ? ['ignore', 'ignore', 'inherit'] : 'inherit',
  shell: process.platform === 'win32',
});
if (built.error) {
  console.error(
    `earshot: cannot run node-gyp (${built.error.message}); run this through npm, which brings it: npm rebuild`,
  );
  process.exit(1);
}
if (built.status !== 0) {
  console.error('earshot: the native parts could not be built; they need a C++17 compiler, make and Python 3');
  console.error('  Debian and Ubuntu: apt-get install g++ make python3    macOS: xcode-select --install');
  process.exit(built.status ?? 1);
}
// Under their final names in one step each: processes that run never see one missing or half written.
const target = join(root, 'prebuilt');
mkdirSync(target, { recursive: true });
for (const name of ['earshot.node', 'earshot-confine']) {
  const made = join(home, 'build', 'Release', name);
  if (!existsSync(made)) continue;
  const next = join(target, `${name}.${process.pid}`);
  copyFileSync(made, next);
  renameSync(next, join(target, name));
}
