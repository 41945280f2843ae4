// What segments gain: commands on one file as an earlier commit runs them on one core, and as this tree does on one
// core and on several, in turn, both as built. Prints medians, ratios to the earlier commit, and whether the outputs
// are the same on all numbers of cores.
// Cores share caches, memory and clock, and often are two halves of one: so many copies of the earlier commit run side
// by side, too, one for each core. Their CPU beside that of one alone is what company costs on this machine, and their
// wall divided by their number is the least that one file can take with the same work; `to copies` compares with these.
//   node bench/segments/speed.ts --before=COMMIT [--seconds=3600] [--cores=1,2] [--runs=3] [--only=mp3,opus]
//     [--source=wav]                       or mp3, m4a, opus: what the made file is, which is speech-like over noise
//     [--input=talk.wav --target=podcast]  a file of yours; a level of the loudness case
// Wall figures mean something on a machine that does nothing else (its load is printed); CPU seconds do nearly always.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { type BenchFormat, benchFile } from '../media.ts';

interface Figure {
  readonly wallSeconds: number;
  /** Of the command and the processes that it starts. */
  readonly cpuSeconds: number;
  readonly hash: string;
}

const flag = (name: string, usual: string): string =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
const commit = flag('before', '');
const seconds = Number(flag('seconds', '3600'));
const cores = flag('cores', '1,2').split(',').map(Number);
const runs = Number(flag('runs', '3'));
const only = flag('only', '');
const input = flag('input', '');
const source = flag('source', 'wav') as BenchFormat;
if (commit === '') throw new Error('Expected --before=COMMIT, the commit to compare with');

const cases = [
  { name: 'mp3', args: ['convert', '--format', 'mp3'], extension: 'mp3' },
  { name: 'm4a', args: ['convert', '--format', 'm4a'], extension: 'm4a' },
  { name: 'opus', args: ['convert', '--format', 'opus'], extension: 'opus' },
  { name: 'ogg', args: ['convert', '--format', 'ogg'], extension: 'ogg' },
  {
    name: 'loudness-mp3',
    args: ['loudness', '--output-format', 'mp3', '--target', flag('target', 'podcast')],
    extension: 'mp3',
  },
  { name: 'analyze', args: ['info'], extension: '' },
  { name: 'remove-noise', args: ['remove-noise', '--output-format', 'wav'], extension: 'wav' },
  { name: 'enhance-voice', args: ['enhance-voice', '--output-format', 'wav'], extension: 'wav' },
].filter(({ name }) => only === '' || only.split(',').includes(name));

type Case = (typeof cases)[number];

const here = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'earshot-before-'));
const before = join(folder, 'tree');

function must(command: string, args: readonly string[], cwd: string): void {
  const ran = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${command} ${args.join(' ')} in ${cwd}: ${ran.stderr}`);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function run(tree: string, { args, extension }: Case, path: string, threads: number, copy = 0): Promise<Figure> {
  const output = extension === '' ? null : join(folder, `output-${copy}.${extension}`);
  const command = [process.execPath, join(tree, 'dist/cli/main.js'), ...args, '--quiet'];
  if (output) command.push('--overwrite', '--output', output);
  // Bash says what the command and all that it has waited for have used.
  const child = spawn('bash', ['-c', `TIMEFORMAT='%R %U %S'; time "$@"`, 'bash', ...command, path], {
    env: { ...process.env, EARSHOT_CORES: String(threads) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [told, timed] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => (told += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (timed += part));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${timed}`);
  const [wallSeconds = 0, user = 0, system = 0] = (timed.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  const hash = output ? await hashOf(output) : createHash('md5').update(told).digest('hex');
  return { wallSeconds, cpuSeconds: user + system, hash };
}

function median(figures: readonly Figure[], key: 'wallSeconds' | 'cpuSeconds'): number {
  const values = figures.map((figure) => figure[key]).sort((a, b) => a - b);
  return values[values.length >> 1] ?? 0;
}

/** Copies side by side. Of the wall each counts its share: of two that take 20 s together, 10. */
async function runCopies(one: Case, path: string, count: number): Promise<Figure[]> {
  const side = await Promise.all(Array.from({ length: count }, (_, copy) => run(before, one, path, 1, copy)));
  const wallSeconds = Math.max(...side.map((figure) => figure.wallSeconds)) / count;
  return side.map((figure) => ({ ...figure, wallSeconds }));
}

must('git', ['-C', here, 'worktree', 'add', '-q', '--detach', before, commit], here);
try {
  for (const part of ['node_modules', 'prebuilt'])
    try {
      symlinkSync(join(here, part), join(before, part));
    } catch {
      // Not here, or already there.
    }
  for (const script of ['build-native.mjs', 'build-when-stale.mjs'])
    for (const tree of [before, here]) must(process.execPath, [join('scripts', script)], tree);
  const path = input === '' ? benchFile(source, seconds) : input;
  console.log(
    `${input === '' ? `${seconds} s of ${source}` : input}, load ${loadavg()[0]?.toFixed(1)}, medians of ${runs}`,
  );
  console.log(
    '| Work | Tree | Cores | Wall, s | to before | to copies | CPU, s | to before | to copies |\n' +
      '|---|---|---|---|---|---|---|---|---|',
  );
  for (const one of cases) {
    const base: Figure[] = [];
    const all = cores.map((threads) => ({ threads, now: [] as Figure[], copies: [] as Figure[] }));
    for (let turn = 0; turn < runs; turn += 1) {
      base.push(await run(before, one, path, 1));
      for (const { threads, now, copies } of all) {
        now.push(await run(here, one, path, threads));
        if (threads > 1) copies.push(...(await runCopies(one, path, threads)));
      }
    }
    const row = (tree: string, threads: number, figures: readonly Figure[], copies: readonly Figure[]): void => {
      const cells = (['wallSeconds', 'cpuSeconds'] as const).flatMap((key) => [
        median(figures, key).toFixed(1),
        (median(figures, key) / median(base, key)).toFixed(3),
        copies.length === 0 ? '' : (median(figures, key) / median(copies, key)).toFixed(3),
      ]);
      console.log(`| ${one.name} | ${tree} | ${threads} | ${cells.join(' | ')} |`);
    };
    row('before', 1, base, []);
    for (const { threads, now, copies } of all) {
      if (threads > 1) row(`before, ${threads} copies`, threads, copies, []);
      row('now', threads, now, copies);
    }
    const hashes = new Set(all.flatMap(({ now }) => now.map(({ hash }) => hash)));
    console.log(hashes.size === 1 ? '' : `The outputs of ${one.name} differ: ${[...hashes].join(', ')}`);
  }
} finally {
  must('git', ['-C', here, 'worktree', 'remove', '--force', before], here);
  rmSync(folder, { recursive: true, force: true });
}
