// Builds the native parts for other systems, and for older ones of this kind, with zig's Clang on this machine:
// build/cross/<system>/earshot.node and earshot-confine. What is compiled, and how, comes from native/binding.gyp;
// building in place (scripts/build-native.mjs) uses the same file with this machine's compiler.
// Usage: cross.mjs [system ...; default: all that it can]   zig is $EARSHOT_ZIG, `zig`, or Python's package ziglang.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { nodeTree } from '../node-headers.mjs';
import { faultsOf } from './check-binaries.mjs';
import { addonExports, minimumGlibc } from './platform.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const native = join(root, 'native');
/** The one that the tests and the figures of speed are of. */
const zigVersion = '0.15.2';

/** What zig calls a system that we build for. */
const targets = {
  'linux-x64': `x86_64-linux-gnu.${minimumGlibc}`,
  'linux-arm64': `aarch64-linux-gnu.${minimumGlibc}`,
};
export const crossSystems = Object.keys(targets);

/** The command that starts zig, of the version that we know. */
function findZig() {
  const candidates = process.env.EARSHOT_ZIG ? [[process.env.EARSHOT_ZIG]] : [['zig'], ['python3', '-m', 'ziglang']];
  const found = candidates.map(([command, ...args]) => {
    const { status, stdout } = spawnSync(command, [...args, 'version'], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : 'none';
  });
  const at = found.indexOf(zigVersion);
  if (at < 0)
    throw new Error(
      `Expected zig ${zigVersion} but found ${found.join(', ')}: ` +
        `python3 -m pip install ziglang==${zigVersion}, or its path in EARSHOT_ZIG`,
    );
  return candidates[at];
}

/** A gyp file is YAML: quoted words in brackets, with comments. */
function recipe() {
  const { targets: all, conditions } = parse(readFileSync(join(native, 'binding.gyp'), 'utf8'));
  const [addon] = all;
  const [launcher] = conditions.find(([when]) => when === "OS=='linux'")[1].targets;
  return { addon, launcher };
}

async function run([command, ...first], args) {
  const child = spawn(command, [...first, ...args], { cwd: native, stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((next, fail) => child.once('exit', next).once('error', fail));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
}

/** As many at a time as there are cores. */
async function eachOf(list, act) {
  const pending = [...list];
  const worker = async () => {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/**
 * Builds for one system.
 * @returns the folder of earshot.node and, for Linux, earshot-confine
 * @throws Error when there is no such target, no zig of our version or no Node headers, when it does not compile, or when
 *   it asks more of a system than we promise (check-binaries.mjs)
 */
export async function crossBuild(system) {
  const target = targets[system];
  if (!target) throw new Error(`Expected one of ${crossSystems.join(', ')} but got ${system}`);
  const zig = findZig();
  const tree = nodeTree(root);
  if (!tree) throw new Error('No Node headers on this machine: npm ci brings them with the dev dependency `node`');
  const { addon, launcher } = recipe();
  const out = join(root, 'build/cross', system);
  const objects = join(out, 'objects');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(objects, { recursive: true });

  // No paths of this machine in what is published.
  const common = ['-target', target, '-fPIC', '-pthread', `-ffile-prefix-map=${root}=`, '-fno-sanitize=undefined'];
  const api = createRequire(import.meta.url)('node-addon-api').include_dir;
  const forAddon = [
    ...common,
    ...addon.cflags_cc,
    // node-gyp gives these by itself.
    '-fno-rtti',
    '-fno-strict-aliasing',
    ...[...addon.defines, 'BUILDING_NODE_EXTENSION', 'NODE_GYP_MODULE_NAME=earshot'].map((each) => `-D${each}`),
    `-I${join(tree, 'include/node')}`,
    `-I${resolve(api)}`,
  ];
  const object = (source) => join(objects, `${source.replaceAll('/', '_')}.o`);
  await eachOf(addon.sources, (source) =>
    run(zig, ['c++', ...forAddon, '-c', source, '-o', relative(native, object(source))]),
  );
  const link = ['-target', target, '-s', '-pthread', '-Wl,-z,relro,-z,now'];
  // Else the addon's own operator new and delete are for everybody, and the process may swap them for others.
  const exports = join(objects, 'exports.map');
  writeFileSync(exports, `{ global: ${addonExports.join('; ')}; local: *; };\n`);
  await run(zig, [
    'c++',
    ...link,
    `-Wl,--version-script=${exports}`,
    '-shared',
    '-o',
    join(objects, 'earshot.node'),
    ...addon.sources.map(object),
  ]);
  await run(zig, [
    'cc',
    ...common,
    ...launcher.cflags_c,
    ...link,
    '-pie',
    ...launcher.sources,
    '-o',
    join(objects, 'earshot-confine'),
  ]);
  for (const name of ['earshot.node', 'earshot-confine']) renameSync(join(objects, name), join(out, name));
  rmSync(objects, { recursive: true });
  for (const name of ['earshot.node', 'earshot-confine']) {
    const faults = faultsOf(name, readFileSync(join(out, name)), system.replace('linux-', ''));
    if (faults.length > 0) throw new Error(`${join(out, name)} may not be published:\n  ${faults.join('\n  ')}`);
  }
  return out;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const system of process.argv.length > 2 ? process.argv.slice(2) : crossSystems)
    console.log(await crossBuild(system));
