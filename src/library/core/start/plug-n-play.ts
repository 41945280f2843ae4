// Yarn's Plug'n'Play: without node_modules, a hook in the process knows the archive of each package. Job processes get
// the hook and may read the archives.
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Locator {
  readonly name: string | null;
  readonly reference: string | null;
}

/** The part we use of https://yarnpkg.com/advanced/pnpapi. */
export interface PackageMap {
  findPackageLocator(path: string): Locator | null;
  getPackageInformation(locator: Locator): {
    readonly packageLocation: string;
    readonly packageDependencies: ReadonlyMap<string, string | readonly [string, string] | null>;
  } | null;
  resolveVirtual?(path: string): string | null;
}

export interface PlugAndPlay {
  /** The file that holds the hook. */
  readonly file: string;
  readonly map: PackageMap;
}

/** null: this process has no such hook. */
function ownHook(): PlugAndPlay | null {
  if (process.versions['pnp'] === undefined) return null;
  try {
    const require = createRequire(import.meta.url);
    return { file: require.resolve('pnpapi'), map: require('pnpapi') as PackageMap };
  } catch {
    // The package is in a node_modules folder after all.
    return null;
  }
}

const loaderOf = ({ file }: PlugAndPlay): string => join(dirname(file), '.pnp.loader.mjs');

/**
 * Node options that make a process find packages as this one does.
 * @param environment its own, which may contain them already
 */
export function packageHooks(
  environment: Readonly<Record<string, string | undefined>>,
  hook = ownHook(),
): readonly string[] {
  if (hook === null || environment['NODE_OPTIONS']?.includes(hook.file) === true) return [];
  const loader = loaderOf(hook);
  // Yarn makes it for projects with ES modules.
  const forModules = existsSync(loader) ? ['--experimental-loader', pathToFileURL(loader).href] : [];
  return ['--require', hook.file, ...forModules];
}

/**
 * The files that such a process reads for the package at this path: the hook, the package and all its dependencies,
 * archives by their files.
 */
export function hookedPaths(packageRoot: string, hook = ownHook()): readonly string[] {
  if (hook === null) return [];
  const { map } = hook;
  const own = map.findPackageLocator(join(packageRoot, 'package.json'));
  // package.json tells Node the module type of the hook.
  const besideHook = ['.pnp.data.json', 'package.json'].map((name) => join(dirname(hook.file), name));
  const paths = new Set([hook.file, loaderOf(hook), ...besideHook].filter((path) => existsSync(path)));
  const pending = own === null ? [] : [own];
  const seen = new Set<string>();
  for (let locator = pending.pop(); locator !== undefined; locator = pending.pop()) {
    const key = `${locator.name}@${locator.reference}`;
    const found = seen.has(key) ? null : map.getPackageInformation(locator);
    seen.add(key);
    if (found === null) continue;
    const place = map.resolveVirtual?.(found.packageLocation) ?? found.packageLocation;
    const [archive] = /^.*?\.zip(?=[/\\])/.exec(place) ?? [];
    paths.add(
      archive !== undefined && statSync(archive, { throwIfNoEntry: false })?.isFile() === true ? archive : place,
    );
    for (const [name, to] of found.packageDependencies)
      if (to !== null)
        pending.push(typeof to === 'string' ? { name, reference: to } : { name: to[0], reference: to[1] });
  }
  return [...paths];
}
