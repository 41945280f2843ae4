// Yarn's Plug'n'Play: there is no node_modules; a hook in the process knows the archive of each package. Job processes get it,
// and may read those archives.
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Locator {
  readonly name: string | null;
  readonly reference: string | null;
}

/** What we use of https://yarnpkg.com/advanced/pnpapi. */
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
    // We are in a node_modules folder all the same.
    return null;
  }
}

const loaderOf = ({ file }: PlugAndPlay): string => join(dirname(file), '.pnp.loader.mjs');

/**
 * What a Node is told so that it finds packages as this process does.
 * @param environment its own, which may say so already
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
 * What a process that was told so reads for the package at this place: the hook, and where that package lies and all that
 * it depends on, archives by their files.
 */
export function hookedPaths(packageRoot: string, hook = ownHook()): readonly string[] {
  if (hook === null) return [];
  const { map } = hook;
  const own = map.findPackageLocator(join(packageRoot, 'package.json'));
  // package.json: Node looks of what kind the hook is.
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
