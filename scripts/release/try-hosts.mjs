// Runs what pack.mjs made in other hosts than Node: Bun, Deno, an app compiled into one executable, a stand-in for
// Electron (whose program no package brings), and behind esbuild, webpack and a tracer of files. Prints a table; ends
// with 1 when something fails. Linux x64.
// Usage: try-hosts.mjs [--hosts bun,deno,...; default: all] [folder of the tarballs; default: build/packages]
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { startRegistry } from './local-registry.mjs';
import { forgetTools, program } from './managers.mjs';
import { tone } from './trial.mjs';

/** What is tried: docs/installing.md names these versions. */
const versions = {
  bun: '@oven/bun-linux-x64@1.4.5',
  deno: '@deno/linux-x64-glibc@2.9.6',
  esbuild: 'esbuild@0.28.2',
  webpack: 'webpack@5.112.2',
  nft: '@vercel/nft@1.11.5',
  postject: 'postject@1.0.0-alpha.6',
};

const place = mkdtempSync(join(tmpdir(), 'earshot hosts '));
const project = join(place, 'a project');
const earshotOf = (folder) => join(folder, 'node_modules/earshot/dist/cli/main.js');
const withNode = `${dirname(process.execPath)}:${process.env.PATH}`;

/** A command in a folder; all that it said. Never fails by itself. */
async function run([command, ...args], { cwd = project, ...environment } = {}) {
  const env = { ...process.env, PATH: withNode, HOME: join(place, 'home'), ...environment };
  const told = await promisify(execFile)(command, args, { cwd, env, timeout: 300_000, maxBuffer: 2 ** 26 }).catch(
    (thrown) => thrown,
  );
  return { status: told.code ?? 0, text: `${told.stdout}${told.stderr}` };
}

async function expectFine(command, given) {
  const { status, text } = await run(command, given);
  if (status !== 0 || !/^fine$/m.test(text)) throw new Error(`${command.join(' ')} ended with ${status}:\n${text}`);
}

async function expectError(command, pattern, given) {
  const { status, text } = await run(command, given);
  if (status === 0 || !pattern.test(text))
    throw new Error(`${command.join(' ')} was to say ${pattern} and ended with ${status}:\n${text}`);
}

/** Command line: a file, a report, a wrong file. */
async function expectCommands(start) {
  for (const args of [
    ['convert', 'tone.wav', '-o', 'from-host.mp3', '--overwrite'],
    ['media-info', 'from-host.mp3'],
  ]) {
    const { status, text } = await run([...start, ...args]);
    if (status !== 0) throw new Error(`earshot ${args.join(' ')} ended with ${status}:\n${text}`);
  }
  await expectError([...start, 'loudness', 'nothing.wav'], /nothing\.wav/);
}

/** A module of a package that is fetched; what it exports. */
const moduleOf = async (spec) => {
  const name = spec.replace(/(?<=.)@.*$/, '');
  const folder = dirname(dirname(program(spec, { file: 'package.json' })));
  const found = await import(createRequire(join(folder, 'x.js')).resolve(name));
  return found.default ?? found;
};

const inBundle = /^Error: earshot was bundled.*Mark it as external/m;

/** An app that one executable holds; what it needs lies beside it. */
async function makeExecutable() {
  const app = join(project, 'app');
  const blob = join(place, 'app.blob');
  writeFileSync(
    join(place, 'app.cjs'),
    `const { createRequire } = require('node:module');
    const { createEngine } = createRequire(process.execPath)('earshot');
    async function main() {
      const engine = createEngine();
      await engine.run('convert_audio', 'tone.wav', { format: 'flac' }, { outputDir: 'out', overwrite: true });
      await engine.close();
      console.log('fine');
    }
    main().catch(({ code, message }) => {
      console.log(code, message);
      process.exitCode = 1;
    });`,
  );
  const settings = join(place, 'sea.json');
  writeFileSync(
    settings,
    JSON.stringify({ main: join(place, 'app.cjs'), output: blob, disableExperimentalSEAWarning: true }),
  );
  const made = await run([process.execPath, '--experimental-sea-config', settings]);
  if (made.status !== 0) throw new Error(made.text);
  copyFileSync(process.execPath, app);
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
  const postject = program(versions.postject, { command: 'postject' });
  const joined = await run([process.execPath, postject, app, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse]);
  if (joined.status !== 0) throw new Error(joined.text);
  return app;
}

const hosts = {
  async node() {
    await expectFine([process.execPath, 'program.mjs']);
  },

  async bun() {
    const bun = program(versions.bun, { file: 'bin/bun' });
    await expectFine([bun, 'program.mjs']);
    await expectCommands([bun, earshotOf(project)]);
    await expectError([bun, 'program.mjs'], /This process is Bun .*PATH has no node/, { PATH: '/nowhere' });
  },

  async deno() {
    const deno = program(versions.deno, { file: 'deno' });
    chmodSync(deno, 0o755);
    await expectFine([deno, 'run', '-A', 'program.mjs']);
    await expectCommands([deno, 'run', '-A', earshotOf(project)]);
    await expectError([deno, 'run', '-A', 'program.mjs'], /This process is Deno .*PATH has (?:no node|only Deno)/, {
      PATH: '/nowhere',
    });
  },

  async executable() {
    const app = await makeExecutable();
    await expectFine([app]);
    await expectError([app], /tool_unavailable .*compiled into one executable, and PATH has no node/, {
      PATH: '/nowhere',
    });
    await expectFine([app], { PATH: '/nowhere', EARSHOT_NODE: process.execPath });
    // The app itself is no Node: it is started once more, and not again.
    await expectError([app], /tool_unavailable .*(?:is no Node|not as one|before it answers as Node)/, {
      EARSHOT_NODE: app,
    });
  },

  /** A Node when ELECTRON_RUN_AS_NODE is set, as Electron's program, and an app for all others. */
  async electron() {
    const app = join(project, 'electron');
    const versionsOf =
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: '40.1.0' } });";
    writeFileSync(
      join(project, 'electron.mjs'),
      `${versionsOf}\nObject.defineProperty(process, 'execPath', { value: ${JSON.stringify(app)} });`,
    );
    writeFileSync(
      app,
      `#!/bin/sh\n[ "$ELECTRON_RUN_AS_NODE" = 1 ] && exec '${process.execPath}' "$@"\n` +
        `exec '${process.execPath}' --import '${join(project, 'electron.mjs')}' program.mjs\n`,
    );
    chmodSync(app, 0o755);
    // A script is another program to the fence.
    await expectFine([app], { EARSHOT_CONFINEMENT: 'off' });
  },

  async esbuild() {
    const { build } = await moduleOf(versions.esbuild);
    const entryPoints = [join(project, 'program.mjs')];
    const shared = { entryPoints, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' };
    await build({ ...shared, external: ['earshot'], outfile: join(project, 'esbuild.mjs') });
    await expectFine([process.execPath, 'esbuild.mjs']);
    for (const format of ['esm', 'cjs']) {
      const outfile = join(project, `esbuild-all.${format === 'esm' ? 'mjs' : 'cjs'}`);
      await build({
        ...shared,
        entryPoints: [join(project, 'small.mjs')],
        format,
        external: ['sharp', 'stripe'],
        outfile,
      });
      await expectError([process.execPath, outfile], inBundle);
    }
  },

  async webpack() {
    const webpack = await moduleOf(versions.webpack);
    const bundle = (entry, filename, externals) =>
      new Promise((done, fail) => {
        const output = { path: project, filename };
        const settings = { mode: 'production', target: 'node22', entry: join(project, entry), externals, output };
        webpack({ ...settings, optimization: { minimize: false } }, (error, stats) => {
          const [first] = stats?.toJson({ all: false, errors: true }).errors ?? [];
          if (error || first) fail(error ?? new Error(first.message));
          else done();
        });
      });
    await bundle('program.mjs', 'webpack.cjs', { earshot: 'import earshot' });
    await expectFine([process.execPath, 'webpack.cjs']);
    await bundle('small.mjs', 'webpack-all.cjs', { sharp: 'commonjs sharp', stripe: 'commonjs stripe' });
    await expectError([process.execPath, 'webpack-all.cjs'], inBundle);
  },

  /** What Next.js and serverless packagers copy is enough. */
  async tracer() {
    const { nodeFileTrace } = await moduleOf(versions.nft);
    const { fileList } = await nodeFileTrace([join(project, 'program.mjs')], { base: project });
    const needed = [
      'node_modules/earshot/dist/library/runtime/job/job-process.js',
      'node_modules/earshot/dist/library/tools/remove_noise/run.js',
      'node_modules/earshot/models/manifest.json',
      'node_modules/earshot-linux-x64/earshot.node',
      'node_modules/earshot-linux-x64/earshot-confine',
      'node_modules/@seydx/node-av-linux-x64/node-av.node',
      'node_modules/piscina/dist/worker.js',
    ];
    const missed = needed.filter((file) => !fileList.has(file));
    if (missed.length > 0) throw new Error(`the tracer missed ${missed.join(', ')}`);
    const copy = join(place, 'traced');
    for (const file of fileList) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(project, file), join(copy, file), { verbatimSymlinks: true });
    }
    for (const name of ['tone.wav', 'long.wav']) copyFileSync(join(project, name), join(copy, name));
    await expectFine([process.execPath, 'program.mjs'], { cwd: copy });
    rmSync(join(copy, 'node_modules/earshot/dist/library/runtime/job/job-process.js'));
    await expectError([process.execPath, 'program.mjs'], /earshot is at .*outputFileTracingIncludes/, { cwd: copy });
  },
};

const { values, positionals } = parseArgs({
  options: { hosts: { type: 'string', default: Object.keys(hosts).join(',') } },
  allowPositionals: true,
});
let failed = false;
const registry = await startRegistry(resolve(positionals[0] ?? 'build/packages'));
try {
  for (const folder of [project, join(place, 'home')]) mkdirSync(folder);
  writeFileSync(join(project, 'package.json'), '{"name":"x","version":"1.0.0","private":true,"type":"module"}');
  writeFileSync(join(project, '.npmrc'), `registry=${registry.address}/\n`);
  writeFileSync(join(project, 'tone.wav'), tone());
  writeFileSync(join(project, 'long.wav'), tone(60));
  writeFileSync(join(project, 'small.mjs'), `import { createEngine } from 'earshot';\ncreateEngine();\n`);
  copyFileSync(fileURLToPath(new URL('host-program.mjs', import.meta.url)), join(project, 'program.mjs'));
  const installed = await run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', 'earshot']);
  if (installed.status !== 0) throw new Error(installed.text);
  for (const name of values.hosts.split(',')) {
    if (!Object.hasOwn(hosts, name))
      throw new Error(`Expected one of ${Object.keys(hosts).join(', ')}, but got ${name}`);
    const startedAt = performance.now();
    try {
      await hosts[name]();
      console.log(
        `${(versions[name] ?? name).padEnd(30)} ok   ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
      );
    } catch (thrown) {
      failed = true;
      console.log(`${(versions[name] ?? name).padEnd(30)} FAILED\n${thrown.message.slice(-3000)}`);
    }
  }
} finally {
  registry.close();
  forgetTools();
  rmSync(place, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
