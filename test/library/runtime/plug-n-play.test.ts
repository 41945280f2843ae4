// Packages without node_modules, as Yarn keeps them. The whole of it, with Yarn: scripts/release/try-packages.mjs.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  hookedPaths,
  packageHooks,
  type PackageMap,
  type PlugAndPlay,
} from '../../../src/library/core/start/plug-n-play.ts';
import { useEngines } from './support.ts';
import { slow } from '../../fixtures/rounds.ts';

const { folder } = useEngines();

/** A project with a hook; `packages`: where each lies, and what it depends on. */
function project(
  packages: Readonly<Record<string, { readonly at: string; readonly needs?: Readonly<Record<string, string | null>> }>>,
  files: readonly string[] = [],
): { readonly hook: PlugAndPlay; readonly root: string } {
  const root = folder();
  for (const file of ['.pnp.cjs', 'package.json', ...files]) writeFileSync(join(root, file), '');
  const map: PackageMap = {
    findPackageLocator: (path) => (path === join(root, 'ours/package.json') ? { name: 'ours', reference: '1' } : null),
    getPackageInformation({ name, reference }) {
      const found = packages[`${name}@${reference}`];
      if (found === undefined) return null;
      return { packageLocation: join(root, found.at), packageDependencies: new Map(Object.entries(found.needs ?? {})) };
    },
    resolveVirtual: (path) => (path.includes('__virtual__') ? path.replace(/__virtual__\/\w+\//, '') : null),
  };
  return { hook: { file: join(root, '.pnp.cjs'), map }, root };
}

describe('a job process', () => {
  it('has no hook where its host has none', () => {
    expect(packageHooks({}, null)).toEqual([]);
    expect(hookedPaths('/ours', null)).toEqual([]);
    // As here.
    expect(packageHooks({})).toEqual([]);
  });

  it('gets the hook of its host, once', () => {
    const { hook } = project({});
    expect(packageHooks({}, hook)).toEqual(['--require', hook.file]);
    expect(packageHooks({ NODE_OPTIONS: `--require ${hook.file}` }, hook)).toEqual([]);
    expect(packageHooks({ NODE_OPTIONS: '--no-warnings' }, hook)).toEqual(['--require', hook.file]);
  });

  it('gets the loader of modules, too, where there is one', () => {
    const { hook, root } = project({}, ['.pnp.loader.mjs']);
    const loader = pathToFileURL(join(root, '.pnp.loader.mjs')).href;
    expect(packageHooks({}, hook)).toEqual(['--require', hook.file, '--experimental-loader', loader]);
  });

  it('may read the hook and what its package depends on, however deep, and nothing else of the project', () => {
    const { hook, root } = project(
      {
        'ours@1': { at: 'ours', needs: { ours: '1', a: '2', missing: null, gone: '9' } },
        'a@2': { at: '__virtual__/x1/cache/a.zip/node_modules/a', needs: { b: '3', ours: '1' } },
        'b@3': { at: 'unplugged/b/node_modules/b' },
        'other@1': { at: 'other' },
      },
      ['.pnp.data.json'],
    );
    mkdirSync(join(root, 'cache'));
    writeFileSync(join(root, 'cache/a.zip'), '');
    const expected = [
      '.pnp.cjs',
      '.pnp.data.json',
      'package.json',
      'ours',
      'cache/a.zip',
      'unplugged/b/node_modules/b',
    ];
    expect(hookedPaths(join(root, 'ours'), hook).toSorted()).toEqual(
      expected.map((path) => join(root, path)).toSorted(),
    );
    expect(hookedPaths(join(root, 'elsewhere'), hook)).not.toContain(join(root, 'ours'));
  });

  it('finds packages by the hook of its host', slow, () => {
    const root = folder();
    const name = (path: string): string => JSON.stringify(new URL(`../../../${path}`, import.meta.url).href);
    // What stands in for Yarn's: it says where it was loaded, unless a fence is in the way.
    writeFileSync(
      join(root, '.pnp.cjs'),
      `const { appendFileSync } = require('node:fs');
       try {
         appendFileSync(${JSON.stringify(join(root, 'log'))}, process.argv[1] + '\\n');
       } catch {}
       process.versions.pnp = '3';
       const Module = require('node:module');
       const resolve = Module._resolveFilename;
       Module._resolveFilename = (request, ...rest) => request === 'pnpapi' ? __filename : resolve(request, ...rest);
       module.exports = { findPackageLocator: () => null };`,
    );
    const script = `
      const { createEngineWith } = await import(${name('src/library/runtime/engine/engine.ts')});
      const { fixtureTools } = await import(${name('test/fixtures/tools/source.ts')});
      for (const confinement of ['off', 'best']) {
        const engine = createEngineWith(fixtureTools, { confinement });
        console.log((await engine.run('cut_audio', [], { behaviour: 'write' })).result.inputs);
        await engine.close();
      }`;
    writeFileSync(join(root, 'host.mjs'), script);
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', join(root, '.pnp.cjs'), join(root, 'host.mjs')],
      { encoding: 'utf8', cwd: root },
    );
    expect({ stdout, stderr }).toEqual({ stdout: '0\n0\n', stderr: '' });
    expect(readFileSync(join(root, 'log'), 'utf8')).toMatch(/host\.mjs\n[^]*job-process\.ts\n/);
  });
});
