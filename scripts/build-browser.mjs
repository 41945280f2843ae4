// Builds `earshot/browser` into dist: the engine for pages, the worker of runs with a file for each tool, the kernels
// and RNNoise's weights. What of the library needs Node, or FFmpeg, is replaced by what lies in src/browser/in-place-of
// under the same path. Usage: build-browser.mjs [folder; default: dist]
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';
import { rolldown } from 'rolldown';
import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { joinedIn, writeJoined } from './joined-packages.mjs';
import { rnnoiseLayers } from '../src/library/dsp/denoise/rnnoise/open-rnnoise.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const replacing = join(src, 'browser/in-place-of');

/** By path below src of what is replaced. */
const replaced = new Map(
  globSync('library/**/*.ts', { cwd: replacing }).map((path) => [join(src, path), join(replacing, path)]),
);

/** What there is of Node's modules. */
const nodeModules = new Map(
  globSync('node/*.ts', { cwd: replacing }).map((path) => [
    path.slice('node/'.length, -'.ts'.length).replace('-', '/'),
    join(replacing, path),
  ]),
);

/** Public ids and declarations of the tools that run in a tab. */
async function tabTools() {
  const found = [];
  for (const path of globSync('library/tools/*/tool.ts', { cwd: src }).toSorted()) {
    const module = await import(pathToFileURL(join(src, path)).href);
    const [name, tool] = Object.entries(module).find(([, value]) => 'parseOptions' in Object(value)) ?? [];
    if (tool?.runsInTab) found.push({ path: join(src, path), name, tool });
  }
  return found;
}

const tools = await tabTools();

/** A module of Node's: what there is in its place, and all its other names, which refuse to be called. */
async function nodeModule(name) {
  const path = nodeModules.get(name);
  const own = path === undefined ? [] : [...readFileSync(path, 'utf8').matchAll(/^export (?:const|function) (\w+)/gmu)];
  const there = new Set(own.map(([, word]) => word));
  const missing = Object.keys(await import(name)).filter((word) => word !== 'default' && !there.has(word));
  return [
    path === undefined ? '' : `export * from ${JSON.stringify(path)};`,
    "const missing = (what) => () => { throw new TypeError(`A browser's tab has no ${what}`); };",
    ...missing.map((word) => `export const ${word} = /* @__PURE__ */ missing('${name}.${word}');`),
  ].join('\n');
}

/** As createOptionsParser compiles them. */
const ajv = new Ajv({
  useDefaults: true,
  verbose: true,
  strict: true,
  strictTuples: false,
  meta: false,
  validateSchema: false,
  code: { source: true, esm: true },
});

const tableOf = (name, rows) => `export const ${name} = {\n${rows.join(',\n')}\n};`;

/** Of what a tab refuses to do. */
const withoutTasks = ['library/speech/speakers/**', 'library/speech/recognise/parakeet/**'];

/** What src/browser/worker/tab-tools.d.ts says. */
const table = () =>
  [
    tableOf(
      'tools',
      tools.map(
        ({ path, name, tool: { id } }) =>
          `${id}: async () => { const [{ ${name}: tool }, { default: validate }] = ` +
          `await Promise.all([import(${JSON.stringify(path)}), import('validator:${id}')]); return { tool, validate }; }`,
      ),
    ),
    tableOf(
      'slugs',
      tools.map(({ tool: { id, slug } }) => `${id}: ${JSON.stringify(slug)}`),
    ),
    tableOf(
      'tasks',
      globSync('library/{dsp,speech}/**/*-task{,s}.ts', { cwd: src, exclude: withoutTasks }).map(
        (path) => `${JSON.stringify(path.replace(/\.ts$/, ''))}: () => import(${JSON.stringify(join(src, path))})`,
      ),
    ),
    `export const models = ${JSON.stringify(JSON.stringify(namedModels()))};`,
  ].join('\n');

const manifest = JSON.parse(readFileSync(join(root, 'models/manifest.json'), 'utf8'));

/** A file by what it is checked against. */
const checked = ({ name, bytes, sha256 }) => ({ name, bytes, sha256 });

/**
 * The manifest, without what is said of models to people, and without the files of those that a tab does not compute.
 */
const namedModels = () => ({
  models: manifest.models.map(({ id, title, runsInTab, files }) => ({
    id,
    title,
    files: files.map(runsInTab ? checked : ({ name }) => ({ name })),
  })),
  slots: manifest.slots.map(({ id, file }) => ({ id, file })),
});

/** What src/browser/models/tab-models.d.ts says: what a tab computes, and the voices of eSpeak NG. */
function modelTable() {
  const voices = readFileSync(fileURLToPath(import.meta.resolve('@echogarden/espeak-ng-emscripten/espeak-ng.data')));
  const espeak = {
    id: 'espeak-ng',
    title: 'eSpeak NG',
    files: [
      { name: 'espeak-ng.data', bytes: voices.length, sha256: createHash('sha256').update(voices).digest('hex') },
    ],
  };
  const models = manifest.models
    .filter(({ runsInTab }) => runsInTab)
    .map(({ id, title, files }) => ({ id, title, files: files.map(checked) }));
  return `export const models = ${JSON.stringify([...models, espeak])};`;
}

const validatorFor = (id) => {
  const tool = tools.find(({ tool }) => tool.id === id)?.tool;
  return standaloneCode(ajv, ajv.compile(tool.options));
};

/** FFmpeg's names and types are used; its code is not. */
const withoutCode = ['node-av/lib', 'onnxruntime-node'];

const inATab = {
  name: 'what of the library needs Node is replaced',
  resolveId(id, importer) {
    if (id === 'tab-tools' || id === 'tab-models' || id.startsWith('validator:')) return `\0${id}`;
    const builtin = id.replace(/^node:/, '');
    if (builtinModules.includes(builtin)) return `\0node:${builtin}`;
    // Of 120 kB it is asked for the eleven functions that write a schema down.
    if (id === 'typebox/type') return join(replacing, 'package/typebox-type.ts');
    if (withoutCode.includes(id)) return { id, external: true, moduleSideEffects: false };
    if (!id.startsWith('.') || importer === undefined) return null;
    const path = resolve(dirname(importer), id);
    const instead = replaced.get(path);
    // A replacement may take over what the module it replaces says.
    return instead !== undefined && instead !== importer ? instead : null;
  },
  async load(id) {
    if (id.startsWith('\0node:'))
      return { code: await nodeModule(id.slice('\0node:'.length)), moduleType: 'js', moduleSideEffects: false };
    if (id === '\0tab-tools') return { code: table(), moduleType: 'js' };
    if (id === '\0tab-models') return { code: modelTable(), moduleType: 'js' };
    if (id.startsWith('\0validator:')) return { code: validatorFor(id.slice('\0validator:'.length)), moduleType: 'js' };
    return null;
  },
};

const common = {
  cwd: root,
  platform: 'browser',
  transform: {
    target: 'es2022',
    inject: {
      Buffer: ['buffer/', 'Buffer'],
      process: [join(replacing, 'node/process.ts'), 'process'],
      SharedArrayBuffer: [join(replacing, 'node/process.ts'), 'SharedArrayBuffer'],
    },
  },
  treeshake: { moduleSideEffects: (id) => !id.startsWith(join(src, 'library')) && !id.includes('node-av') },
  checks: { ineffectiveDynamicImport: false },
  plugins: [inATab],
};

async function write(input, out, options) {
  const build = await rolldown({ ...common, input });
  const { output } = await build.write({ dir: out, format: 'esm', minify: true, ...options });
  await build.close();
  for (const { fileName, code = '' } of output) {
    const { staticImports, dynamicImports } = parseSync(fileName, code).module;
    // What is no text is an address that is put together.
    const later = dynamicImports.map(
      ({ moduleRequest: { start, end } }) => /^(["'`])(.*)\1$/.exec(code.slice(start, end))?.[2],
    );
    const others = [...staticImports.map(({ moduleRequest }) => moduleRequest.value), ...later].filter(
      (name) => name?.startsWith('./') === false,
    );
    if (others.length > 0) throw new Error(`${fileName} imports ${others.join(', ')}, which no browser has`);
  }
  const twice = output.find(({ imports = [] }) => imports.includes('worker.js'));
  if (twice !== undefined) throw new Error(`${twice.fileName} imports the worker`);
  return output;
}

/** The weights of RNNoise: how long the head is, the head as JSON, and all numbers in its order. */
function rnnoiseFile() {
  const parts = ['bias', 'weights', 'blocks', 'scale', 'diagonal'];
  const layers = rnnoiseLayers();
  const heads = layers.map((layer) => ({
    inputs: layer.inputs,
    outputs: layer.outputs,
    isFloat: layer.weights instanceof Float32Array,
    parts: Object.fromEntries(parts.map((part) => [part, layer[part].byteLength])),
  }));
  const head = Buffer.from(JSON.stringify(heads));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(head.length);
  const numbers = layers.flatMap((layer) =>
    parts.map((part) => Buffer.from(layer[part].buffer, layer[part].byteOffset, layer[part].byteLength)),
  );
  return Buffer.concat([size, head, ...numbers]);
}

/** @returns the files of the worker and of its tools */
export async function buildBrowser(out) {
  const folder = join(out, 'browser');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await write(join(src, 'browser.ts'), out, { entryFileNames: 'browser.js', codeSplitting: false });
  // Nothing imports the worker itself: servers of bundlers add to its address, and what it holds would be there twice.
  const inputs = { worker: join(src, 'browser/worker/worker.ts'), run: join(src, 'browser/worker/run.ts') };
  const output = await write(inputs, folder, {
    entryFileNames: ({ name }) => (name === 'worker' ? 'worker.js' : '[name]-[hash].js'),
    chunkFileNames: '[name]-[hash].js',
  });
  writeFileSync(join(folder, 'rnnoise.bin'), rnnoiseFile());
  const kernels = join(root, 'prebuilt/earshot.wasm');
  if (existsSync(kernels)) copyFileSync(kernels, join(folder, 'earshot.wasm'));
  return output;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = resolve(process.argv[2] ?? join(root, 'dist'));
  const output = await buildBrowser(out);
  writeJoined(out, output, joinedIn(out));
  console.log(`${output.length} files for browsers in ${relative(root, out)}`);
}
