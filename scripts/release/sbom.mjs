// The software bill of materials of a release (CycloneDX 1.5, by `npm sbom`): every package that an installation of
// earshot brings or whose code is part of dist, with exact version, licence and hash, from package-lock.json.
// Usage: sbom.mjs [folder; default: packages]   Writes earshot.cdx.json. Needs no network.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson } from './platform.mjs';
import { npmCommand } from '../npm.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** npm names a folder's package by the folder, which is named otherwise on every machine. */
const named = (component) => ({
  ...component,
  name: decodeURIComponent(/^pkg:npm\/(.+)@[^@]+$/.exec(component.purl)?.[1] ?? component.name),
});

/**
 * What an installation has, "name@version": all of package-lock.json but what is needed for development alone. npm's
 * own `--omit dev` leaves out what is needed for both.
 */
const needed = () =>
  new Set(
    Object.entries(readJson(join(root, 'package-lock.json')).packages)
      .filter(([path, { dev, link }]) => path !== '' && !dev && !link)
      .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  );

/**
 * @param [joined] names of packages whose code is part of dist, which say so; default: none
 * @returns the document
 * @throws Error when npm cannot make it
 */
export function billOfMaterials(joined = []) {
  const [npm, ...first] = npmCommand();
  const wanted = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync(npm, [...first, ...wanted], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr}`);
  const bill = JSON.parse(stdout);
  const own = named(bill.metadata.component);
  const kept = needed();
  const components = bill.components.map(named).filter(({ name, version }) => kept.has(`${name}@${version}`));
  const known = new Set([own, ...components].map((each) => each['bom-ref']));
  const within = new Set(joined);
  return {
    ...bill,
    metadata: { ...bill.metadata, component: own },
    components: components.map((each) =>
      within.has(each.name)
        ? { ...each, properties: [...(each.properties ?? []), { name: 'earshot:joined', value: 'true' }] }
        : each,
    ),
    dependencies: bill.dependencies
      .filter(({ ref }) => known.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) })),
  };
}

/** @returns the path of the file */
export function writeBill(folder, joined) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'earshot.cdx.json');
  writeFileSync(path, `${JSON.stringify(billOfMaterials(joined), null, 2)}\n`);
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(
    writeBill(resolve(process.argv[2] ?? join(root, 'packages')), readJson(join(root, 'dist/joined-packages.json'))),
  );
