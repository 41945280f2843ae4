// Builds the native parts for every system that we publish for on one machine with Linux: build/cross/<system>/. zig's
// Clang compiles; zig links for Linux and Windows, LLVM's ld64.lld for macOS. What is compiled, and how, comes from
// binding.gyp; building in place (scripts/build-native.mjs) uses the same file with this machine's compiler.
// Usage: cross.mjs [system ...; default: all]   Needs zig (zig.mjs) and, for macOS, ld64.lld (cross-link.mjs).
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import nodeAddonApi from 'node-addon-api';
import nodeApi from 'node-api-headers';
import { parse } from 'yaml';
import { faultsOf } from './check-binaries.mjs';
import { linkAddon, linkLauncher } from './cross-link.mjs';
import { minimumGlibc, minimumMacos, nativeFiles, platforms } from './platform.mjs';
import { writeSystemCalls } from '../system-calls/write.mjs';
import { runZig } from './zig.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What zig calls a system: "aarch64-macos.11.0". */
function targetOf(system) {
  const [os, cpu] = system.split('-');
  const rest = { linux: `linux-gnu.${minimumGlibc}`, darwin: `macos.${minimumMacos}`, win32: 'windows-gnu' }[os];
  return `${{ x64: 'x86_64', arm64: 'aarch64' }[cpu]}-${rest}`;
}

/** Clang's order of instructions for any x64 costs some kernels up to a tenth; what they compute is the same. */
const tuning = '-mtune=haswell';

/** A gyp file is YAML: quoted words in brackets, with comments. */
function recipe() {
  const { targets, conditions } = parse(readFileSync(join(root, 'binding.gyp'), 'utf8'));
  const [addon] = targets;
  const [launcher] = conditions.find(([when]) => when === "OS=='linux'")[1].targets;
  return { addon, launcher };
}

/** As many at a time as there are cores. */
async function eachOf(list, act) {
  const pending = [...list];
  const worker = async () => {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/** @returns the objects of the addon */
async function compileAddon({ target, system, common, objects }) {
  const { addon } = recipe();
  const flags = [
    ...common,
    ...addon.cflags_cc.filter((flag) => system.startsWith('linux') || flag !== '-fno-plt'),
    // node-gyp gives these by itself.
    ...(system.endsWith('x64') ? [tuning] : []),
    '-fno-rtti',
    '-fno-strict-aliasing',
    '-DNDEBUG',
    ...[...addon.defines, 'BUILDING_NODE_EXTENSION', 'NODE_GYP_MODULE_NAME=earshot'].map((each) => `-D${each}`),
    // Node's headers of this version everywhere, not those of the Node that runs.
    `-I${nodeApi.include_dir}`,
    `-I${resolve(nodeAddonApi.include_dir)}`,
  ];
  const made = addon.sources.map((source) => [source, join(objects, `${source.replaceAll('/', '_')}.o`)]);
  await eachOf(made, ([source, object]) =>
    runZig(['c++', '-target', target, ...flags, '-c', source, '-o', relative(root, object)], { cwd: root }),
  );
  return made.map(([, object]) => object);
}

/**
 * Builds for one system.
 * @returns the folder of what is published for it (nativeFiles of platform.mjs)
 * @throws Error when we publish nothing for it, when a program is missing, when it does not compile, or
 *   when it asks more of a system than we promise (check-binaries.mjs)
 */
export async function crossBuild(system) {
  if (!platforms.includes(system)) throw new Error(`Expected one of ${platforms.join(', ')} but got ${system}`);
  const target = targetOf(system);
  const out = join(root, 'build/cross', system);
  const objects = join(out, 'objects');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(objects, { recursive: true });
  writeSystemCalls(root);
  // No paths of this machine in what is published. zig adds checks of undefined behaviour unless it is told not to.
  const common = [`-ffile-prefix-map=${root}=`, '-fno-sanitize=undefined'];
  if (!system.startsWith('win32')) common.push('-fPIC', '-pthread');

  const { addon, launcher } = recipe();
  const apiVersion = Number(addon.defines.join().match(/NAPI_VERSION=(\d+)/)[1]);
  const compiled = await compileAddon({ target, system, common, objects });
  const places = { system, target, root, objects };
  await linkAddon({ ...places, compiled, apiVersion, out: join(objects, 'earshot.node') });
  if (nativeFiles(system).includes('earshot-confine'))
    await linkLauncher({
      ...places,
      flags: [...common, ...launcher.cflags_c],
      sources: launcher.sources,
      out: join(objects, 'earshot-confine'),
    });
  for (const name of nativeFiles(system)) {
    const faults = faultsOf(name, readFileSync(join(objects, name)), system);
    if (faults.length > 0) throw new Error(`${name} for ${system} may not be published:\n  ${faults.join('\n  ')}`);
    renameSync(join(objects, name), join(out, name));
  }
  rmSync(objects, { recursive: true });
  return out;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const system of process.argv.length > 2 ? process.argv.slice(2) : platforms)
    console.log(await crossBuild(system));
