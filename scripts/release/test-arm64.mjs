// Earshot on arm64, emulated by qemu on this machine (Debian), on a processor with dot products and on one with
// matrix products and SME as well: the kernels' tests, then the packages' fourteen tools, whose outputs are compared
// with those of this machine. Prints a table; ends with 1 when something fails. For nights: it takes hours.
// Usage: npm run test:arm64 -- [--processors neoverse-n1,max] [--only kernels|tools] [--keep: leaves what it made]
//   [--tools voice,align: only these runs of system-trial.mjs; default all]
//   [--packages <folder>: what `pack.mjs --systems linux-x64,linux-arm64` made; default: made anew]
//   [test files in place of test/library/kernels]      Needs qemu-user-static and what cross.mjs needs.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyForTests } from '../copy-for-tests.mjs';
import { crossBuild } from './cross.mjs';
import { emulatedNode } from './emulated-arm64.mjs';
import { startRegistry } from './local-registry.mjs';
import { readJson } from './platform.mjs';
import { installEarshot, packFor, prepareInputs, tryTools } from './trial-projects.mjs';
import { report } from './trial-report.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const place = join(root, 'build/arm64');
const { values, positionals: tests } = parseArgs({
  options: {
    processors: { type: 'string', default: 'neoverse-n1,max' },
    only: { type: 'string' },
    tools: { type: 'string' },
    packages: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (tests.length === 0) tests.push('test/library/kernels');
const { version } = readJson(join(root, 'node_modules/node/package.json'));
const hours = 4;

/** What is networks, codecs or an average rounds elsewhere on another processor: the table in docs/releases.md. */
function toleranceOf(tool, file) {
  // Times and levels in what a tool says. ONNX Runtime has other code for a recogniser's 8-bit encoder on each kind of
  // processor: its words and times are the same, its confidences nearly.
  if (file.endsWith('.json')) return { numbers: 0.02, confidences: 0.05 };
  // libopus has code of its own for arm64, which decides otherwise: what is lost is another part of what is not heard.
  if (file.endsWith('.opus')) return { bytes: true, decibelsBelow: 30 };
  if (['noise', 'voice', 'to mp3', 'to m4a'].includes(tool)) return { bytes: true, steps: 8 };
  return { bytes: true, steps: 1, share: 0.001 };
}

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

/** @returns how many failed: 0 or 1 */
function tryKernels(node) {
  const copy = join(place, 'project');
  copyForTests(copy, ['test/library/kernels', ...tests]);
  cpSync(join(root, 'build/cross/linux-arm64'), join(copy, 'prebuilt'), { recursive: true });
  // An emulated Node takes so long to start that the runner gives up on one of many.
  const oneProcess = ['--no-isolate', '--maxWorkers=1'];
  const command = [join(place, 'node_modules/vitest/vitest.mjs'), 'run', '--root', copy, ...oneProcess, ...tests];
  return spawnSync(node, command, { cwd: copy, stdio: 'inherit' }).status === 0 ? 0 : 1;
}

/** @returns how many steps failed */
async function tryEveryTool(node, processor, { folder, here, address }) {
  const there = join(folder, processor);
  await installEarshot(there, 'linux-arm64', address);
  // The launcher of fenced jobs asks the kernel for what an emulated program cannot have.
  await tryTools(node, there, '../in', { seconds: hours * 3600, confinement: 'off', only: values.tools });
  return report({ name: 'x64', project: here }, { name: 'arm64', project: there }, toleranceOf);
}

mkdirSync(place, { recursive: true });
const emulated = values.processors
  .split(',')
  .map((processor) => [processor, emulatedNode(join(place, 'emulated'), version, processor)]);
let failures = 0;
if (values.only !== 'tools') {
  await crossBuild('linux-arm64');
  installPackages();
  for (const [processor, node] of emulated) {
    console.log(`\n${processor}: ${tests.join(' ')}`);
    failures += tryKernels(node);
  }
}
if (values.only !== 'kernels') {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-arm64-'));
  try {
    const packages = resolve(values.packages ?? join(folder, 'packages'));
    if (values.packages === undefined) packFor(['linux-x64', 'linux-arm64'], packages);
    await prepareInputs(join(folder, 'in'));
    const registry = await startRegistry(packages);
    try {
      const here = join(folder, 'here');
      await installEarshot(here, 'linux-x64', registry.address);
      await tryTools(process.execPath, here, '../in', { only: values.tools });
      for (const [processor, node] of emulated) {
        console.log(`\n${processor}, Node ${version}, beside this machine's x64\n`);
        failures += await tryEveryTool(node, processor, { folder, here, address: registry.address });
      }
    } finally {
      registry.close();
    }
  } finally {
    if (values.keep) console.log(`\nLeft in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}
process.exitCode = failures > 0 ? 1 : 0;
