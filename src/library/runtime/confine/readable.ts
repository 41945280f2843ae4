// What every job process reads: Node and the system's libraries, our code and the packages it uses, model files.
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../../core/running-files.ts';
import { cacheFolder, searchFolders } from '../../models/folders.ts';
import { hookedPaths } from '../../core/start/plug-n-play.ts';

/** Libraries, time zones, and what Node, glibc and ONNX Runtime ask of the processor and of memory. */
const system = [
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
  '/usr/local/lib',
  '/usr/share/zoneinfo',
  '/usr/share/locale',
  // Fonts of captions that are drawn, and what says which of them is which.
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  '/usr/share/fontconfig',
  '/var/cache/fontconfig',
  '/etc/fonts',
  '/nix/store',
  '/gnu/store',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/os-release',
  '/etc/ssl/openssl.cnf',
  '/dev/random',
  '/dev/urandom',
  '/dev/zero',
  // Of itself, what Node and the C library ask. Not the folder: it shows the machine's connections, too.
  ...['cgroup', 'fd', 'maps', 'stat', 'statm', 'status'].map((name) => `/proc/self/${name}`),
  '/proc/cpuinfo',
  '/proc/meminfo',
  '/proc/stat',
  '/proc/uptime',
  '/proc/loadavg',
  '/proc/version',
  '/proc/sys/vm/overcommit_memory',
  '/proc/sys/vm/max_map_count',
  '/sys/devices/system/cpu',
  '/sys/devices/system/node',
  '/sys/fs/cgroup',
  '/sys/kernel/mm/transparent_hugepage',
];

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const packageRoot = packagePath('').replace(/[/\\]$/, '');

/** Our code, without what else may be in a checkout: settings, data, histories. */
const ownParts = ['package.json', 'src', 'dist', 'prebuilt', 'models'];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function packages(): string[] {
  const folders: string[] = [];
  // Node looks for packages in every parent folder.
  for (let at = packageRoot; ; at = dirname(at)) {
    if (isFolder(join(at, 'node_modules'))) folders.push(join(at, 'node_modules'));
    if (dirname(at) === at) break;
  }
  const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as Manifest;
  const names = [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap((each) =>
    Object.keys(each ?? {}),
  );
  // A package of a workspace or a linked one lies elsewhere.
  const linked = folders.flatMap((folder) =>
    names
      .map((name) => join(folder, name))
      .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      .map((path) => realpathSync(path)),
  );
  return [...folders, ...linked, ...hookedPaths(packageRoot)];
}

let code: readonly string[] | undefined;
const ownCode = (): readonly string[] => (code ??= [...ownParts.map((part) => join(packageRoot, part)), ...packages()]);

/**
 * The part of these paths that is not the system's and is indispensable: Node, our code, packages, model files.
 * @param node that job processes run on
 */
export const neededPaths = (modelsDir?: string, node = process.execPath): readonly string[] => [
  node,
  ...ownCode(),
  ...searchFolders(modelsDir),
];

/**
 * Absolute paths that every job process may read, with everything below them.
 * @param modelsDir as the engine's option; default: the models' own place
 */
export function readablePaths(modelsDir?: string): readonly string[] {
  return [...new Set([...system, ...ownCode(), ...searchFolders(modelsDir), cacheFolder()])];
}
