// What segments gain: tools on one file with the sources of an earlier commit, and with these on one core and on several,
// in turn. Prints medians, ratios to the earlier commit, and whether the outputs are the same on all numbers of cores.
//   node bench/segments/speed.ts --before=COMMIT [--seconds=3600] [--cores=1,2] [--runs=3] [--only=mp3,opus]
//     [--source=wav]                       or mp3, m4a, opus: what the made file is, which is speech-like over noise
//     [--input=talk.wav --target=podcast]  a file of yours; a level of the loudness case
// Wall figures mean something on a machine that does nothing else (its load is printed); CPU seconds do nearly always.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allocatorEnvironment } from '../../src/library/runtime/spawn.ts';
import { type BenchFormat, benchFile } from '../media.ts';

interface Figure {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
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
  { name: 'mp3', tool: 'convert_audio', options: { format: 'mp3' } },
  { name: 'm4a', tool: 'convert_audio', options: { format: 'm4a' } },
  { name: 'opus', tool: 'convert_audio', options: { format: 'opus' } },
  { name: 'ogg', tool: 'convert_audio', options: { format: 'ogg' } },
  {
    name: 'loudness-mp3',
    tool: 'adjust_loudness',
    options: { output_format: 'mp3', target: flag('target', 'podcast') },
  },
  { name: 'analyze', tool: 'analyze_audio', options: {} },
].filter(({ name }) => only === '' || only.split(',').includes(name));

const here = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'earshot-before-'));
const before = join(folder, 'tree');
const git = (...args: string[]): void => {
  const ran = spawnSync('git', ['-C', here, ...args], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
};

function once(tree: string, { tool, options }: (typeof cases)[number], path: string, threads: number): Figure {
  const script = fileURLToPath(new URL('run-once.ts', import.meta.url));
  const args = [script, tree, tool, path, JSON.stringify(options), String(threads)];
  const ran = spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...allocatorEnvironment, ...process.env } });
  if (ran.status !== 0) throw new Error(`${tool} failed: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as Figure;
}

function median(figures: readonly Figure[], key: 'wallSeconds' | 'cpuSeconds' | 'peakMb'): number {
  const values = figures.map((figure) => figure[key]).sort((a, b) => a - b);
  return values[values.length >> 1] ?? 0;
}

git('worktree', 'add', '-q', '--detach', before, commit);
try {
  for (const part of ['node_modules', 'native/build', 'prebuilt'])
    try {
      symlinkSync(join(here, part), join(before, part));
    } catch {
      // Not here, or already there.
    }
  const path = input === '' ? benchFile(source, seconds) : input;
  console.log(
    `${input === '' ? `${seconds} s of ${source}` : input}, load ${loadavg()[0]?.toFixed(1)}, medians of ${runs}`,
  );
  console.log(
    '| Work | Tree | Cores | Wall, s | to before | CPU, s | to before | Peak, MB |\n|---|---|---|---|---|---|---|---|',
  );
  for (const one of cases) {
    const all: {
      readonly name: string;
      readonly threads: number;
      readonly tree: string;
      readonly figures: Figure[];
    }[] = [
      { name: 'before', threads: 1, tree: before, figures: [] },
      ...cores.map((threads) => ({ name: 'now', threads, tree: here, figures: [] })),
    ];
    for (let run = 0; run < runs; run += 1)
      for (const { tree, threads, figures } of all) figures.push(once(tree, one, path, threads));
    const base = all[0]?.figures ?? [];
    for (const { name, threads, figures } of all) {
      const ratio = (key: 'wallSeconds' | 'cpuSeconds'): string =>
        (median(figures, key) / median(base, key)).toFixed(3);
      console.log(
        `| ${one.name} | ${name} | ${threads} | ${median(figures, 'wallSeconds').toFixed(1)} | ${ratio('wallSeconds')} | ` +
          `${median(figures, 'cpuSeconds').toFixed(1)} | ${ratio('cpuSeconds')} | ${median(figures, 'peakMb').toFixed(0)} |`,
      );
    }
    const hashes = new Set(all.slice(1).flatMap(({ figures }) => figures.map(({ hash }) => hash)));
    console.log(hashes.size === 1 ? '' : `The outputs of ${one.name} differ: ${[...hashes].join(', ')}`);
  }
} finally {
  git('worktree', 'remove', '--force', before);
  rmSync(folder, { recursive: true, force: true });
}
