// The whole tool as people run it, in a process of its own: CPU and wall time, peak memory, on one core and on all.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEncoder } from '../../src/library/media/write/encode.ts';
import { deepFilterNetFolder } from './engines.ts';
import { rate, sample } from './mixtures.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** The noisy sample over and over, left and right. */
function writeMaterial(path: string, seconds: number, channels: number): void {
  const once = sample('noise/noisy_snr0_48k.wav');
  const sink = openEncoder(
    path,
    { sampleRate: rate, channels, layout: channels === 1 ? 'mono' : 'stereo' },
    { format: 'wav', bitDepth: '16' },
  );
  for (let second = 0; second < seconds; second += 1) {
    const plane = Float32Array.from({ length: rate }, (_, i) => once[(second * rate + i) % once.length] as number);
    sink.write({
      planes: Array.from({ length: channels }, (_, channel) => plane.map((x) => x / (channel + 1))),
      frames: rate,
    });
  }
  sink.finish();
  sink.close();
}

/** Whether cores can be taken away from a process here. */
const canPin = (): boolean => spawnSync('taskset', ['-V']).status === 0;

export interface SpeedOptions {
  /** Length of the recording. */
  readonly seconds: number;
  /** How often each is run; the middle one by wall time counts. */
  readonly times: number;
}

interface Ran {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

function runTool(input: string, output: string, engine: string, models: string | null, cores: number): Ran {
  const command = [
    '-v',
    process.execPath,
    main,
    'remove-noise',
    input,
    '--no-auto-volume',
    '-o',
    output,
    '-y',
    '--json',
  ];
  const pinned = canPin()
    ? ['taskset', '-c', cores === 1 ? '0' : `0-${cores - 1}`, '/usr/bin/time', ...command]
    : ['/usr/bin/time', ...command];
  const started = performance.now();
  const ran = spawnSync(pinned[0] as string, pinned.slice(1), {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, EARSHOT_NOISE_ENGINE: engine, ...(models ? { EARSHOT_MODELS: models } : {}) },
  });
  const wallSeconds = (performance.now() - started) / 1000;
  if (ran.status !== 0) throw new Error(`${pinned.join(' ')} failed: ${ran.error?.message ?? ran.stderr}`);
  const read = (pattern: RegExp): number => Number(pattern.exec(ran.stderr)?.[1]);
  const cpuSeconds = read(/User time \(seconds\): ([\d.]+)/) + read(/System time \(seconds\): ([\d.]+)/);
  return { wallSeconds, cpuSeconds, peakMegabytes: read(/Maximum resident set size \(kbytes\): (\d+)/) / 1024 };
}

export async function benchSpeed({ seconds, times }: SpeedOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
  const models = await deepFilterNetFolder();
  const counts = canPin() ? [...new Set([1, availableParallelism()])] : [availableParallelism()];
  try {
    console.log(
      `remove_noise, ${seconds} s, auto_volume off; real time over wall time and over CPU time, median of ` +
        `${times}; load is the machine's average over the last minute\n| engine | channels | cores | x wall | x ` +
        `CPU | CPU s | peak MB | load |\n|---|---|---|---|---|---|---|---|`,
    );
    for (const channels of [1, 2]) {
      const input = join(folder, `in-${channels}.wav`);
      writeMaterial(input, seconds, channels);
      for (const engine of [...(models ? ['deepfilternet3'] : []), 'rnnoise']) {
        for (const cores of counts) {
          const runs = Array.from({ length: times }, () =>
            runTool(input, join(folder, 'out.wav'), engine, models, cores),
          ).toSorted((a, b) => a.wallSeconds - b.wallSeconds);
          const { wallSeconds, cpuSeconds, peakMegabytes } = runs[Math.floor(times / 2)] as Ran;
          console.log(
            `| ${engine} | ${channels} | ${cores} | ${(seconds / wallSeconds).toFixed(1)} | ` +
              `${(seconds / cpuSeconds).toFixed(1)} | ${cpuSeconds.toFixed(1)} | ` +
              `${peakMegabytes.toFixed(0)} | ${loadavg()[0]?.toFixed(1)} |`,
          );
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
