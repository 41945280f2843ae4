// What the recogniser writes of sound that is hard to hear, and what that costs, beside faster-whisper int8 with the
// same weights: words wrong on each recording by itself, processor time a written word on all in a row (two threads
// each).
//     node bench/speech/hard-cases.ts [--samples=FOLDER] [--more=FOLDER] [--only=clean,quiet,...] [--no-peers]
// [--no-cost] The samples lie beside the checkout; --more names a folder of more recordings with their texts in .txt
// files.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { speechRate } from '../../src/library/speech/speech-sound.ts';
import { joined, rms } from '../../test/fixtures/media/signals.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { hoarse, whisper } from '../../test/fixtures/sounds/revoice.ts';
import { flag, wanted } from '../compare.ts';
import { inRange, resampled, telephone } from '../quality/voice-cases.ts';
import { mix, noises, rate } from '../quality/mixtures.ts';
import { fasterWhisper, floats, normalised, ours, peer, type Reader, type Reading, samplesOf } from './readers.ts';
import { wordErrors } from './word-error.ts';
import { stuttered } from './wrong-script-cases.ts';

type Change = (samples: Float32Array) => Float32Array;

/** Level of the quiet recordings, and of a voice before noise is added. */
const [quietDbfs, noisySnrDb, radioSnrDb] = [-45, 10, 15];
/** Of a radio's voice the loudest parts are cut off, at so many times its RMS. */
const radioClip = 2;
const pauseSeconds = 4;
/** A pause is put into the softest place of so many seconds of speech. */
const secondsBetweenPauses = 5;

const wide = (samples: Float32Array): Float32Array => resampled(samples, speechRate, rate);
const narrow = (samples: Float32Array): Float32Array => resampled(samples, rate, speechRate);
const inPink = (decibels: number, plane: Float32Array): Float32Array =>
  inRange(mix(plane, (noises['pink'] as (frames: number) => Float32Array)(plane.length), decibels));
const byTelephone: Change = (samples) => resampled(telephone(wide(samples)), 8000, speechRate);

const quiet: Change = (samples) => {
  const gain = 10 ** (quietDbfs / 20) / rms(samples);
  return samples.map((x) => Math.round(x * gain * 32_767) / 32_767);
};

/** Long pauses of the room's own sound, where the speaker is softest. */
const paused: Change = (samples) => {
  const [step, every] = [speechRate / 10, secondsBetweenPauses * speechRate];
  const parts: Float32Array[] = [];
  for (let from = 0; from < samples.length; from += every) {
    const part = samples.subarray(from, from + every);
    let [best, least] = [0, Infinity];
    for (let at = 0; at + step <= part.length; at += step / 2) {
      const level = rms(part.subarray(at, at + step));
      if (level < least) [best, least] = [at + step / 2, level];
    }
    const random = seeded(from + 1);
    const pause = Float32Array.from({ length: pauseSeconds * speechRate }, () => least * (2 * random() - 1));
    parts.push(part.subarray(0, best), pause, part.subarray(best));
  }
  return joined(...parts);
};

/** By radio: a telephone's band in noise, cut off where it is loud. */
const byRadio: Change = (samples) => {
  const plane = byTelephone(inPink(radioSnrDb, samples));
  const most = radioClip * rms(plane);
  return plane.map((x) => Math.max(-most, Math.min(most, x)));
};

const conditions: Readonly<Record<string, Change>> = {
  clean: (samples) => samples,
  quiet,
  telephone: byTelephone,
  pink: (samples) => narrow(inPink(noisySnrDb, wide(samples))),
  hoarse: (samples) => narrow(inPink(noisySnrDb, hoarse(wide(samples)))),
  whispered: (samples) => narrow(inPink(noisySnrDb, whisper(wide(samples)))),
  pauses: paused,
  radio: byRadio,
  stuttered: (samples) => stuttered(samples, seeded(1)),
};

const titles: Readonly<Record<string, string>> = {
  clean: 'clean',
  quiet: `quiet, ${quietDbfs} dBFS in 16 bits`,
  telephone: 'telephone (300-3400 Hz, mu-law)',
  pink: `pink noise, ${noisySnrDb} dB`,
  hoarse: `made hoarse, pink noise, ${noisySnrDb} dB`,
  whispered: `made whispers, pink noise, ${noisySnrDb} dB`,
  pauses: `pauses of ${pauseSeconds} s`,
  radio: 'radio',
  stuttered: 'stuttered',
};

async function bench(work: string): Promise<void> {
  const folder = flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
  if (!existsSync(folder)) throw new Error(`Expected recordings with texts in ${folder}: name a folder with --samples`);
  const more = flag('more');
  const parts = [folder, join(folder, 'speech'), join(folder, 'fillers')].filter((one) => existsSync(one));
  const folders = more === undefined ? parts : [...parts, more];
  const samples = await samplesOf(folders, work);
  const faster = fasterWhisper();
  const readers: (readonly [string, Reader])[] = [['earshot', ours(2)]];
  if (faster !== null && !process.argv.includes('--no-peers')) readers.push(['faster', peer(faster, 'faster')]);
  const references = normalised(
    faster,
    samples.map(({ text }) => text),
  );
  const write = (name: string, sound: Float32Array): string => {
    const path = join(work, `${name}.f32`);
    writeFileSync(path, sound);
    return path;
  };
  const pause = new Float32Array(0.7 * speechRate);
  const warm = write('warm', floats(samples[0]?.path as string));
  console.log(
    `${samples.length} recordings; words by ${faster === null ? 'our small normaliser' : "Whisper's normaliser"}\n\n` +
      '| sound | read by | word error | wrong of words | missed recordings | CPU ms a written word |\n' +
      '|---|---|---|---|---|---|',
  );
  for (const [condition, change] of Object.entries(conditions)) {
    if (!wanted(condition)) continue;
    const sounds = samples.map(({ path }) => change(floats(path)));
    const paths = sounds.map((sound, index) => write(`${condition}-${index}`, sound));
    const row = write(`${condition}-row`, joined(...sounds.flatMap((sound) => [sound, pause])));
    const costs: number[] = [];
    for (const [name, read] of readers) {
      const all = read([warm, ...paths, ...(process.argv.includes('--no-cost') ? [] : [row])]);
      const heard = normalised(
        faster,
        all.slice(1, paths.length + 1).map(({ text }) => text),
      );
      const each = references.map((words, index) => wordErrors(words, heard[index] ?? []));
      const errors = each.reduce((sum, one) => sum + one.errors, 0);
      const words = each.reduce((sum, one) => sum + one.words, 0);
      const whole: Reading | undefined = all[paths.length + 1];
      const cost = whole === undefined ? NaN : (1000 * whole.cpuSeconds) / Math.max(1, whole.words);
      costs.push(cost);
      const against =
        costs.length > 1 ? ` (${((costs[1] as number) / (costs[0] as number)).toFixed(2)} times ours)` : '';
      console.log(
        `| ${titles[condition]} | ${name} | ${(errors / words).toFixed(4)} | ${errors} of ${words} | ` +
          `${heard.filter((one) => one.length === 0).length} | ` +
          `${Number.isNaN(cost) ? '' : cost.toFixed(1) + against} |`,
      );
      if (process.argv.includes('--each'))
        for (const [index, one] of each.entries())
          console.log(
            `    ${basename(samples[index]?.name ?? '').padEnd(24)} ${one.errors} of ${one.words}  ` +
              all[index + 1]?.text,
          );
    }
  }
}

const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
try {
  await bench(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
