import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRegistry } from '../../scripts/release/local-registry.mjs';
import { missingOf, tarballsIn } from '../../scripts/release/tarballs.mjs';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A tarball with a file before package.json, as npm may order them. */
async function tarball(manifest: Manifest): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'package/README.md' }, 'x'.repeat(700));
  archive.entry({ name: 'package/package.json' }, JSON.stringify(manifest));
  archive.finalize();
  return gzipSync(await buffer(archive));
}

const place = mkdtempSync(join(tmpdir(), 'earshot-tarballs-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

let folders = 0;
async function folderOf(manifests: readonly Manifest[]): Promise<string> {
  const folder = join(place, `${folders++}`);
  mkdirSync(folder);
  for (const each of manifests) writeFileSync(join(folder, `${each.name}-${each.version}.tgz`), await tarball(each));
  return folder;
}

const platforms = ['linux-x64', 'darwin-arm64'];
const system = (name: string, version = '1.2.3'): Manifest => ({ name: `earshot-${name}`, version });
const main: Manifest = {
  name: 'earshot',
  version: '1.2.3',
  optionalDependencies: { 'earshot-linux-x64': '1.2.3', 'earshot-darwin-arm64': '1.2.3', '@seydx/else': '6.1.1' },
  peerDependencies: { 'earshot-models': '0.4.0', sharp: '>=0.33.0' },
};
const weights: Manifest = {
  name: 'earshot-models',
  version: '0.4.0',
  optionalDependencies: { 'earshot-onnxruntime-linux-x64': '0.4.0' },
};
const whole = [main, weights, system('linux-x64'), system('darwin-arm64'), system('onnxruntime-linux-x64', '0.4.0')];

describe('a set of packages', () => {
  it('is whole when each of ours that another one names is there', async () => {
    expect(missingOf(await tarballsIn(await folderOf(whole)), '1.2.3', platforms)).toEqual([]);
  });

  it.each([
    ['earshot-darwin-arm64@1.2.3', 'of a system'],
    ['earshot-models@0.4.0', 'of the weights'],
    ['earshot-onnxruntime-linux-x64@0.4.0', 'of the runtime'],
    ['earshot@1.2.3', 'of earshot itself'],
  ])('lacks %s, the one %s', async (name) => {
    const rest = whole.filter((each) => `${each.name}@${each.version}` !== name);
    expect(missingOf(await tarballsIn(await folderOf(rest)), '1.2.3', platforms)).toContain(name);
  });

  it('lacks a package whose tarball is of another version', async () => {
    const old = whole.map((each) => (each.name === 'earshot-linux-x64' ? system('linux-x64', '1.2.2') : each));
    expect(missingOf(await tarballsIn(await folderOf(old)), '1.2.3', platforms)).toEqual(['earshot-linux-x64@1.2.3']);
  });

  it('lacks a system that earshot does not name, so that its users would not get what is published', async () => {
    const narrow = whole.map((each) =>
      each === main ? { ...main, optionalDependencies: { 'earshot-linux-x64': '1.2.3' } } : each,
    );
    expect(missingOf(await tarballsIn(await folderOf(narrow)), '1.2.3', platforms)).toEqual([
      'earshot-darwin-arm64 among the optionalDependencies of earshot',
    ]);
  });
});

describe('the registry of trials', () => {
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  beforeAll(async () => {
    registry = await startRegistry(await folderOf([main, system('linux-x64')]));
  });
  afterAll(() => registry.close());

  it('hands out what the folder has, with the checksum of its bytes', async () => {
    const answer = await fetch(`${registry.address}/earshot-linux-x64`);
    const { versions } = (await answer.json()) as {
      versions: Record<string, { dist: { tarball: string; integrity: string } }>;
    };
    const dist = versions['1.2.3']?.dist;
    expect(dist?.tarball).toMatch(/^http:\/\/127\.0\.0\.1:/);
    const bytes = Buffer.from(await (await fetch(dist?.tarball ?? '')).arrayBuffer());
    expect(dist?.integrity).toBe(`sha512-${createHash('sha512').update(bytes).digest('base64')}`);
  });

  it.each(['earshot-darwin-arm64', 'earshot-models', '-/earshot-darwin-arm64-1.2.3.tgz', '-/earshot-darwin-arm64.tgz'])(
    'answers 404 for %s, which is not there, as the public one will',
    async (path) => {
      expect((await fetch(`${registry.address}/${path}`)).status).toBe(404);
    },
  );
});
