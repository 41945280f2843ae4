/**
 * Nanoseconds per sample (per channel and frame) of every kernel, with this processor's vectors, with plain
 * instructions and as WebAssembly, with a plain JavaScript peer for waveform peaks; then milliseconds of networks. The
 * processor's time, so that a busy machine gives the same. WebAssembly needs `npm run build:wasm`. Run: node
 * bench/kernels/run.ts [seconds of material, default 60] [repeats, default 7]
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createEnvelope } from '../../src/library/kernels/envelope.ts';
import { createLimiter } from '../../src/library/kernels/limiter.ts';
import { nativeKernels } from '../../src/library/kernels/load.ts';
import { createLoudness } from '../../src/library/kernels/loudness.ts';
import { applyGain, crossfade, mixInto } from '../../src/library/kernels/ops.ts';
import { createPeaks } from '../../src/library/kernels/peaks.ts';
import { resample, resampleReach } from '../../src/library/kernels/resample.ts';
import { createSpectrum } from '../../src/library/kernels/spectrum.ts';
import { createStats } from '../../src/library/kernels/stats.ts';
import { createTruePeak } from '../../src/library/kernels/true-peak.ts';
import { inBlocks, musicLike } from './material.ts';
import { networks } from './networks.ts';

type Planes = readonly Float32Array[];
interface Job {
  readonly name: string;
  /** Prepares fresh state and answers what is timed. */
  readonly prepare: (sampleRate: number) => (blocks: readonly Planes[]) => unknown;
}

const pushing =
  (
    make: (o: { sampleRate: number; channels: number }) => { push(planes: Planes): void },
    end: 'finish' | 'result',
  ): Job['prepare'] =>
  (sampleRate) => {
    const kernel = make({ sampleRate, channels: 2 });
    return (blocks) => {
      for (const block of blocks) kernel.push(block);
      return (kernel as unknown as Record<string, () => unknown>)[end]?.();
    };
  };

/** The straightforward way in JavaScript: one pass, least and greatest per 1/500 s. */
const naivePeaks: Job['prepare'] = (sampleRate) => (blocks) => {
  const least: number[] = [];
  const greatest: number[] = [];
  let position = 0;
  for (const block of blocks) {
    const [left, right] = block as [Float32Array, Float32Array];
    for (let i = 0; i < left.length; i++, position++) {
      const bin = Math.floor((position * 500) / sampleRate);
      const l = left[i]!;
      const r = right[i]!;
      if (bin === least.length) {
        least.push(Math.min(l, r));
        greatest.push(Math.max(l, r));
      } else {
        least[bin] = Math.min(least[bin]!, l, r);
        greatest[bin] = Math.max(greatest[bin]!, l, r);
      }
    }
  }
  return [least, greatest];
};

const limiting =
  (gainDb: number): Job['prepare'] =>
  (sampleRate) => {
    const limiter = createLimiter({ sampleRate, channels: 2, ceilingDbtp: -1, gainDb });
    return (blocks) => {
      for (const block of blocks)
        limiter.process(
          block,
          block.map((p) => scratch.subarray(0, p.length)),
        );
    };
  };
const scratch = new Float32Array(48000);

const loudness = (o: { sampleRate: number }) => createLoudness({ sampleRate: o.sampleRate, weights: [1, 1] });
const analysis: readonly Job[] = [
  { name: 'loudness', prepare: pushing(loudness, 'result') },
  { name: 'true peak', prepare: pushing(createTruePeak, 'finish') },
  { name: 'stats', prepare: pushing(createStats, 'result') },
  { name: 'envelope', prepare: pushing(createEnvelope, 'finish') },
  { name: 'spectrum', prepare: pushing(createSpectrum, 'result') },
];
const jobs: readonly Job[] = [
  ...analysis,
  {
    name: 'all five analysers, block by block',
    prepare: (sampleRate) => {
      const format = { sampleRate, channels: 2 };
      const kernels = [
        loudness(format),
        createTruePeak(format),
        createStats(format),
        createEnvelope(format),
        createSpectrum(format),
      ];
      return (blocks) => {
        for (const block of blocks) for (const kernel of kernels) kernel.push(block);
      };
    },
  },
  { name: 'peaks', prepare: pushing(createPeaks, 'finish') },
  { name: 'peaks, plain JavaScript (peer)', prepare: naivePeaks },
  { name: 'limiter, nothing to do (-12 dB)', prepare: limiting(-12) },
  { name: 'limiter, hot (+9 dB)', prepare: limiting(9) },
  {
    name: 'resample, 20 millionths faster',
    prepare: () => (blocks) => {
      const { before, after } = resampleReach;
      for (const plane of blocks.flat())
        resample(plane, { start: before, step: 1.00002, out: scratch, count: plane.length - before - after - 2 });
    },
  },
  { name: 'gain', prepare: () => (blocks) => blocks.forEach((b) => applyGain(b, 1)) },
  { name: 'mix', prepare: () => (blocks) => blocks.forEach((b) => mixInto(b, b, 1e-9)) },
  {
    name: 'crossfade, equal power',
    prepare: () => (blocks) =>
      blocks.forEach((b) =>
        crossfade(
          b,
          b,
          b.map((p) => scratch.subarray(0, p.length)),
          'equal-power',
        ),
      ),
  },
];

function measure(seconds: number, repeats: number): Record<string, number[]> {
  const result: Record<string, number[]> = {};
  for (const sampleRate of [48000, 44100]) {
    const material = musicLike(sampleRate, seconds);
    const blocks = [...inBlocks(material, sampleRate)];
    const samples = 2 * material[0]!.length;
    for (const job of jobs) {
      const times = Array.from(
        { length: repeats },
        () => (1e3 * timed(() => job.prepare(sampleRate)(blocks))) / samples,
      );
      (result[job.name] ??= []).push(middleOf(times));
    }
  }
  for (const [name, prepare] of Object.entries(networks)) {
    const work = prepare();
    result[name] = [middleOf(Array.from({ length: repeats }, () => timed(work) / 1e3))];
  }
  return result;
}

const middleOf = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1]!;

/** Microseconds of this thread's processor time, of as many rounds as such clocks need, which tick slowly. */
function timed(work: () => unknown): number {
  const start = process.threadCpuUsage();
  for (let rounds = 1; ; rounds++) {
    work();
    const { user, system } = process.threadCpuUsage(start);
    if (user + system > leastMicroseconds) return (user + system) / rounds;
  }
}
const leastMicroseconds = 100_000;

const [seconds = 60, repeats = 7] = process.argv
  .slice(2)
  .map(Number)
  .filter((x) => x > 0);
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ simd: nativeKernels().simd, result: measure(seconds, repeats) }));
} else {
  const paths = [{}, { EARSHOT_SIMD: 'scalar' }, { EARSHOT_KERNELS: 'wasm' }].map((environment) => {
    const run = spawnSync(
      process.execPath,
      [fileURLToPath(import.meta.url), String(seconds), String(repeats), '--json'],
      {
        env: { ...process.env, ...environment },
        encoding: 'utf8',
        maxBuffer: 1 << 24,
      },
    );
    if (run.status !== 0) throw new Error(run.stderr);
    return JSON.parse(run.stdout) as { simd: string; result: Record<string, number[]> };
  });
  console.log(
    `ns per sample (channel and frame), stereo, ${seconds} s of music-like material in blocks of 1 s, ` +
      `median of ${repeats}\n`,
  );
  const head = ['kernel', ...paths.flatMap((p) => [`${p.simd} 48k`, `${p.simd} 44.1k`])];
  const rows = jobs.map((job) => [
    job.name,
    ...paths.flatMap((p) => (p.result[job.name] ?? []).map((x) => x.toFixed(3))),
  ]);
  const total = (p: number, rate: number): string =>
    analysis.reduce((sum, job) => sum + (paths[p]?.result[job.name]?.[rate] ?? 0), 0).toFixed(3);
  const sums = paths.flatMap((_, path) => [total(path, 0), total(path, 1)]);
  rows.splice(analysis.length, 0, ['sum of the five analysers', ...sums]);
  table([head, ...rows]);
  console.log('\nms of a call\n');
  table([
    ['network', ...paths.map((p) => p.simd)],
    ...Object.keys(networks).map((name) => [name, ...paths.map((p) => (p.result[name]?.[0] ?? 0).toFixed(1))]),
  ]);
}

function table(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, c) => Math.max(...rows.map((row) => row[c]!.length)));
  for (const row of rows)
    console.log(row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!))).join('  '));
}
