// The whole tool as people run it, in a process of its own: CPU and wall time, peak memory, on one core and on all.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEncoder } from '../../src/media/encode.ts';
import { deepFilterNetFolder } from './engines.ts';
import { rate, sample } from './mixtures.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** The noisy sample over and over, left and right. */
function writeMaterial(path: string, seconds: number, channels: number): void {
  const once = sample('noise/noisy_snr0_48k.wav');
  const sink = openEncoder(path, { sampleRate: rate, channels, layout: channels === 1 ? 'mono' : 'stereo' }, { format: 'wav', bitDepth: '16' });
  for (let second = 0; second < seconds; second += 1) {
    const plane = Float32Array.from({ length: rate }, (_, i) => once[(second * rate + i) % once.length] as number);
    sink.write({ planes: Array.from({ length: channels }, (_, channel) => plane.map((x) => x / (channel + 1))), frames: rate });
  }
  sink.finish();
  sink.close();
}

/** Whether cores can be taken away from a process here. */
const canPin = (): boolean => spawnSync('taskset', ['-V']).status === 0;

export async function benchSpeed(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
  const models = await deepFilterNetFolder();
  const seconds = Number(process.argv.find((arg) => arg.startsWith('--seconds='))?.slice('--seconds='.length) ?? 600);
  const counts = canPin() ? [...new Set([1, availableParallelism()])] : [availableParallelism()];
  try {
    console.log(`remove_noise, ${seconds} s, auto_volume off; real time over wall time, and over CPU time\n| engine | channels | cores | x wall | x CPU | CPU s | peak MB |\n|---|---|---|---|---|---|---|`);
    for (const channels of [1, 2]) {
      const input = join(folder, `in-${channels}.wav`);
      writeMaterial(input, seconds, channels);
      for (const engine of [...(models ? ['deepfilternet3'] : []), 'rnnoise']) {
        for (const cores of counts) {
          const command = ['-v', process.execPath, main, 'remove-noise', input, '--no-auto-volume', '-o', join(folder, 'out.wav'), '-y', '--json'];
          const pinned = canPin() ? ['taskset', '-c', cores === 1 ? '0' : `0-${cores - 1}`, '/usr/bin/time', ...command] : ['/usr/bin/time', ...command];
          const started = performance.now();
          const ran = spawnSync(pinned[0] as string, pinned.slice(1), { encoding: 'utf8', maxBuffer: 1 << 26, env: { ...process.env, EARSHOT_NOISE_ENGINE: engine, ...(models ? { EARSHOT_MODELS: models } : {}) } });
          const wall = (performance.now() - started) / 1000;
          if (ran.status !== 0) throw new Error(`${pinned.join(' ')} failed: ${ran.stderr}`);
          const read = (pattern: RegExp): number => Number(pattern.exec(ran.stderr)?.[1]);
          const cpu = read(/User time \(seconds\): ([\d.]+)/) + read(/System time \(seconds\): ([\d.]+)/);
          console.log(`| ${engine} | ${channels} | ${cores} | ${(seconds / wall).toFixed(1)} | ${(seconds / cpu).toFixed(1)} | ${cpu.toFixed(1)} | ${(read(/Maximum resident set size \(kbytes\): (\d+)/) / 1024).toFixed(0)} |`);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
