// How many small faults in the sources the tests notice. Stryker makes the faults and runs the tests near them, in one
// worker and without the network; this file says which faults and which tests, and prints the score by room.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { fallen, keepScores, percent, roomOf, type Score, sumOf } from './mutation-scores.ts';

/** Sources, and the tests that run them in their own process: Stryker cannot see into job processes. */
const folders: Readonly<Record<string, readonly string[]>> = {
  'src/service/rules': ['test/service/rules/**/*.test.ts', 'test/service/http/try/{answers,payments,quotas}.test.ts'],
  'src/library/dsp': ['test/library/dsp/**/*.test.ts'],
  'src/library/edit': [
    'test/library/edit/**/*.test.ts',
    'test/library/tools/{cut,join,loudness,replace-audio}.test.ts',
  ],
  'src/library/speech': ['test/library/speech/**/*.test.ts', 'test/library/tools/{cut-by-text,remove-fillers}.test.ts'],
  // Without those that run every tool or wait for a crowd: minutes, for faults that others notice.
  'src/service/http': [
    'test/service/http/{home,legacy,pages,server,v1}/**/*.test.ts',
    'test/service/http/try/{answers,links,pages,payments,quotas,raw-bodies,receipts}.test.ts',
    'test/service/http/{bounds,events,hostile-input}.test.ts',
  ],
};

const usage = `npm run mutation -- [files or folders] [--sample <mutants>] [--seed <number>] [--tests <glob>]...

  files or folders   of ${Object.keys(folders).join(', ')}; default all of them
  --sample <n>       only faults on lines drawn at random, about n of them, shared out by the folders' sizes
  --seed <n>         of the draw; default 1. The same seed draws the same lines while the sources stay the same
  --tests <glob>     run these tests instead of those near the sources; may be repeated
  --strings          also empty strings and objects. Types refuse most of these, and messages few tests repeat
  --keep             keep the scores of these rooms in scripts/mutation-scores.json
  --check            fail where a room's score has fallen below the kept one by more than the draw explains
  --static           also faults in what runs when a module loads; each takes a run of all tests

Prints each fault that no test noticed as soon as it is known, and in the end the score: noticed of all made. All faults take hours; name files or draw.`;

interface Spot {
  readonly file: string;
  readonly line: number;
  readonly mutants: number;
}

const quiet = () => undefined;
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: quiet,
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  fatal: quiet,
};

/** Lines of a file that faults begin and end on. Faults over several lines (whole bodies) are the ones tests notice. */
async function spotsOf(file: string, excludedMutations: string[]): Promise<Spot[]> {
  const { mutants } = await new Instrumenter(logger).instrument(
    [{ name: file, mutate: true, content: readFileSync(file, 'utf8') }],
    { plugins: null, ignorers: [], excludedMutations, noHeader: false },
  );
  const lines = new Map<number, number>();
  for (const { location } of mutants)
    if (location.start.line === location.end.line)
      lines.set(location.start.line + 1, (lines.get(location.start.line + 1) ?? 0) + 1);
  return [...lines].map(([line, count]) => ({ file, line, mutants: count }));
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function draw(spots: readonly Spot[], wanted: number, random: () => number): Spot[] {
  const shuffled = spots
    .map((spot) => ({ spot, turn: random() }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ spot }) => spot);
  const drawn: Spot[] = [];
  let mutants = 0;
  for (const spot of shuffled) {
    if (mutants >= wanted) break;
    drawn.push(spot);
    mutants += spot.mutants;
  }
  return drawn;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', multiple: true },
    strings: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    static: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const asked = positionals.length > 0 ? positionals : Object.keys(folders);
const excludedMutations = values.strings ? [] : ['StringLiteral', 'ObjectLiteral'];
const files = new Map<string, string[]>();
for (const path of asked) {
  const folder = Object.keys(folders).find((name) => path === name || path.startsWith(`${name}/`));
  if (folder === undefined) throw new Error(`Expected files or folders of ${Object.keys(folders).join(', ')}: ${path}`);
  const found = globSync(path.endsWith('.ts') ? path : `${path.replace(/\/$/, '')}/**/*.ts`);
  files.set(folder, [...(files.get(folder) ?? []), ...found.filter((name) => !name.endsWith('.d.ts'))].sort());
}
const spots = new Map<string, Spot[]>();
for (const [folder, names] of files)
  spots.set(folder, (await Promise.all(names.map((name) => spotsOf(name, excludedMutations)))).flat());
const count = (all: Iterable<Spot>): number => [...all].reduce((sum, { mutants }) => sum + mutants, 0);
const total = count([...spots.values()].flat());

const seed = Number(values.seed);
const random = seeded(seed);
const scratch = mkdtempSync(join(tmpdir(), 'earshot-mutation-'));
const rooms = new Map<string, Score>();
if (values.sample !== undefined) console.log(`seed ${seed}`);
for (const [folder, all] of spots) {
  const chosen =
    values.sample === undefined ? null : draw(all, Math.round((Number(values.sample) * count(all)) / total), random);
  process.env['EARSHOT_TESTS'] = JSON.stringify(values.tests ?? folders[folder]);
  const results = await new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', resolve('scripts/mutation-reporter.ts')],
    vitest: { related: false, pool: 'forks', configFile: 'scripts/mutation.vitest.ts' },
    mutate: chosen?.map(({ file, line }) => `${file}:${line}-${line}`) ?? files.get(folder) ?? [],
    mutator: { plugins: null, excludedMutations },
    ignoreStatic: !values.static,
    // Copied for each run; what other scripts put into build can be large, or a system with broken links.
    ignorePatterns: ['build', 'dist', 'packages'],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: 20_000,
    // Of all tests near the sources, once; five minutes, its default, end it on a machine that is busy.
    dryRunTimeoutMinutes: 30,
    // Only rewritten by TypeScript's old programming interface; nothing here reads it.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    tempDirName: scratch,
    reporters: ['progress-append-only', 'survivors'],
    allowConsoleColors: false,
    fileLogLevel: 'off' as never,
    logLevel: 'error' as never,
  }).runMutationTest();
  for (const { status, fileName } of results) {
    if (status === 'Ignored' || status === 'CompileError' || status === 'RuntimeError') continue;
    const room = roomOf(relative('.', fileName).replaceAll('\\', '/'), folder);
    const noticed = status === 'Killed' || status === 'Timeout' ? 1 : 0;
    rooms.set(room, sumOf([rooms.get(room) ?? { noticed: 0, made: 0 }, { noticed, made: 1 }]));
  }
}
rmSync(scratch, { recursive: true, force: true });
for (const [room, score] of [...rooms].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${room.padEnd(32)} ${percent(score)}`);
console.log(`${'all'.padEnd(32)} ${percent(sumOf(rooms.values()))}`);
if (values.check) {
  const worse = fallen(rooms);
  for (const line of worse) console.log(`fell: ${line}`);
  if (worse.length > 0) process.exitCode = 1;
}
if (values.keep) keepScores(rooms);
