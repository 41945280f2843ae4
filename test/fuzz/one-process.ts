// Damaged files through our native parts in one process that goes on until something breaks it: what the sanitizers are
// to see, at a tenth of the cost of job processes (main.ts). Each file is checked as an upload is and analysed; every
// eighth is also converted and cut. A process that dies is counted and followed by another one. Goes on where an
// earlier run with the same seed and lanes stopped, after what had a fault or was cut off there; ends with 1 when a
// process died, a file ended in an error that says nothing, or a sanitizer reported.
// Usage: node test/fuzz/one-process.ts [--files=1000] [--seed=1] [--lanes=2] [--out=.cache/fuzz/one-process]
//   [--page=<a file, where what came of it is kept>]
//   Under the sanitizers: npm run test:sanitize -- --media=1000
import { fork, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EarshotError } from '../../src/library/core/errors/errors.ts';
import { noFinishedParts } from '../../src/library/core/progress/finished-parts.ts';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import type { RunContext, RunModule } from '../../src/library/tools/declare/run.ts';
import { damagedFile, type Original, readOriginals } from './damaged.ts';
import { makeOriginals } from './originals.ts';
import { recordedRun } from './recorded-run.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    out: { type: 'string', default: '.cache/fuzz/one-process' },
    page: { type: 'string' },
    // Of scripts/sanitize.mjs: what the addon is built with, and where the sanitizers write.
    built: { type: 'string' },
    reports: { type: 'string' },
    // A lane: its number, and its first file.
    lane: { type: 'string' },
    from: { type: 'string', default: '0' },
    again: { type: 'string', default: '[]' },
    originals: { type: 'string' },
  },
});
const [files, seed, lanes] = [Number(values.files), Number(values.seed), Number(values.lanes)];
const out = join(resolve(values.out), `seed-${seed}-lanes-${lanes}`);
/** Then another process goes on: FFmpeg loses memory with some damaged files. */
const filesOfProcess = 3000;
const mostMilliseconds = 300_000;

const works = {
  check: ['../../src/library/runtime/job/tasks/check.ts', 'file', {}],
  analyze: ['../../src/library/tools/analyze_audio/run.ts', 'file_id', {}],
  convert: ['../../src/library/tools/convert_audio/run.ts', 'file_id', { format: 'flac' }],
  cut: ['../../src/library/tools/cut_audio/run.ts', 'file_id', { ranges: [[0.2, 0.7]] }],
} as const;

async function work(what: keyof typeof works, path: string, name: string, workDir: string): Promise<string> {
  const [module, field, options] = works[what];
  const signal = new AbortController().signal;
  const context: RunContext<object> = {
    inputs: { [field]: { path, name } },
    options,
    workDir,
    signal,
    parallelism: 1,
    modelsDir: undefined,
    progress: () => undefined,
    pass: () => () => undefined,
    warn: () => undefined,
    partial: () => undefined,
    finished: noFinishedParts,
    fanOut: createFanOut(1, signal),
  };
  try {
    const { result } = await ((await import(module)) as { run: (given: unknown) => ReturnType<RunModule['run']> }).run(
      context,
    );
    const checked = result['checked'] as { ok?: boolean; error?: { code: string } } | undefined;
    return checked?.ok === false ? (checked.error?.code ?? 'refused') : 'ok';
  } catch (thrown) {
    if (!(thrown instanceof EarshotError)) return `not an EarshotError: ${String(thrown)}`;
    return thrown.code === 'internal_error' ? `${thrown.code}: ${thrown.message}` : thrown.code;
  }
}

/** One process: writes which file it begins, and a line for each that it has done. */
async function runLane(lane: number, from: number, originals: readonly Original[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-fuzz-lane-'));
  const at = join(out, `lane-${lane}.at`);
  let done = 0;
  const again = JSON.parse(values.again) as number[];
  for (let next = from; again.length > 0 || (next < files && done < filesOfProcess); done++) {
    const number = again.shift() ?? next;
    if (number === next) {
      writeFileSync(at, String(number));
      next += lanes;
    }
    const { name, bytes, kind } = damagedFile(originals, seed, number);
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const said: string[] = [];
    const startedAt = performance.now();
    for (const what of number % 8 === 0
      ? (['check', 'analyze', 'convert', 'cut'] as const)
      : (['check', 'analyze'] as const)) {
      const workDir = mkdtempSync(join(folder, 'work-'));
      said.push(`${what} ${await work(what, path, name, workDir)}`);
      rmSync(workDir, { recursive: true, force: true });
    }
    rmSync(path);
    const milliseconds = Math.round(performance.now() - startedAt);
    appendFileSync(join(out, `lane-${lane}.tsv`), `${[number, kind, milliseconds, ...said].join('\t')}\n`);
  }
  rmSync(folder, { recursive: true, force: true });
  // Threads that use node-av would end it otherwise.
  process.kill(process.pid, done < filesOfProcess ? 'SIGUSR2' : 'SIGHUP');
}

/** What came of it so far, kept: a run may be cut off. @returns what must not happen */
function record(): readonly string[] {
  const { page, files: tried, wrong } = recordedRun(out, seed, values.built, values.reports);
  if (values.page !== undefined) writeFileSync(values.page, page);
  console.log(`${tried} files of seed ${seed}, ${wrong.length} faults`);
  return wrong;
}

/**
 * Starts one process after the other until the lane's last file.
 * @param faulty tried again by the first one
 */
async function superviseLane(lane: number, originals: string, faulty: readonly number[]): Promise<void> {
  const at = join(out, `lane-${lane}.at`);
  const number = (): number => (existsSync(at) ? Number(readFileSync(at, 'utf8')) : lane - lanes);
  // Of other lanes that are further on, files may only look cut off.
  let again = faulty.filter((each) => each % lanes === lane && each <= number());
  for (let from = number() + lanes; from < files || again.length > 0; from = number() + lanes) {
    const own = [`--lane=${lane}`, `--from=${from}`, `--again=${JSON.stringify(again)}`, `--originals=${originals}`];
    const args = [...process.argv.slice(2), ...own];
    again = [];
    const child = fork(import.meta.filename, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let [last, since] = [from, Date.now()];
    const watch = setInterval(() => {
      if (number() !== last) [last, since] = [number(), Date.now()];
      else if (Date.now() - since > mostMilliseconds) child.kill('SIGKILL');
    }, 5000);
    const signal = await new Promise((done) => child.once('exit', (code, ended) => done(ended ?? `code ${code}`)));
    clearInterval(watch);
    if (signal !== 'SIGUSR2' && signal !== 'SIGHUP')
      appendFileSync(join(out, 'deaths.tsv'), `file ${number()} ended its process: ${String(signal)}\n`);
    record();
  }
}

/** Which sources are tried: a commit, with a + where files differ from it. */
function commit(): string {
  const git = (...args: readonly string[]): string => spawnSync('git', args, { encoding: 'utf8' }).stdout.trim();
  const changed = git('status', '--porcelain', '--', ':(top)src', ':(top)native', ':(top)test/fuzz') !== '';
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
}

mkdirSync(out, { recursive: true });
if (values.lane !== undefined && values.originals !== undefined) {
  const paths = JSON.parse(readFileSync(values.originals, 'utf8')) as string[];
  await runLane(Number(values.lane), Number(values.from), readOriginals(paths));
} else {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-fuzz-originals-'));
  try {
    // In the order of main.ts: file 17 is the same there, and `--only=17` shows it.
    const originals = join(folder, 'originals.json');
    writeFileSync(originals, JSON.stringify(await makeOriginals(folder)));
    appendFileSync(join(out, 'slices.tsv'), `${new Date().toISOString()}\t${commit()}\n`);
    const { faulty } = recordedRun(out, seed, values.built, values.reports);
    await Promise.all(Array.from({ length: lanes }, (_, lane) => superviseLane(lane, originals, faulty)));
    const wrong = record();
    for (const fault of wrong) console.log(`FAULT ${fault}`);
    process.exitCode = wrong.length > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
