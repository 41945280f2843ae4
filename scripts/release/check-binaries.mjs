// Reads the native parts for Linux, and says what would not run on the oldest system that we promise, or should not be
// published: symbols of a newer glibc, a C++ library of the system, names that they show or ask for, paths of this machine.
// Usage: check-binaries.mjs <file or tarball of a system> ...   Ends with 1 when something is wrong.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readElf } from './elf.mjs';
import { addonExports, minimumGlibc } from './platform.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** glibc's. */
const ofSystem = /^(?:lib(?:c|m|dl|pthread|rt)\.so\.\d|ld-linux-(?:x86-64|aarch64)\.so\.\d)$/;

const isNewer = (version, than) => {
  const [a, b] = [version, than].map((each) => each.split('.').map(Number));
  const at = [0, 1, 2].find((index) => (a[index] ?? 0) !== (b[index] ?? 0));
  return at !== undefined && (a[at] ?? 0) > (b[at] ?? 0);
};

/**
 * What is wrong with one of our native files.
 * @param name "earshot.node" or "earshot-confine"
 * @param {Buffer} bytes
 * @param {string} [machine] that it must be for: "x64"
 * @returns a line for each; none when it may be published
 */
export function faultsOf(name, bytes, machine) {
  const { libraries, searched, versions, exported, asked, ...file } = readElf(bytes);
  const isAddon = name === 'earshot.node';
  const faults = [];
  if (machine && file.machine !== machine) faults.push(`is for ${file.machine}, expected ${machine}`);
  for (const library of libraries) if (!ofSystem.test(library)) faults.push(`is linked with ${library}`);
  for (const folder of searched) faults.push(`looks for libraries in ${folder}`);
  for (const version of versions) {
    const [, glibc] = /^GLIBC_(\d[\d.]*)$/.exec(version) ?? [];
    if (glibc === undefined) faults.push(`needs ${version}, which is not glibc's`);
    else if (isNewer(glibc, minimumGlibc)) faults.push(`needs glibc ${glibc}, newer than ${minimumGlibc}`);
  }
  const shown = isAddon ? addonExports : [];
  const extra = exported.filter((each) => !shown.includes(each));
  if (isAddon && extra.length > 0)
    faults.push(`exports ${extra.slice(0, 5).join(', ')} (${extra.length} names too many)`);
  for (const each of shown) if (!exported.includes(each)) faults.push(`does not export ${each}`);
  const unknown = asked.filter((each) => !(isAddon && /^(?:napi|node_api)_/.test(each)));
  if (unknown.length > 0) faults.push(`asks for ${unknown.slice(0, 5).join(', ')}, which no system promises`);
  for (const path of [root, homedir()])
    if (path.length > 1 && bytes.includes(`${path}/`)) faults.push(`holds a path of this machine, ${path}`);
  return faults;
}

/** Our native files in a package, with the processor that its name says. */
function inPackage(path, act) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-check-'));
  try {
    const { status, stderr } = spawnSync('tar', ['-xzf', path, '-C', folder], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${path} cannot be unpacked: ${stderr}`);
    const [, machine] = /^earshot-linux-([a-z0-9]+)-/.exec(basename(path)) ?? [];
    for (const name of readdirSync(join(folder, 'package')).filter((each) => /^earshot(?:\.node|-confine)$/.test(each)))
      act(join(folder, 'package', name), machine);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let checked = 0;
  let wrong = 0;
  for (const given of process.argv.slice(2)) {
    const check = (path, machine) => {
      const faults = faultsOf(basename(path), readFileSync(path), machine);
      checked++;
      if (faults.length > 0) wrong++;
      console.log([`${given}: ${basename(path)} ${faults.length === 0 ? 'ok' : 'is wrong'}`, ...faults].join('\n  '));
    };
    if (given.endsWith('.tgz')) inPackage(resolve(given), check);
    else check(resolve(given));
  }
  if (checked === 0) console.error('check-binaries: Expected earshot.node or earshot-confine, or packages of them');
  process.exit(checked === 0 || wrong > 0 ? 1 : 0);
}
