// Joins the sources into few files in dist, with source maps and the licences of the packages that go in. What a
// process loads is most of what a short job costs: 18 files instead of 150.
// Usage: bundle.mjs [folder; default: dist]
import { globSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { writeJoined } from './joined-packages.mjs';
import { nativeFiles, platforms, portable } from './release/platform.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = resolve(process.argv[2] ?? join(root, 'dist'));

/** What is imported from outside, and what is started or loaded by its address (`moduleUrl`). */
const entries = [
  'src/{index,server,sound}.ts',
  'src/cli/{main,start}.ts',
  'src/service/serve/service-process.ts',
  'src/service/adapters/postgres/embedded/users-guard.ts',
  'src/library/runtime/{job/{job-process,live-process,voice-process,fan-out-thread,clear-thread-task},process/parent-watch-thread}.ts',
  'src/library/runtime/job/tasks/*.ts',
  'src/library/tools/*/run.ts',
  'src/library/{dsp,media,speech}/**/*-task{,s}.ts',
  'src/library/kernels/wasm/kernels.ts',
];

/**
 * Packages that stay what they are, since they bring files that are loaded by their address: WebAssembly, threads,
 * headers. So do optional ones, which only some users install. All others go into our files: users of Earshot get one
 * version of each, the one that was tested.
 */
const apart = ['@jitsi/rnnoise-wasm', 'node-addon-api', 'piscina'];

/** What joined packages try to load and do well without. */
const askedForInVain = ['pg-native'];

/** Packages that `createRequire` loads lazily become part of a file and stay lazy. */
const requiresLazily = {
  name: 'lazy packages are joined',
  transform: {
    filter: { code: /createRequire\(import\.meta\.url\)\('(?:ajv|cli-progress|pino-pretty)'\)/ },
    handler: (code) => ({ code: code.replace(/createRequire\(import\.meta\.url\)\(/, 'require('), map: null }),
  },
};

const nearNodeAv = `import { fileURLToPath, pathToFileURL } from 'node:url';
const nearNodeAv = () => {
  try {
    return createRequire(import.meta.url).resolve('node-av/lib');
  } catch {
    return fileURLToPath(import.meta.url);
  }
};`;

/**
 * node-av looks for its binary from where its own files lie, which is no longer where they run: it is a dependency of
 * node-av's in a checkout and of ours as published, where node-av itself is not (scripts/release/pack.mjs).
 */
const findsItsBinary = {
  name: 'node-av finds its binary',
  transform: {
    filter: { id: /node-av\/dist\/lib\/binding\.js$/ },
    handler(code) {
      const parts = [
        [
          'const __dirname = getDirname(import.meta.url);',
          'const nodeAv = nearNodeAv();\nconst __dirname = getDirname(pathToFileURL(nodeAv).href);',
        ],
        ['const require = createRequire(import.meta.url);', 'const require = createRequire(nodeAv);'],
      ];
      let changed = `${nearNodeAv}\n${code}`;
      for (const [from, to] of parts) {
        if (!changed.includes(from)) throw new Error(`node-av's binding.js has no "${from}" any more: look at it anew`);
        changed = changed.replace(from, to);
      }
      return { code: changed, map: null };
    },
  },
};

/** Node keeps a text with one letter beyond Latin 1 in twice the memory, and reads all of it letter by letter. */
const asciiAlone = {
  name: 'letters beyond ASCII are escaped',
  renderChunk: {
    order: 'post',
    handler: (code) => ({
      code: code.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
      map: null,
    }),
  },
};

const names = globSync('src/**/*.ts', { cwd: root }).map((file) =>
  relative('src', file).replaceAll('\\', '/').replace(/\.ts$/, ''),
);
const input = Object.fromEntries(
  entries
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((file) => [relative('src', file).replaceAll('\\', '/').replace(/\.ts$/, ''), join(root, file)]),
);

/** By module, what it imports at its head, and what it imports when it needs it. */
const [importsOf, laterImportsOf] = [new Map(), new Map()];
const imports = {
  name: 'remembers who imports whom',
  moduleParsed({ id, importedIds, dynamicallyImportedIds }) {
    importsOf.set(id, importedIds);
    laterImportsOf.set(id, dynamicallyImportedIds);
  },
};

/** Everything that loading these sources loads at once, and, if asked, what it may load later. */
function loadedWith(names, later = false) {
  const found = new Set();
  const pending = names.map((name) => join(root, 'src', `${name}.ts`));
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    pending.push(...(importsOf.get(id) ?? []), ...((later && laterImportsOf.get(id)) || []));
  }
  return found;
}

/**
 * What most processes load goes into few files: what comes before the compile cache is on, what every command line
 * needs, what a run needs besides, what jobs share with either, and the work of nearly every job, which a prepared
 * process loads ahead anyway.
 */
let files;
function fileOf(id) {
  if (!files) {
    const start = loadedWith(['cli/start']);
    const library = loadedWith(['index'], true);
    // With what commands that run no tool need, as `earshot probe`.
    const command = loadedWith([
      'cli/program',
      'cli/plain-files',
      'cli/terminal/display',
      'cli/terminal/report',
      'library/media/chapters/podcast',
    ]);
    const run = loadedWith(['cli/tool/batch', 'library/runtime/engine/engine']);
    // `earshot doctor` looks at the kernels where nothing of FFmpeg is installed, which the work loads.
    const looks = loadedWith(['library/kernels/load', ...names.filter((name) => name.endsWith('/availability'))]);
    const job = loadedWith([
      'library/runtime/job/job-process',
      'library/runtime/job/tasks/check',
      'library/tools/adjust_loudness/run',
      'library/tools/analyze_audio/run',
    ]);
    files = (one) => {
      if (Object.values(input).includes(one)) return null;
      if (start.has(one)) return 'start';
      if (job.has(one)) return command.has(one) || run.has(one) || looks.has(one) ? 'shared' : 'work';
      // The library reaches no command, and so nothing of the service: programs that bundle it need nothing of either.
      if (command.has(one)) return library.has(one) ? 'tools' : 'command';
      return run.has(one) ? (library.has(one) ? 'engine' : 'run') : null;
    };
  }
  return files(id);
}

/** Systems that native packages are published for: ours, and those with FFmpeg's libraries. */
const nativePackages = [
  ...platforms.flatMap((platform) => [
    ...nativeFiles(platform).map((name) => `earshot-${platform}/${name}`),
    `@seydx/node-av-${platform}${platform.startsWith('win32') ? '-msvc' : ''}/node-av.node`,
  ]),
  `earshot-${portable.system}/${portable.file}`,
];

/**
 * Tracers (@vercel/nft in Next.js and in serverless packagers) copy what a program names: they read code and run none.
 * So the library's entries name what is started, read or loaded by an address that is put together at run time.
 */
function forTracers({ fileName }) {
  if (!/^(?:index|server|sound)\.js$/.test(fileName)) return '';
  const isService = fileName === 'server.js';
  const files = Object.keys(input)
    .filter((file) => !/^(?:index|server|sound)$/.test(file) && (isService || !/^(?:cli|service)\//.test(file)))
    .map((file) => `./${file}.js`);
  // What browsers load lies in a folder, under names that change with it.
  const others = ['../models/manifest.json', '../package.json', ...(isService ? ['./site'] : [])];
  const asUrl = (path) => `new URL('${path}', import.meta.url)`;
  return [
    '// Never called: it names, for tracers of files, what is found by addresses that are put together.',
    'function filesForTracers() {',
    "  const module = globalThis.process.getBuiltinModule('node:module');",
    '  const require = module.createRequire(import.meta.url);',
    `  return [${[...files, ...others].map(asUrl).join(', ')},`,
    `    ${nativePackages.map((file) => `() => require('${file}')`).join(', ')}];`,
    '}',
  ].join('\n');
}

const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const isNamed = (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('\0');
const external = new Set([...apart, ...Object.keys(peerDependencies), ...askedForInVain]);

function isExternal(id) {
  if (id.startsWith('node:') || builtinModules.includes(id)) return true;
  return isNamed(id) && external.has(/^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id);
}

const build = await rolldown({
  cwd: root,
  input,
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // The oldest Node that package.json allows knows no `using` yet.
  transform: { target: 'node22.12' },
  external: isExternal,
  // `import()` of what is loaded anyway: in other processes it is not.
  // Koa's depd names wrapped functions by `eval`.
  checks: { ineffectiveDynamicImport: false, eval: false },
  plugins: [findsItsBinary, requiresLazily, imports, asciiAlone],
});
rmSync(out, { recursive: true, force: true });
const { output } = await build.write({
  dir: out,
  format: 'esm',
  sourcemap: true,
  // Names and lines for stack traces (NODE_OPTIONS=--enable-source-maps); the sources themselves lie in the repository.
  sourcemapExcludeSources: true,
  // Two folders deep, as the source that asks where it lies (library/core/running-files.ts).
  entryFileNames: '[name].js',
  chunkFileNames: 'library/chunks/[name].js',
  // What nothing calls is taken out of a usual footer.
  postFooter: forTracers,
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: fileOf, debugName: 'most processes' }] },
});
await build.close();

// The client runs alone, in browsers too: one file that imports nothing.
const client = await rolldown({ cwd: root, input: join(root, 'src/client.ts'), platform: 'browser' });
const { output: clientFiles } = await client.write({
  dir: out,
  format: 'esm',
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: 'client.js',
});
await client.close();
const [{ imports: clientImports }] = clientFiles;
if (clientImports.length > 0) throw new Error(`The client imports ${clientImports.join(', ')}, which no browser has`);

const chunks = output.filter(({ type }) => type === 'chunk');

const packages = writeJoined(out, chunks, []);
console.log(
  `${chunks.length} files, ${chunks.filter(({ isEntry }) => isEntry).length} of them entries, ` +
    `with the code of ${packages.length} packages`,
);
