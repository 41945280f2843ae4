// Which packages go into the files of dist, for pack.mjs and for their licences.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** They name their licence in package.json and bring no text of it. */
const mitWithoutText = ['abstract-logging', 'koa-compose', 'pg-types', 'pgpass'];

const packageOf = (id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'))?.[1];

function licenceOf(name) {
  const folder = join(root, 'node_modules', name);
  const { version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) {
    if (!mitWithoutText.includes(name) || license !== 'MIT')
      throw new Error(`${name} brings no licence text: find out, or keep it apart`);
    const permission = readFileSync(join(root, 'LICENSE'), 'utf8');
    texts.push(
      `Copyright (c) ${author?.name ?? author ?? `the authors of ${name}`}\n\n` +
        permission.slice(permission.indexOf('Permission')).trim(),
    );
  }
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

/** Names of the packages that an earlier step of the build has joined. */
export const joinedIn = (out) => JSON.parse(readFileSync(join(out, 'joined-packages.json'), 'utf8'));

/**
 * Writes the licences, and joined-packages.json, which is not published: these packages need not be installed.
 * @param chunks of a build
 * @param others that are joined already
 * @returns the names of all
 */
export function writeJoined(out, chunks, others) {
  const found = chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => packageOf(id) ?? []));
  const packages = [...new Set([...others, ...found])].toSorted((a, b) => a.localeCompare(b));
  writeFileSync(
    join(out, 'THIRD-PARTY-LICENSES.txt'),
    [
      'Packages whose code is part of the files in this folder, each under its own licence.\n',
      ...packages.map(licenceOf),
    ].join(`\n${'-'.repeat(80)}\n\n`),
  );
  writeFileSync(join(out, 'joined-packages.json'), JSON.stringify(packages));
  return packages;
}
