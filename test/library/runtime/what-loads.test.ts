// @module-tag slow
// What a process loads is most of what a short job or command costs: the lists are whole, so that whatever comes back
// fails here and is looked at.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toolIds } from '../../../src/library/contract/tool-ids.ts';
import { earshot, useFolder } from '../../cli/support.ts';
import { loadedBy, type LoadedModules } from '../../fixtures/processes/loaded.ts';

const folder = useFolder();
const declarations = ['commander', 'typebox'];

/** Every process that `earshot` with these arguments starts; the job process, if there is one, comes last. */
async function loadedByCommand(args: readonly string[]): Promise<LoadedModules[]> {
  const cwd = folder();
  const loaded = await loadedBy(async (environment) => {
    const { code, stderr } = await earshot(cwd, args, { environment });
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
  });
  return loaded.toSorted((a, b) => Number(isJob(a)) - Number(isJob(b)));
}

const isJob = ({ files }: LoadedModules): boolean => files[0]?.includes('/runtime/job/job-process') ?? false;

/** What importing these modules of src/ loads in a fresh process. */
async function loadedByImports(paths: readonly string[]): Promise<LoadedModules> {
  const urls = paths.map((path) => new URL(`../../../src/${path}`, import.meta.url).href);
  const [loaded] = await loadedBy(async (environment) => {
    const script = `await Promise.all(${JSON.stringify(urls)}.map((url) => import(url))); process.exit()`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, ...environment },
      // A job process has a channel to its host.
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
  if (!loaded) throw new Error('the process loaded nothing');
  return loaded;
}

it.each([
  [['--version'], []],
  [['--help'], declarations],
  [['loudness', '--help'], declarations],
  [['tools'], declarations],
  [['models'], [...declarations, 'pbf']],
  [['config'], declarations],
  [
    ['probe', 'clip.wav'],
    [...declarations, 'node-av'],
  ],
  [
    ['chapters', 'clip.wav'],
    [...declarations, 'node-av'],
  ],
])('earshot %j loads these packages and no other', async (args, packages) => {
  const loaded = await loadedByCommand(args);
  expect(loaded.map((each) => each.packages.filter((name) => !name.startsWith('@seydx/')))).toEqual([
    packages.toSorted(),
  ]);
});

it.each([[['--help']], [['loudness', '--help']]])(
  'earshot %j loads neither the engine nor commands that were not typed',
  async (args) => {
    const [loaded] = await loadedByCommand(args);
    const own = loaded?.files.map((file) => file.replace(/^.*\/src\//, '')) ?? [];
    expect(own.length).toBeGreaterThan(50);
    expect(own.filter((file) => /^(?:service|library\/runtime\/engine)\/|^cli\/.*-commands?\.ts$/.test(file))).toEqual(
      [],
    );
  },
);

it('a run checks its options in one process and works in another, which loads the media layer alone', async () => {
  const [command, job, ...others] = await loadedByCommand([
    'loudness',
    'clip.wav',
    '--target',
    'streaming',
    '-o',
    'louder.wav',
  ]);
  expect(others).toEqual([]);
  expect(command?.packages).toEqual(
    ['ajv', ...declarations, 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'].sort(),
  );
  expect(job?.packages.filter((name) => !name.startsWith('@seydx/'))).toEqual(['node-av']);
  // What there is (204, of which encoding in segments is 17, WAV 7, tags 13, comparing 4, dips 2, forms 1, silence 1,
  // down-mixing 1): a file costs about 0.3 ms.
  expect(job?.files.length).toBeLessThan(205);
});

it('no job process loads schemas, validators, downloads, threads or pictures before it needs them', async () => {
  const works = toolIds.map((id) => join('library/tools', id, 'run.ts'));
  const tasks = ['check', 'peaks', 'recogniser-speed', 'voice-print'].map(
    (task) => `library/runtime/job/tasks/${task}.ts`,
  );
  const { packages } = await loadedByImports(['library/runtime/job/job-process.ts', ...works, ...tasks]);
  expect(packages.filter((name) => !name.startsWith('@seydx/'))).toEqual(['@jitsi/rnnoise-wasm', 'node-av', 'pbf']);
});

it('a program that imports the library gets nothing of the service and of the commands', async () => {
  const { files, packages } = await loadedByImports(['index.ts']);
  const own = files.filter((file) => file.includes('/src/'));
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter((file) => !/\/src\/(?:index\.ts|library\/)/.test(file))).toEqual([]);
  expect(packages).toEqual(['typebox']);
});

it('a program that works on samples gets neither FFmpeg nor networks before it needs them', async () => {
  const { files, packages } = await loadedByImports(['sound.ts']);
  expect(packages).toEqual([]);
  expect(files.filter((file) => /\/library\/(?:media|models|speech|tools|edit)\//.test(file))).toEqual([]);
  expect(files.length).toBeLessThan(45);
});
