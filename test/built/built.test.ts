// What `npm run build` makes; the tests of processes and commands run on it, too: test/config/built.ts.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { toolIds, type ToolId } from '../../src/library/contract/tool-ids.ts';
import { createEngine } from '../../src/library/runtime/engine/engine.ts';
import { earshot, useFolder } from '../cli/support.ts';
import { loadedBy } from '../fixtures/processes/loaded.ts';
import { writeWav } from '../fixtures/media/pcm-files.ts';
import { voice } from '../fixtures/media/signals.ts';
import { slow } from '../fixtures/rounds.ts';

const dist = new URL('../../dist/', import.meta.url);
const folder = useFolder();

describe('the files', () => {
  it.each(['index', 'server', 'sound', 'client'])('%s exports what the source exports', slow, async (name) => {
    const built = (await import(new URL(`${name}.js`, dist).href)) as object;
    const source = (await import(`../../src/${name}.ts`)) as object;
    expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort());
  });

  it('of the client import nothing, and neither do its types', () => {
    expect(readFileSync(new URL('client.js', dist), 'utf8')).not.toMatch(/^\s*import\b|\bimport\(|node:/m);
    expect(readFileSync(new URL('client.d.ts', dist), 'utf8')).not.toMatch(/^\s*import\b|node:|\bBuffer\b|NodeJS/m);
  });

  it('know errors of the other form', async () => {
    const built = (await import(new URL('index.js', dist).href)) as typeof import('../../src/index.ts');
    const source = await import('../../src/index.ts');
    expect(built.EarshotError).not.toBe(source.EarshotError);
    const error = new source.EarshotError('no_audio', 'silence');
    expect(error).toBeInstanceOf(built.EarshotError);
    expect(built.EarshotError.from(error)).toBe(error);
    expect(new Error('no_audio')).not.toBeInstanceOf(built.EarshotError);
    class Special extends source.EarshotError {}
    expect(error).not.toBeInstanceOf(Special);
    expect(new Special('no_audio', 'x')).toBeInstanceOf(Special);
    expect(new Special('no_audio', 'x')).toBeInstanceOf(built.EarshotError);
  });

  it('are found by require, and by TypeScript where it does not read exports', () => {
    const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, dist), 'utf8'));
    const { main, types, exports } = read('../package.json') as Record<string, string> & {
      exports: Record<string, Record<'import' | 'require', { types: string; default: string }>>;
    };
    expect({ types, default: main }).toEqual(exports['.']?.import);
    const required = createRequire(import.meta.url)(fileURLToPath(new URL(`../${main}`, dist))) as object;
    expect(required).toHaveProperty('createEngine');
  });

  it('have types that name no library of ours', () => {
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
    expect(files).toContain('index.d.ts');
    for (const name of files) expect(readFileSync(new URL(name, dist), 'utf8')).not.toContain('typebox');
    const index = readFileSync(new URL('index.d.ts', dist), 'utf8');
    expect(index.match(/from "(?!\.)[^"]+"/g)).toBe(null);
  });

  it.each(['node16', 'bundler'])('have types with which the examples of our pages compile, %s', slow, (resolution) => {
    const cwd = folder();
    const root = fileURLToPath(new URL('../../', import.meta.url));
    for (const page of ['README.md', 'docs/library.md']) {
      const code = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? '';
      expect(code, page).toContain("from 'earshot'");
      writeFileSync(join(cwd, `${basename(page, '.md')}.ts`), code);
    }
    writeFileSync(
      join(cwd, 'wrong.ts'),
      "import { createEngine } from 'earshot';\n// @ts-expect-error -- no such tool\nawait " +
        "createEngine().run('adjust_loudnes', 'a.wav');\n",
    );
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    mkdirSync(join(cwd, 'node_modules'));
    symlinkSync(root, join(cwd, 'node_modules/earshot'));
    symlinkSync(join(root, 'node_modules/@types'), join(cwd, 'node_modules/@types'));
    const module = resolution === 'bundler' ? 'esnext' : resolution;
    const flags =
      `--noEmit --strict --skipLibCheck false --target es2023 --types node --module ${module} ` +
      `--moduleResolution ${resolution} README.ts library.ts wrong.ts`;
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'node_modules/.bin/tsc'), ...flags.split(' ')], {
      cwd,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it.each(['import earshot = require("earshot");', 'import * as earshot from "earshot";'])(
    'have types for CommonJS packages under module node16: %s',
    slow,
    (line) => {
      const cwd = folder();
      const root = fileURLToPath(new URL('../../', import.meta.url));
      writeFileSync(
        join(cwd, 'example.ts'),
        `${line}\nimport { createClient as _none } from 'earshot/client';\nconst engine = earshot.createEngine();\n` +
          "void engine.run('adjust_loudness', 'a.wav', { target: 'podcast' }).then(({ result }) => " +
          "result.gainDb?.toFixed());\n// @ts-expect-error -- no such tool\nvoid engine.run('adjust_loudnes', " +
          "'a.wav');\nimport server = require('earshot/server');\nvoid server.createServer;\n",
      );
      writeFileSync(join(cwd, 'package.json'), '{"type":"commonjs"}');
      mkdirSync(join(cwd, 'node_modules'));
      symlinkSync(root, join(cwd, 'node_modules/earshot'));
      symlinkSync(join(root, 'node_modules/@types'), join(cwd, 'node_modules/@types'));
      const flags =
        '--noEmit --strict --skipLibCheck --target es2023 --types node --module node16 --moduleResolution node16 ' +
        'example.ts';
      const { status, stdout } = spawnSync(
        process.execPath,
        [join(root, 'node_modules/.bin/tsc'), ...flags.split(' ')],
        { cwd, encoding: 'utf8' },
      );
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
      // And what the types promise is there.
      const ran = spawnSync(
        process.execPath,
        [
          '-e',
          'const e = require("earshot"); console.log(typeof e.createEngine, require("earshot/package.json").name)',
        ],
        { cwd, encoding: 'utf8' },
      );
      expect(ran.stdout).toBe('function earshot\n');
    },
  );

  it('name every package whose code is in them, with its licence', () => {
    const licences = readFileSync(new URL('THIRD-PARTY-LICENSES.txt', dist), 'utf8');
    const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js.map'));
    const named = maps.flatMap((name) => {
      const { sources } = JSON.parse(readFileSync(new URL(name, dist), 'utf8')) as { sources: string[] };
      return sources.flatMap((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
    });
    expect(new Set(named).size).toBeGreaterThan(10);
    for (const name of new Set(named)) expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  it.each(['index', 'server', 'sound'])('of %s name for tracers all that is found by an address', (name) => {
    const text = readFileSync(new URL(`${name}.js`, dist), 'utf8');
    const named = [...text.matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)].map(([, path = '']) => path);
    for (const path of named) expect(existsSync(new URL(path, dist)), path).toBe(true);
    const entries = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => /^library\/(?:runtime|tools|dsp|speech)\/.*\.js$/.test(path));
    expect(entries.length).toBeGreaterThan(20);
    expect(named.toSorted()).toEqual(expect.arrayContaining(entries.map((path) => `./${path}`)));
    expect(named).toContain('../models/manifest.json');
    expect(named.includes('./service/serve/service-process.js')).toBe(name === 'server');
    expect(named.includes('./site')).toBe(name === 'server');
    for (const [, required = ''] of text.matchAll(/require\('([^']+)'\)/g))
      expect(required).toMatch(
        /^(?:earshot-(?:\w+-\w+\/earshot(?:\.node|-confine)|wasm32\/earshot\.wasm)|@seydx\/node-av-[\w-]+\/node-av\.node)$/,
      );
    for (const file of [
      'earshot-wasm32/earshot.wasm',
      'earshot-linux-arm64/earshot-confine',
      '@seydx/node-av-win32-x64-msvc/node-av.node',
    ])
      expect(text).toContain(`require('${file}')`);
  });

  it('point at the sources in stack traces', () => {
    const script = `import { createEngine } from ${JSON.stringify(new URL('index.js', dist).href)};
      try { createEngine({ concurrency: 0 }); } catch (error) { console.log(error.stack); }`;
    const { stdout } = spawnSync(process.execPath, ['--enable-source-maps', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/src\/library\/runtime\/engine\/engine\.ts:\d+:\d+/);
  });
});

describe('few files are loaded', () => {
  const ours = (files: readonly string[]): string[] => files.filter((url) => url.includes('/dist/'));
  const others = (files: readonly string[]): string[] =>
    files.filter((url) => !url.includes('/dist/') && !url.includes('/@seydx/'));

  it.each([
    [['--version'], 4],
    [['loudness', '--help'], 8],
    // With the tools' declarations apart from the commands: programs that bundle the library reach no command by it.
    [['probe', 'clip.wav'], 11],
  ])('earshot %j', async (args, most) => {
    const cwd = folder();
    const [loaded] = await loadedBy((environment) => earshot(cwd, args, { environment }));
    expect(others(loaded?.files ?? [])).toEqual([]);
    expect(ours(loaded?.files ?? []).length).toBeGreaterThan(1);
    expect(ours(loaded?.files ?? []).length).toBeLessThanOrEqual(most);
  });

  it('by a job process', slow, async () => {
    const cwd = folder();
    const processes = await loadedBy((environment) =>
      earshot(cwd, ['loudness', 'clip.wav', '-o', 'louder.wav'], { environment }),
    );
    const job = processes.find(({ files }) => files[0]?.includes('/runtime/job/job-process'));
    expect(others(job?.files ?? [])).toEqual([]);
    expect(ours(job?.files ?? []).length).toBeGreaterThan(2);
    expect(ours(job?.files ?? []).length).toBeLessThanOrEqual(6);
  });
});

describe('every tool works', () => {
  const options: Partial<Record<ToolId, Readonly<Record<string, unknown>>>> = {
    convert_audio: { format: 'mp3' },
    cut_audio: { ranges: [[0.5, 1]] },
    mix_tracks: { duck: false },
    transcribe_audio: { language: 'en', speaker_labels: false },
    remove_fillers: { language: 'en' },
  };

  it('each once, in built processes', slow, async () => {
    const root = folder();
    await using engine = createEngine({ tempDir: root });
    const wav = writeWav(join(root, 'voice.wav'), [voice(3 * 16_000, 16_000, 5)], 16_000);
    const script = join(root, 'script.txt');
    writeFileSync(script, 'Nobody said this.');
    const failed: string[] = [];
    const inputs: Partial<Record<ToolId, readonly string[] | Record<string, string | string[]>>> = {
      join_audio: [wav, wav],
      mix_tracks: [wav, wav],
      align_script: { file: wav, script },
    };
    await Promise.all(
      toolIds.map(async (id) => {
        if (id === 'replace_audio') return;
        try {
          const { tool } = await engine.run(id, inputs[id] ?? wav, options[id] ?? {});
          expect(tool).toBe(id);
        } catch (thrown) {
          const { code, message } = thrown as { code?: string; message: string };
          // Synthetic vowels are no speech: that is found out at the end of the work.
          if (code === 'internal_error' || code === undefined) failed.push(`${id}: ${code} ${message}`);
          else console.log(`${id} answers ${code}: ${message}`);
        }
      }),
    );
    expect(failed).toEqual([]);
  });
});

it('parts that are not installed are named, with the command that brings them', slow, () => {
  const cwd = folder();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  // As after `npm install --omit=optional`: nothing of node-av, and no native kernels.
  for (const part of ['dist', 'models/manifest.json', 'package.json'])
    cpSync(join(root, part), join(cwd, 'node_modules/earshot', part), { recursive: true });
  writeWav(join(cwd, 'voice.wav'), [voice(48_000, 1)], 48_000);
  const script = `import { createEngine, peaks, probe } from 'earshot';
    const engine = createEngine({ confinement: 'off' });
    const calls = [() => probe('voice.wav'), () => peaks('voice.wav'), () => engine.run('analyze_audio', 'voice.wav')];
    const said = [];
    for (const call of calls)
      await call().then(() => said.push('worked'), ({ code, message, nextAction }) => said.push({ code, message, nextAction }));
    await engine.close();
    console.log(JSON.stringify(said));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    encoding: 'utf8',
  });
  const missing = {
    code: 'tool_unavailable',
    message: `FFmpeg's libraries for ${process.platform}-${process.arch} are not installed`,
    nextAction: expect.stringContaining('`npm install --include=optional`'),
  };
  expect({ stderr, said: JSON.parse(stdout) as unknown }).toEqual({ stderr: '', said: [missing, missing, missing] });
  const command = spawnSync(process.execPath, ['node_modules/earshot/dist/cli/main.js', 'doctor'], {
    cwd,
    encoding: 'utf8',
  });
  expect(command.stdout).toMatch(/NO {2}native kernels +.* are not installed\n +-> .*include=optional/);
  expect(command.stdout).toMatch(
    /NO {2}media library +FFmpeg's libraries for .* are not installed\n +-> .*include=optional/,
  );
});

it('the library reaches no command and nothing of the service, so that bundlers find all that it imports', () => {
  const found = new Set(['index.js']);
  const packages = new Set<string>();
  for (const file of found)
    for (const [, name = ''] of readFileSync(new URL(file, dist), 'utf8').matchAll(/(?:from|import\(?) ?"([^"]+)"/g))
      if (name.startsWith('.')) found.add(posix.join(posix.dirname(file), name));
      else packages.add(name);
  expect(found.size).toBeGreaterThan(50);
  expect([...found].filter((file) => file.endsWith('/command.js'))).toEqual([]);
  expect([...packages].filter((name) => /aws|stripe|fastify|kysely|pg/.test(name))).toEqual([]);
});

it.each(['esm', 'cjs'] as const)(
  'joined into one file of %s they fail at once, with the setting that helps',
  slow,
  async (format) => {
    const cwd = folder();
    const build = await rolldown({
      input: fileURLToPath(new URL('index.js', dist)),
      platform: 'node',
      external: [/^node:/, 'sharp', 'stripe'],
      checks: { emptyImportMeta: false },
    });
    const file = join(cwd, `app.${format === 'esm' ? 'mjs' : 'cjs'}`);
    await build.write({ dir: cwd, entryFileNames: basename(file), format, codeSplitting: false });
    await build.close();
    const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Error: earshot was bundled.* esbuild `external: \['earshot'\]`/m);
  },
);

it('in an archive of Electron, jobs and libraries are taken from beside it', slow, () => {
  const cwd = folder();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  // What Electron shows in the archive is everything; what lies unpacked beside it, other programs can read, too.
  for (const archive of ['app.asar', 'app.asar.unpacked']) {
    for (const part of ['dist', 'models/manifest.json', 'package.json', 'prebuilt'])
      cpSync(join(root, part), join(cwd, archive, 'node_modules/earshot', part), { recursive: true });
    for (const name of ['@seydx', '@jitsi', 'piscina', '@napi-rs'])
      symlinkSync(realpathSync(join(root, 'node_modules', name)), join(cwd, archive, 'node_modules', name));
  }
  writeWav(join(cwd, 'voice.wav'), [voice(48_000, 1)], 48_000);
  writeFileSync(
    join(cwd, 'app.asar/main.mjs'),
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: '40.1.0' } });
    const { createEngine, probe } = await import('earshot');
    const engine = createEngine({ confinement: 'off', prefork: false });
    const { result } = await engine.run('analyze_audio', 'voice.wav');
    await engine.close();
    console.log(Math.round(result.durationSeconds), Math.round((await probe('voice.wav')).durationSeconds));`,
  );
  // Whatever a job or the system's loader opens is noted.
  const log = join(cwd, 'loaded');
  const run = (): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, ['app.asar/main.mjs'], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: `--import=${writeNotes(cwd, log)}` },
    });
  expect(run()).toMatchObject({ stdout: '1 1\n', stderr: '' });
  const notes = readFileSync(log, 'utf8').trim().split('\n');
  expect(
    notes.filter((line) => line.endsWith('.node') && !line.includes('app.asar.unpacked/node_modules/earshot')),
  ).toEqual(notes.filter((line) => line.endsWith('node-av.node')));
  expect(notes.find((line) => line.includes('job-process'))).toContain('app.asar.unpacked');
  // The first run's compile cache is still being written: rmSync ends early, and without an error, when a file that it
  // has listed is gone.
  const unpacked = join(cwd, 'app.asar.unpacked');
  do rmSync(unpacked, { recursive: true, force: true, maxRetries: 20 });
  while (existsSync(unpacked));
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Error: earshot is at .*asarUnpack/m) });
});

/** @returns what to import first: it notes each program that is started and each library that is loaded */
function writeNotes(cwd: string, log: string): string {
  const file = join(cwd, 'notes.mjs');
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs';
    const note = (text) => appendFileSync(${JSON.stringify(log)}, text + '\\n');
    note(process.argv[1]);
    const { dlopen } = process;
    process.dlopen = (module, path, ...rest) => {
      note(path);
      return dlopen.call(process, module, path, ...rest);
    };`,
  );
  return file;
}
