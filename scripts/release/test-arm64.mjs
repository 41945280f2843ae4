// Tests on arm64, emulated by qemu on this machine (`npm run test:arm64`; Debian or Ubuntu, nightly: an hour or two): the
// kernels, on a processor with dot products and on one with matrix products and SME as well. Native parts are those that
// are published (cross.mjs).
// Usage: test-arm64.mjs [--processors neoverse-n1,max] [test files; default: those of the kernels]
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyForTests } from '../copy-for-tests.mjs';
import { crossBuild } from './cross.mjs';
import { emulatedNode } from './emulated-arm64.mjs';
import { readJson } from './platform.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const place = join(root, 'build/arm64');
const copy = join(place, 'project');
const { values, positionals } = parseArgs({
  options: { processors: { type: 'string', default: 'neoverse-n1,max' } },
  allowPositionals: true,
});

/** What npm installs on that system, beside the copy: kept while the lock file stays as it is. */
function installPackages() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const installed = join(place, 'installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(root, name), join(place, name));
  const args = ['ci', '--ignore-scripts', '--os=linux', '--cpu=arm64', '--libc=glibc', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, { cwd: place, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm could not install the packages for arm64');
  writeFileSync(installed, lock);
}

const built = await crossBuild('linux-arm64');
mkdirSync(place, { recursive: true });
installPackages();
const tests = positionals.length > 0 ? positionals : ['test/kernels'];
copyForTests(copy, ['test/kernels', ...tests]);
cpSync(built, join(copy, 'prebuilt'), { recursive: true });
const { version } = readJson(join(root, 'node_modules/node/package.json'));

/** An emulated Node takes so long to start that the runner gives up on one of many. */
const oneProcess = ['--no-isolate', '--maxWorkers=1'];
const failed = [];
for (const processor of values.processors.split(',')) {
  const node = emulatedNode(join(place, 'emulated'), version, processor);
  const vitest = join(place, 'node_modules/vitest/vitest.mjs');
  console.log(`\n${processor}: ${tests.join(' ')}`);
  const { status } = spawnSync(node, [vitest, 'run', '--root', copy, ...oneProcess, ...tests], {
    cwd: copy,
    stdio: 'inherit',
  });
  if (status !== 0) failed.push(processor);
}
if (failed.length > 0) {
  console.error(`Failed on ${failed.join(', ')}`);
  process.exit(1);
}
