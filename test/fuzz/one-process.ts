// Damaged files through our native parts in one process that goes on until something breaks it: what the sanitizers are
// to see, at a tenth of the cost of job processes (main.ts). Each file is checked as an upload is and analysed; every
// eighth is also converted and cut. A process that dies is counted and followed by another one.
// Usage: node test/fuzz/one-process.ts [--files=1000] [--seed=1] [--lanes=2] [--out=.cache/fuzz/one-process]
//   Under the sanitizers: npm run test:sanitize -- --media=1000
import { fork } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EarshotError } from '../../src/library/core/errors.ts';
import { noFinishedParts } from '../../src/library/core/finished-parts.ts';
import { createFanOut } from '../../src/library/runtime/fan-out.ts';
import type { RunContext, RunModule } from '../../src/library/tools/declare/run.ts';
import { damagedFile, type Original, readOriginals } from './damaged.ts';
import { makeOriginals } from './originals.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    out: { type: 'string', default: '.cache/fuzz/one-process' },
    // A lane: its number, and its first file.
    lane: { type: 'string' },
    from: { type: 'string', default: '0' },
    originals: { type: 'string' },
  },
});
const [files, seed, lanes] = [Number(values.files), Number(values.seed), Number(values.lanes)];
const out = resolve(values.out);
/** Then another process goes on: FFmpeg loses memory with some damaged files. */
const filesOfProcess = 3000;
const mostMilliseconds = 300_000;

const works = {
  check: ['../../src/library/runtime/tasks/check.ts', 'file', {}],
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
    return thrown instanceof EarshotError ? thrown.code : `not an EarshotError: ${String(thrown)}`;
  }
}

/** One process: writes which file it begins, and a line for each that it has done. */
async function runLane(lane: number, from: number, originals: readonly Original[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-fuzz-lane-'));
  const at = join(out, `lane-${lane}.at`);
  let done = 0;
  for (let number = from; number < files && done < filesOfProcess; number += lanes, done++) {
    writeFileSync(at, String(number));
    const { name, bytes, kind } = damagedFile(originals, seed, number);
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const said: string[] = [];
    for (const what of number % 8 === 0
      ? (['check', 'analyze', 'convert', 'cut'] as const)
      : (['check', 'analyze'] as const)) {
      const workDir = mkdtempSync(join(folder, 'work-'));
      said.push(`${what} ${await work(what, path, name, workDir)}`);
      rmSync(workDir, { recursive: true, force: true });
    }
    rmSync(path);
    appendFileSync(join(out, `lane-${lane}.tsv`), `${number}\t${kind}\t${said.join('\t')}\n`);
  }
  rmSync(folder, { recursive: true, force: true });
  // Threads that use node-av would end it otherwise.
  process.kill(process.pid, done < filesOfProcess ? 'SIGUSR2' : 'SIGHUP');
}

const deaths: string[] = [];

/** Starts one process after the other until the lane's last file. */
async function superviseLane(lane: number, originals: string): Promise<void> {
  const at = join(out, `lane-${lane}.at`);
  const number = (): number => (existsSync(at) ? Number(readFileSync(at, 'utf8')) : lane - lanes);
  for (let from = number() + lanes; from < files; from = number() + lanes) {
    const args = [...process.argv.slice(2), `--lane=${lane}`, `--from=${from}`, `--originals=${originals}`];
    const child = fork(import.meta.filename, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let [last, since] = [from, Date.now()];
    const watch = setInterval(() => {
      if (number() !== last) [last, since] = [number(), Date.now()];
      else if (Date.now() - since > mostMilliseconds) child.kill('SIGKILL');
    }, 5000);
    const signal = await new Promise((done) => child.once('exit', (code, ended) => done(ended ?? `code ${code}`)));
    clearInterval(watch);
    if (signal === 'SIGUSR2' || signal === 'SIGHUP') continue;
    deaths.push(`${number()}: ${String(signal)}`);
    console.log(`file ${number()} ended its process with ${String(signal)}`);
    writeFileSync(join(out, 'deaths.txt'), `${deaths.join('\n')}\n`);
  }
}

function report(): void {
  const lines = readdirSync(out)
    .filter((name) => name.endsWith('.tsv'))
    .flatMap((name) => readFileSync(join(out, name), 'utf8').trimEnd().split('\n'));
  const counts = new Map<string, number>();
  for (const line of lines) for (const said of line.split('\t').slice(2)) counts.set(said, (counts.get(said) ?? 0) + 1);
  for (const [said, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) console.log(`${said}: ${count}`);
  console.log(`${lines.length} files of seed ${seed}; processes that died: ${deaths.join(', ') || 'none'}`);
}

mkdirSync(out, { recursive: true });
if (values.lane !== undefined && values.originals !== undefined) {
  const paths = readdirSync(values.originals)
    .sort()
    .map((name) => join(values.originals ?? '', name));
  await runLane(Number(values.lane), Number(values.from), readOriginals(paths));
} else {
  const originals = mkdtempSync(join(tmpdir(), 'earshot-fuzz-originals-'));
  try {
    await makeOriginals(originals);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: lanes }, (_, lane) => superviseLane(lane, originals)));
    report();
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  } finally {
    rmSync(originals, { recursive: true, force: true });
  }
}
