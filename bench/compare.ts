// One measured process beside its named peer.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { allocatorEnvironment } from '../src/library/runtime/process/spawn.ts';
import { type FilesByField, shapeInputs } from '../src/library/contract/tool-inputs.ts';
import { findTool, requireTool } from '../src/library/tools/registry.ts';
import { ffmpeg } from './media.ts';

export interface Figure {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMb: number;
}

/** Ten-minute files and fewer runs; and no 10-hour files. */
const quick = process.argv.includes('--quick');
export const withoutLong = process.argv.includes('--no-10h') || quick;
export const seconds = quick ? 600 : 3600;
export const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
export const runs = Number(flag('runs') ?? 3);
const only = flag('only')?.split(',');
/** Is this part of the bench asked for? `--only=decode,memory` names parts; without it all are. */
export const wanted = (part: string): boolean => only === undefined || only.includes(part);
const worker = fileURLToPath(new URL('worker.ts', import.meta.url));

/** @param inputs a path, or paths by input field */
export function ours(work: string, inputs: string | FilesByField<string>, options: object = {}): Figure {
  const ran = spawnSync(
    process.execPath,
    [
      worker,
      work,
      typeof inputs === 'string' ? inputs : JSON.stringify(shapeInputs(requireTool(work).inputs, inputs)),
      JSON.stringify(findTool(work)?.parseOptions(options) ?? {}),
    ],
    { encoding: 'utf8', env: { ...allocatorEnvironment, ...process.env } },
  );
  if (ran.status !== 0) throw new Error(`${work} failed: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as Figure;
}

/** ffmpeg's own accounting of its process, which it prints with -benchmark; several commands add up. */
export function peer(...commands: readonly (readonly string[])[]): Figure {
  let total: Figure = { cpuSeconds: 0, wallSeconds: 0, peakMb: 0 };
  for (const args of commands) {
    const { stderr } = ffmpeg(['-benchmark', '-nostats', ...args]);
    const [, utime, stime, rtime] = /utime=([\d.]+)s stime=([\d.]+)s rtime=([\d.]+)s/.exec(stderr) ?? [];
    const rss = /maxrss=(\d+)ki?B/i.exec(stderr)?.[1];
    total = {
      cpuSeconds: total.cpuSeconds + Number(utime) + Number(stime),
      wallSeconds: total.wallSeconds + Number(rtime),
      peakMb: Math.max(total.peakMb, Number(rss) / 1024),
    };
  }
  return total;
}

/** A program and what it is told. */
export type Command = readonly string[];
export const fromSources = process.argv.includes('--sources');
const cli = fileURLToPath(new URL(fromSources ? '../src/cli/main.ts' : '../dist/cli/main.js', import.meta.url));
/** What `npm run build` made; with `--sources` the sources. */
export const earshot = (...args: readonly string[]): Command => [process.execPath, cli, ...args];
export const ffmpegCommand = (...args: readonly string[]): Command => [
  'ffmpeg',
  '-nostdin',
  '-v',
  'error',
  '-y',
  ...args,
];

/** Of children that have ended, with theirs; in steps of 10 ms. */
function childrenCpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return ((fields[13] ?? 0) + (fields[14] ?? 0)) / 100;
}

export interface Cost {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

/** Of whole commands, one after the other, with every process that they start. */
export function costOf(commands: readonly Command[], cwd?: string): Cost {
  const [cpu, startedAt] = [childrenCpuSeconds(), performance.now()];
  for (const command of commands) {
    const [program = '', ...args] = command;
    const { status, stderr, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    if (status !== 0) throw new Error(`${command.join(' ')} failed: ${error?.message ?? stderr.toString()}`);
  }
  return { wallSeconds: (performance.now() - startedAt) / 1000, cpuSeconds: childrenCpuSeconds() - cpu };
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Alternates the two, so that a change of the machine's speed meets both. */
export function compare(name: string, peerName: string, mine: () => Figure, theirs: () => Figure): Figure {
  const a: Figure[] = [];
  const b: Figure[] = [];
  for (let run = 0; run < runs; run += 1) {
    a.push(mine());
    b.push(theirs());
  }
  const cpu = median(a.map((figure) => figure.cpuSeconds));
  const peerCpu = median(b.map((figure) => figure.cpuSeconds));
  const ratio = median(a.map((figure, run) => figure.cpuSeconds / (b[run] as Figure).cpuSeconds));
  const peakMb = Math.max(...a.map((figure) => figure.peakMb));
  const row = [
    name,
    peerName,
    cpu.toFixed(2),
    peerCpu.toFixed(2),
    ratio.toFixed(2),
    (seconds / median(a.map((figure) => figure.wallSeconds))).toFixed(0),
    peakMb.toFixed(0),
  ];
  console.log(`| ${row.join(' | ')} |`);
  return { cpuSeconds: cpu, wallSeconds: median(a.map((figure) => figure.wallSeconds)), peakMb };
}

export const machineLine = (): string =>
  `machine: ${cpus().length} x ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ` +
  `${process.version}; media ${seconds} s; medians of ${runs}`;

export const tableHead =
  '| work | peer | CPU s | peer CPU s | CPU ratio | x real time | peak MB |\n|---|---|---|---|---|---|---|';
