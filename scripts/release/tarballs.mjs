// What lies in a folder of packed packages, and whether it is all that a release needs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';

/** The package.json in a tarball. */
async function manifestOf(tarball) {
  const entries = extract();
  entries.end(gunzipSync(tarball));
  for await (const entry of entries) {
    if (entry.header.name === 'package/package.json') return await json(entry);
    entry.resume();
  }
  throw new Error('a tarball without package.json');
}

/** @returns each tarball of a folder: its name, its bytes and the package.json in it */
export const tarballsIn = (folder) =>
  Promise.all(
    readdirSync(folder)
      .filter((name) => name.endsWith('.tgz'))
      .map(async (file) => {
        const bytes = readFileSync(join(folder, file));
        return { file, bytes, manifest: await manifestOf(bytes) };
      }),
  );

/**
 * What a release lacks: a package of a system, or one of ours that another one asks for in this version. A name that a
 * registry does not know, even an optional one, makes `npm ci` fail for everybody.
 * @param tarballs of {@link tarballsIn}
 * @param version of earshot
 * @param platforms for which there must be a package
 * @returns a line for each, "earshot-linux-arm64@1.2.3"; none when the set is whole
 */
export function missingOf(tarballs, version, platforms) {
  const there = new Set(tarballs.map(({ manifest }) => `${manifest.name}@${manifest.version}`));
  const wanted = new Set([`earshot@${version}`, ...platforms.map((platform) => `earshot-${platform}@${version}`)]);
  for (const { manifest } of tarballs)
    for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies'])
      for (const [name, exact] of Object.entries(manifest[field] ?? {}))
        if (/^earshot(?:-|$)/.test(name)) wanted.add(`${name}@${exact}`);
  // What earshot offers for its own system it offers for each.
  const offered = tarballs.find(({ manifest }) => manifest.name === 'earshot')?.manifest.optionalDependencies ?? {};
  const unnamed = platforms
    .map((platform) => `earshot-${platform}`)
    .filter((name) => !(name in offered))
    .map((name) => `${name} among the optionalDependencies of earshot`);
  return [...[...wanted].filter((each) => !there.has(each)), ...unnamed];
}
