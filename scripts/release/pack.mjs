// Makes the packages that are published, as tarballs: earshot itself, the native parts for this platform, ONNX Runtime
// for each platform that it has, and the weights. No package of ours runs a script when it is installed.
// What depends on others of them names those that are there.
// Usage: pack.mjs [--without-weights] [--cross: for every system, built here by cross.mjs, as a release has them; or
//   --systems linux-x64,win32-x64: for these, built likewise; else for this one, as it was built in place]
//   [folder; default: packages]
//   Needs `npm run build` and the addon in prebuilt/ or, with --cross and --systems, what cross.mjs needs.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { crossBuild } from './cross.mjs';
import { readMacho } from './macho.mjs';
import { limitsOf, nativeFiles, ownPlatform, platforms, portable, readJson } from './platform.mjs';
import { writeBill } from './sbom.mjs';
import { missingOf, tarballsIn } from './tarballs.mjs';
import { buildWasm } from '../build-wasm.mjs';
import { npmCommand } from '../npm.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  options: {
    'without-weights': { type: 'boolean', default: false },
    cross: { type: 'boolean', default: false },
    systems: { type: 'string' },
  },
  allowPositionals: true,
});
const out = resolve(positionals[0] ?? join(root, 'packages'));
const own = readJson(join(root, 'package.json'));
const nodeAv = readJson(join(root, 'node_modules/node-av/package.json'));
const { version, license, author, repository, engines } = own;
/**
 * Weights and their runtime change seldom: they have a version of their own, so that an update of earshot fetches none.
 */
const models = readJson(join(root, 'models/package.json'));
const shared = { version, license, ...(author && { author }), ...(repository && { repository }), engines };

/** What is in the folder by now: names and versions. */
const there = new Map();

/**
 * Packs a folder that holds these files (by their place in it: where they come from), these texts and this
 * package.json.
 */
function pack(manifest, files, texts = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-pack-'));
  try {
    for (const [to, from] of Object.entries(files)) {
      if (!existsSync(from)) throw new Error(`${manifest.name} needs ${from}, which is not there`);
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      cpSync(from, join(folder, to), { recursive: true, dereference: true });
    }
    for (const [to, text] of Object.entries(texts)) writeFileSync(join(folder, to), text);
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    const [npm, ...first] = npmCommand();
    const { status, stdout, stderr } = spawnSync(
      npm,
      [...first, 'pack', '--silent', '--ignore-scripts', '--pack-destination', out],
      { cwd: folder, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`npm pack of ${manifest.name} failed: ${stderr}`);
    there.set(manifest.name, manifest.version);
    console.log(join(out, stdout.trim()));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files of the project as the project has them. */
const asThey = (...paths) => Object.fromEntries(paths.map((path) => [path, join(root, path)]));

/**
 * Ours for one system: the addon, and on Linux the launcher that fences jobs off.
 * @param release the folder that they are in
 */
function packNative(platform, release) {
  const files = nativeFiles(platform);
  pack(
    {
      name: `earshot-${platform}`,
      ...shared,
      description: `Native parts of Earshot for ${platform}`,
      ...limitsOf(platform),
      files,
      exports: Object.fromEntries(['package.json', ...files].map((name) => [`./${name}`, `./${name}`])),
    },
    {
      ...Object.fromEntries(files.map((name) => [name, join(release, name)])),
      ...asThey('LICENSE'),
    },
  );
}

/** Ours for any system. It is so small that all have it: nothing chooses by what is missing. */
async function packPortable() {
  const { system, file } = portable;
  const out = join(root, 'prebuilt', file);
  await buildWasm({ out });
  // What browsers load lies beside their other files.
  copyFileSync(out, join(root, 'dist/browser', file));
  pack(
    {
      name: `earshot-${system}`,
      ...shared,
      description: 'The kernels of Earshot as WebAssembly, for systems without native parts',
      files: [file],
      exports: { './package.json': './package.json', [`./${file}`]: `./${file}` },
    },
    { [file]: out, ...asThey('LICENSE', 'NOTICE') },
  );
}

/**
 * Packages by system that are in the folder so far, with their versions: `npm ci` fails on any name that is nowhere.
 */
const packedSystems = (prefix) =>
  Object.fromEntries(
    [...platforms, portable.system]
      .map((platform) => `${prefix}${platform}`)
      .filter((name) => there.has(name))
      .map((name) => [name, there.get(name)]),
  );

/**
 * The files of a folder of ONNX Runtime. Where it has its library under two names, macOS looks for the one that the
 * addon names; links, which the other name was once, do not pass through npm.
 */
function runtimeFiles(folder) {
  const names = readdirSync(folder);
  const wanted = names
    .filter((name) => name.endsWith('.node') && folder.includes('darwin'))
    .flatMap((name) => readMacho(readFileSync(join(folder, name))).libraries.map((each) => basename(each)));
  const isTwin = (name) =>
    names.some(
      (other) =>
        other !== name &&
        wanted.includes(other) &&
        !wanted.includes(name) &&
        readFileSync(join(folder, other)).equals(readFileSync(join(folder, name))),
    );
  return names.filter((name) => !isTwin(name));
}

/** ONNX Runtime's own package brings every platform's files and a script that fetches more. */
function packRuntimes() {
  const source = join(root, 'node_modules/onnxruntime-node');
  const runtime = readJson(join(source, 'package.json'));
  const binaries = join(source, 'bin/napi-v6');
  for (const os of readdirSync(binaries))
    for (const cpu of readdirSync(join(binaries, os))) {
      const platform = `${os}-${cpu}`;
      if (!platforms.includes(platform)) continue;
      pack(
        {
          name: `earshot-onnxruntime-${platform}`,
          ...shared,
          version: models.version,
          license: runtime.license,
          description:
            `ONNX Runtime ${runtime.version} for ${platform}, as Microsoft's onnxruntime-node has it, without the ` +
            'other platforms',
          ...limitsOf(platform),
          main: 'dist/index.js',
          files: ['dist', 'bin', 'LICENSE', 'README.md'],
          dependencies: { 'onnxruntime-common': runtime.dependencies['onnxruntime-common'] },
        },
        {
          ...Object.fromEntries(
            readdirSync(join(source, 'dist'))
              .filter((name) => name.endsWith('.js'))
              .map((name) => [`dist/${name}`, join(source, 'dist', name)]),
          ),
          ...Object.fromEntries(
            runtimeFiles(join(binaries, os, cpu)).map((name) => [
              `bin/napi-v6/${os}/${cpu}/${name}`,
              join(binaries, os, cpu, name),
            ]),
          ),
          'README.md': join(source, 'README.md'),
          LICENSE: join(root, 'scripts/release/onnxruntime-licence.txt'),
        },
      );
    }
}

function packModels() {
  const folder = join(root, 'models');
  pack(
    { ...models, optionalDependencies: packedSystems('earshot-onnxruntime-') },
    Object.fromEntries(
      readdirSync(folder)
        .filter((name) => !['package.json', 'make', 'node_modules'].includes(name))
        .map((name) => [name, join(folder, name)]),
    ),
  );
}

/** Packages that the types of the public face name, so that TypeScript must find them. */
function namedByTypes() {
  const pending = Object.values(own.exports).flatMap((entry) => (entry.import ? [join(root, entry.import.types)] : []));
  const seen = new Set();
  const named = new Set();
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, from] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
      if (from.startsWith('.')) pending.push(resolve(dirname(file), from.replace(/\.(?:ts|js)$/, '.d.ts')));
      else named.add(/^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0]);
    }
  }
  return named;
}

/** Packages whose code is part of dist. */
const joined = new Set(readJson(join(root, 'dist/joined-packages.json')));

function packEarshot() {
  const named = namedByTypes();
  // Who embeds the service has Fastify: its own, whose types ours name. Its code is in dist all the same.
  const hosts = Object.fromEntries(
    Object.entries(own.dependencies).filter(([each]) => each === 'fastify' && named.has(each)),
  );
  const binaries = Object.keys(nodeAv.optionalDependencies).filter((name) => !/mingw|werift/.test(name));
  const { name, description, bin, type, main, types, exports, keywords, directories } = own;
  const { peerDependencies, peerDependenciesMeta } = own;
  pack(
    {
      name,
      ...shared,
      description,
      ...(keywords && { keywords }),
      ...(directories && { directories }),
      type,
      bin,
      main,
      types,
      exports,
      files: own.files,
      // Only for systems without a package of ours.
      scripts: { 'build-native': 'node scripts/build-native.mjs' },
      dependencies: Object.fromEntries(
        Object.entries(own.dependencies).filter(([each]) => !(each in hosts) && (!joined.has(each) || named.has(each))),
      ),
      optionalDependencies: {
        ...packedSystems('earshot-'),
        ...Object.fromEntries(binaries.map((each) => [each, nodeAv.version])),
      },
      peerDependencies: {
        ...peerDependencies,
        ...Object.fromEntries(Object.entries(hosts).map(([each, exact]) => [each, `^${exact}`])),
      },
      peerDependenciesMeta: {
        ...peerDependenciesMeta,
        ...Object.fromEntries(Object.keys(hosts).map((each) => [each, { optional: true }])),
      },
    },
    asThey(...own.files.filter((path) => !path.startsWith('!') && path !== 'binding.gyp')),
    // At the top of a package some managers would build by themselves, unasked.
    { 'native/binding.gyp': readFileSync(join(root, 'binding.gyp'), 'utf8').replaceAll('"native/', '"') },
  );
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const crossed = values.cross ? platforms : values.systems?.split(',');
console.log(`for ${values.cross ? 'every system' : (crossed ?? [ownPlatform]).join(' and ')}, in ${basename(out)}:`);
if (crossed) for (const system of crossed) packNative(system, await crossBuild(system));
else packNative(ownPlatform, join(root, 'prebuilt'));
await packPortable();
if (!values['without-weights']) {
  packRuntimes();
  packModels();
}
packEarshot();
console.log(writeBill(out, joined));
const missing = values.cross && !values['without-weights'] ? missingOf(await tarballsIn(out), version, platforms) : [];
if (missing.length > 0) throw new Error(`A release needs these, which were not packed:\n  ${missing.join('\n  ')}`);
// The packages of other systems are refused here, so all that fit are named.
const inProject = [
  `earshot-[0-9]*`,
  `earshot-${ownPlatform}-*`,
  `earshot-${portable.system}-*`,
  ...(values['without-weights'] ? [] : [`earshot-models-*`, `earshot-onnxruntime-${ownPlatform}-*`]),
];
console.log(
  `\nIn a project of yours:\n  P=${out}\n  npm install --ignore-scripts ` +
    inProject.map((name) => `$P/${name}.tgz`).join(' '),
);
