// @module-tag slow
// The software bill of materials says what an installation brings, and nothing that only building needs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { billOfMaterials } from '../../scripts/release/sbom.mjs';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly object[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8'));

it('names every package of an installation by its exact version, licence and hash', () => {
  const own = read('package.json') as Record<'dependencies' | 'devDependencies', Record<string, string>> & {
    readonly version: string;
  };
  const { packages } = read('package-lock.json') as {
    packages: Record<string, { name?: string; dev?: boolean }>;
  };
  const bill = billOfMaterials(['fastify']) as unknown as {
    bomFormat: string;
    specVersion: string;
    metadata: { component: Component };
    components: Component[];
  };
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
  expect(bill.metadata.component).toMatchObject({ name: 'earshot', version: own.version });
  const listed = new Map(bill.components.map((component) => [`${component.name}@${component.version}`, component]));
  for (const [name, version] of Object.entries(own.dependencies)) expect(listed.has(`${name}@${version}`)).toBe(true);
  expect(listed.has('earshot-models@0.1.0')).toBe(true);
  // What the lock file calls needed for development alone.
  const needed = new Set(
    Object.entries(packages)
      .filter(([path, { dev }]) => path.startsWith('node_modules/') && dev !== true)
      .map(([path, { name }]) => name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  );
  expect(
    bill.components.map(({ name }) => name).filter((name) => !needed.has(name) && name !== 'earshot-models'),
  ).toEqual([]);
  expect(bill.components.length).toBeGreaterThan(100);
  const ofRegistry = bill.components.filter(({ name }) => name !== 'earshot-models');
  expect(ofRegistry.filter(({ hashes }) => hashes?.[0]?.alg !== 'SHA-512').map(({ name }) => name)).toEqual([]);
  const joined = bill.components.filter(({ properties }) => properties?.some(({ name }) => name === 'earshot:joined'));
  expect(joined.map(({ name }) => name)).toEqual(['fastify']);
});
