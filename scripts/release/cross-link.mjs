// How the addon is linked for each kind of system: two names to the outside, its C++ library inside, nothing of this
// machine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addonExports, minimumMacos, nodeFunctions } from './platform.mjs';
import { runProgram, runZig, zigLibraries } from './zig.mjs';

/** The release of LLVM's linker for macOS that the results were read from: Debian's and Ubuntu's package lld-14. */
const lldVersion = '14.0';

/**
 * @param {{ system: string, target: string, root: string, objects: string, compiled: string[], apiVersion: number,
 *   out: string }} what `objects`: a folder for what is made on the way; `compiled`: what is linked
 */
export const linkAddon = (what) =>
  ({ linux: linkForLinux, darwin: linkForMacos, win32: linkForWindows })[what.system.split('-')[0]](what);

const forLinux = ['-s', '-pthread', '-Wl,-z,relro,-z,now', '-Wl,--gc-sections'];

async function linkForLinux({ target, root, objects, compiled, out }) {
  // Else the addon's own operator new and delete are for everybody, and the process may swap them for others.
  const exports = join(objects, 'exports.map');
  writeFileSync(exports, `{ global: ${addonExports.join('; ')}; local: *; };\n`);
  const args = ['c++', '-target', target, ...forLinux, `-Wl,--version-script=${exports}`, '-shared', '-o', out];
  await runZig([...args, ...compiled], { cwd: root });
}

/** The launcher of job processes, compiled as well. */
export async function linkLauncher({ target, root, flags, sources, out }) {
  await runZig(['cc', '-target', target, ...flags, ...forLinux, '-pie', ...sources, '-o', out], { cwd: root });
}

/** What zig would link this with: it builds its C++ library when it needs it, and names the files. */
async function zigsOwnLink({ target, root, objects, compiled }, more) {
  const args = ['c++', '-target', target, '-s', '-shared', '-o', join(objects, 'by-zig'), ...compiled, ...more];
  const said = await runZig(args, { cwd: root, env: { ZIG_VERBOSE_LINK: '1' } });
  return said
    .split('\n')
    .find((line) => /^(?:zig ld|lld-link) /.test(line))
    .trim()
    .split(/ (?=\S)/);
}

function findLd64() {
  const candidates = process.env.EARSHOT_LD64 ? [process.env.EARSHOT_LD64] : ['ld64.lld-14', 'ld64.lld'];
  const versions = candidates.map((each) => {
    const { status, stdout } = spawnSync(each, ['--version'], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : 'none';
  });
  const at = versions.findIndex((each) => each.includes(`LLD ${lldVersion}.`));
  if (at < 0)
    throw new Error(
      `Expected ld64.lld ${lldVersion} but found ${versions.join(', ')}: apt-get install lld-14, or its path in ` +
        'EARSHOT_LD64',
    );
  return candidates[at];
}

/** zig's own linker for macOS shows every operator new, binds them weakly, and lets nothing be hidden. */
async function linkForMacos(what) {
  const { system, root, objects, compiled, apiVersion, out } = what;
  const ld64 = findLd64();
  const own = await zigsOwnLink(what, ['-Wl,-undefined,dynamic_lookup']);
  const cxx = own.filter((each) => /\/libc\+\+(?:abi)?\.a$/.test(each));
  if (cxx.length !== 2) throw new Error(`Expected two libraries of C++ in zig's link but found ${cxx.join(', ')}`);
  // What macOS has is known by a list of names; ld64.lld wants it where an SDK has it.
  const libraries = join(await zigLibraries(root), 'libc/darwin');
  const sdk = JSON.parse(readFileSync(join(libraries, 'SDKSettings.json'), 'utf8')).MinimalDisplayName;
  mkdirSync(join(objects, 'sdk/usr/lib'), { recursive: true });
  symlinkSync(join(libraries, 'libSystem.tbd'), join(objects, 'sdk/usr/lib/libSystem.tbd'));
  const arch = system.replace('darwin-', '').replace('x64', 'x86_64');
  const forSystem = [
    '-arch',
    arch,
    '-platform_version',
    'macos',
    minimumMacos,
    sdk,
    '-syslibroot',
    join(objects, 'sdk'),
  ];
  const parts = ['-bundle', '-o', out, ...compiled, ...cxx, '-lSystem', '-dead_strip', '-S', '-adhoc_codesign'];
  const shown = addonExports.flatMap((name) => ['-exported_symbol', `_${name}`]);
  const asked = nodeFunctions(apiVersion).flatMap((name) => ['-U', `_${name}`]);
  await runProgram(ld64, [...forSystem, ...parts, ...shown, ...asked], { cwd: root });
}

async function linkForWindows(what) {
  const { system, target, root, objects, out } = what;
  // What the program has that loads the addon.
  const machine = { x64: 'i386:x86-64', arm64: 'arm64' }[system.replace('win32-', '')];
  const list = join(objects, 'node.def');
  const library = join(objects, 'node.lib');
  writeFileSync(list, ['NAME node.exe', 'EXPORTS', ...nodeFunctions(what.apiVersion), ''].join('\n'));
  await runZig(['dlltool', '-m', machine, '-d', list, '-l', library], { cwd: root });
  const hook = join(objects, 'host_program.o');
  await runZig(['cc', '-target', target, '-O2', '-c', 'native/windows/host_program.c', '-o', hook], { cwd: root });
  // zig knows no delay loading; its linker does.
  const [, ...args] = await zigsOwnLink(what, [hook, library]);
  const kept = args.filter((arg) => !/^-(?:OUT|IMPLIB|DEBUG|PDB|PDBALTPATH)(?::|$)/.test(arg));
  const places = [`-OUT:${out}`, `-IMPLIB:${join(objects, 'unused.lib')}`];
  await runZig(['lld-link', ...kept, ...places, '-DELAYLOAD:node.exe', '-Brepro', '-OPT:REF'], { cwd: root });
}
