// Reads the native parts of any system, and says what would not run on the oldest one that we promise, or should not be
// published: functions of a newer system, libraries that it need not have, names that they show or ask for, a signature
// that is not theirs, paths of this machine.
// Usage: check-binaries.mjs <file or tarball of a system> ...   Ends with 1 when something is wrong.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readElf } from './elf.mjs';
import { readMacho } from './macho.mjs';
import { readPe } from './pe.mjs';
import { addonExports, minimumGlibc, minimumMacos, minimumWindows, nodeFunctions, readJson } from './platform.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** glibc's. */
const ofGlibc = /^(?:lib(?:c|m|dl|pthread|rt)\.so\.\d|ld-linux-(?:x86-64|aarch64)\.so\.\d)$/;
/**
 * What the addon takes from macOS and Windows. Nothing in such a file says since when the system has a function: a new
 * name is looked up, and written down when the oldest system that we promise has it.
 */
const systemFunctions = readJson(join(root, 'scripts/release/system-functions.json'));
/** Built in place the addon may be of any version of Node-API that we ask for; names are only added. */
const ofNode = new Set(nodeFunctions(8));

const isNewer = (version, than) => {
  const [a, b] = [version, than].map((each) => each.split('.').map(Number));
  const at = [0, 1, 2].find((index) => (a[index] ?? 0) !== (b[index] ?? 0));
  return at !== undefined && (a[at] ?? 0) > (b[at] ?? 0);
};
const some = (names) => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;

function faultsOfElf(bytes) {
  const { machine, libraries, searched, versions, exported, asked } = readElf(bytes);
  const faults = libraries.filter((each) => !ofGlibc.test(each)).map((each) => `is linked with ${each}`);
  for (const folder of searched) faults.push(`looks for libraries in ${folder}`);
  for (const version of versions) {
    const [, glibc] = /^GLIBC_(\d[\d.]*)$/.exec(version) ?? [];
    if (glibc === undefined) faults.push(`needs ${version}, which is not glibc's`);
    else if (isNewer(glibc, minimumGlibc)) faults.push(`needs glibc ${glibc}, newer than ${minimumGlibc}`);
  }
  return { system: `linux-${machine}`, faults, exported, asked };
}

/** What of a library is not among those that are written down. */
function unknownIn(os, library, names) {
  const known = systemFunctions[os][library];
  if (!known) return [`is linked with ${library}`];
  const unknown = names.filter((each) => !known.includes(each));
  return unknown.length > 0
    ? [`takes ${some(unknown)} from ${library}: is that in ${oldest[os]}? (system-functions.json)`]
    : [];
}
const oldest = { darwin: `macOS ${minimumMacos}`, win32: 'Windows 10' };

function faultsOfMacho(bytes) {
  const { machine, minimum, libraries, searched, exported, fromSystem, asked, coalesced, signature } = readMacho(bytes);
  const faults = libraries.flatMap((each) => unknownIn('darwin', each, fromSystem));
  for (const folder of searched) faults.push(`looks for libraries in ${folder}`);
  if (minimum === null) faults.push('does not say which macOS it needs');
  else if (isNewer(minimum, minimumMacos)) faults.push(`needs macOS ${minimum}, newer than ${minimumMacos}`);
  if (coalesced) faults.push('lets the process swap its functions for others of the same name');
  faults.push(...signature);
  return { system: `darwin-${machine}`, faults, exported, asked };
}

function faultsOfPe(bytes) {
  const { machine, minimum, imports, delayed, exported, protections, symbols } = readPe(bytes);
  const faults = imports.flatMap(([library, names]) => unknownIn('win32', library, names));
  if (isNewer(minimum, minimumWindows)) faults.push(`needs Windows ${minimum}, newer than ${minimumWindows}`);
  for (const each of protections) faults.push(`goes without ${each}`);
  for (const path of symbols) faults.push(`names a file of debugging symbols, ${path}`);
  const late = delayed.filter(([library]) => library.toLowerCase() !== 'node.exe').map(([library]) => library);
  if (late.length > 0) faults.push(`loads ${some(late)} when it needs it`);
  return { system: `win32-${machine}`, faults, exported, asked: delayed.flatMap(([, names]) => names) };
}

/** By what a file begins with. */
const readers = [
  { magic: Buffer.from('\x7fELF', 'latin1'), read: faultsOfElf },
  { magic: Buffer.from([0xcf, 0xfa, 0xed, 0xfe]), read: faultsOfMacho },
  { magic: Buffer.from('MZ', 'latin1'), read: faultsOfPe },
];

/**
 * What is wrong with one of our native files.
 * @param name "earshot.node" or "earshot-confine"
 * @param {Buffer} bytes
 * @param {string} [expected] the system that it must be for: "linux-x64"
 * @returns a line for each; none when it may be published
 */
export function faultsOf(name, bytes, expected) {
  const reader = readers.find(({ magic }) => bytes.subarray(0, magic.length).equals(magic));
  if (!reader) return ['is no program or library for Linux, macOS or Windows'];
  let found;
  try {
    found = reader.read(bytes);
  } catch (error) {
    return [`cannot be read: ${error.message}`];
  }
  const { system, faults, exported, asked } = found;
  if (expected && system !== expected) faults.unshift(`is for ${system}, expected ${expected}`);
  const isAddon = name === 'earshot.node';
  const shown = isAddon ? addonExports : [];
  const extra = exported.filter((each) => !shown.includes(each));
  if (isAddon && extra.length > 0) faults.push(`exports ${some(extra)} (${extra.length} names too many)`);
  for (const each of shown) if (!exported.includes(each)) faults.push(`does not export ${each}`);
  const unknown = asked.filter((each) => !(isAddon && ofNode.has(each)));
  if (unknown.length > 0) faults.push(`asks for ${some(unknown)}, which no system promises`);
  for (const path of [root, homedir(), tmpdir()])
    if (path.length > 1 && bytes.includes(`${path}/`)) faults.push(`holds a path of this machine, ${path}`);
  return faults;
}

/** Our native files in a package, with the system that its name says. */
function inPackage(path, act) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-check-'));
  try {
    const { status, stderr } = spawnSync('tar', ['-xzf', path, '-C', folder], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${path} cannot be unpacked: ${stderr}`);
    const [, system] = /^earshot-([a-z0-9]+-[a-z0-9]+)-/.exec(basename(path)) ?? [];
    for (const name of readdirSync(join(folder, 'package')).filter((each) => /^earshot(?:\.node|-confine)$/.test(each)))
      act(join(folder, 'package', name), system);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let checked = 0;
  let wrong = 0;
  for (const given of process.argv.slice(2)) {
    const check = (path, system) => {
      const faults = faultsOf(basename(path), readFileSync(path), system);
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
