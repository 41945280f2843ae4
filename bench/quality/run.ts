// `node bench/quality/run.ts`: SI-SDR and log-spectral distance of both noise suppressors beside ffmpeg's afftdn, on mixtures made by
// script. `--write=folder` writes every mixture and result for listening; `--speed` measures the whole tool on one core and on all.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEncoder } from '../../src/media/encode.ts';
import { cleaners } from './engines.ts';
import { logSpectralDistance, siSdr } from './measures.ts';
import { mix, noises, rate, sample } from './mixtures.ts';
import { benchSpeed } from './speed.ts';

const folder = process.argv.find((arg) => arg.startsWith('--write='))?.slice('--write='.length);
if (folder) mkdirSync(folder, { recursive: true });

function write(name: string, plane: Float32Array): void {
  if (!folder) return;
  const sink = openEncoder(join(folder, `${name}.wav`), { sampleRate: rate, channels: 1, layout: 'mono' }, { format: 'wav', bitDepth: '32f' });
  for (let at = 0; at < plane.length; at += rate) {
    const part = plane.slice(at, at + rate);
    sink.write({ planes: [part], frames: part.length });
  }
  sink.finish();
  sink.close();
}

async function benchQuality(): Promise<void> {
  const engines = await cleaners();
  const names = Object.keys(engines);
  const clean = sample('noise/clean_speech_48k.wav');
  const rows: [string, number | null, Float32Array][] = [['upstream test file', null, sample('noise/noisy_snr0_48k.wav')], ['no noise', Number.POSITIVE_INFINITY, clean]];
  for (const [kind, noise] of Object.entries(noises)) {
    const sound = noise(clean.length);
    for (const snr of [-5, 0, 5, 10, 15, 20]) rows.push([`${kind} ${snr} dB`, snr, mix(clean, sound, snr)]);
  }
  console.log(`SI-SDR, dB (log-spectral distance, dB)\n| mixture | in | ${names.join(' | ')} |\n|---|---|${names.map(() => '---').join('|')}|`);
  const gains = new Map(names.map((name) => [name, [] as number[]]));
  const worst = new Map(names.map((name) => [name, Number.POSITIVE_INFINITY]));
  for (const [title, snr, input] of rows) {
    const before = siSdr(input, clean);
    const noiseDbfs = 10 * Math.log10(input.reduce((sum, x, i) => sum + (x - (clean[i] as number)) ** 2, 0) / input.length + 1e-12);
    write(`${title} - in`, input);
    const cells: string[] = [];
    for (const name of names) {
      const out = await (engines[name] as (typeof engines)[string])(input, noiseDbfs);
      write(`${title} - ${name}`, out);
      const after = siSdr(out, clean);
      cells.push(`${after.toFixed(2)} (${logSpectralDistance(out, clean).toFixed(1)})`);
      if (snr !== null && snr >= 0 && snr <= 10) gains.get(name)?.push(after - before);
      if (snr !== null && snr < 15) worst.set(name, Math.min(worst.get(name) ?? 0, after - before));
    }
    console.log(`| ${title} | ${before.toFixed(2)} (${logSpectralDistance(input, clean).toFixed(1)}) | ${cells.join(' | ')} |`);
  }
  const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
  console.log(`| mean gain, 0 to 10 dB | | ${names.map((name) => mean(gains.get(name) ?? []).toFixed(2)).join(' | ')} |`);
  console.log(`| least gain under 15 dB | | ${names.map((name) => worst.get(name)?.toFixed(2)).join(' | ')} |`);
}

if (process.argv.includes('--speed')) await benchSpeed();
else await benchQuality();
