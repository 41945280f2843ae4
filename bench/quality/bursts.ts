// What remove_noise and enhance_voice leave of mouth clicks and plosives that were put into voices by script
// (test/fixtures/sounds/clicks-and-plosives.ts), and what is taken for one in recordings as they are.
//   node bench/quality/bursts.ts [--only=jfk]
// Segmental SNR where a click or plosive is: of the recording against the voice without it, and of each tool's output
// against its output for the voice without it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { meterBursts } from '../../src/library/dsp/repair/bursts.ts';
import { removeClicks } from '../../src/library/dsp/repair/remove-clicks.ts';
import { removePlosives } from '../../src/library/dsp/repair/remove-plosives.ts';
import { enhanceVoice } from '../../src/library/tools/enhance_voice/tool.ts';
import { removeNoise } from '../../src/library/tools/remove_noise/tool.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { runTool } from '../../test/fixtures/media/run-context.ts';
import { seeded } from '../../test/fixtures/random.ts';
import {
  segmentalSnrDb,
  type Spoilt,
  withClicks,
  withPlosives,
} from '../../test/fixtures/sounds/clicks-and-plosives.ts';
import { read, type Sound, through } from '../constants/measures/damaged-sounds.ts';
import { rate, readVoices, sample } from './mixtures.ts';
import { sdr } from './repair-cases.ts';

const seconds = 12;
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length) ?? '';
const others = [5, 6, 7, 8].map((n) => `meetings/ami-trn0${n}.wav`);

/** Room for plosives of four times the voice. */
const soft = (plane: Float32Array): Sound => {
  const most = plane.reduce((peak, x) => Math.max(peak, Math.abs(x)), 0);
  return Float32Array.from(plane, (x) => (0.15 * x) / most);
};
const kinds: Readonly<Record<string, (plane: Float32Array) => Spoilt>> = {
  'clicks -30 to -12 dB': (plane) => withClicks(plane, rate, seeded(5)),
  'clicks -12 to -6 dB': (plane) => withClicks(plane, rate, seeded(5), [-12, -6]),
  'plosives -6 to 0 dB': (plane) => withPlosives(plane, rate, seeded(6), [-6, 0]),
  'plosives 6 to 12 dB': (plane) => withPlosives(plane, rate, seeded(6)),
};
const shown = (db: number): string => db.toFixed(1).padStart(6);

const folder = mkdtempSync(join(tmpdir(), 'earshot-bursts-'));
let files = 0;
async function run(tool: typeof enhanceVoice | typeof removeNoise, plane: Float32Array): Promise<Float32Array> {
  files += 1;
  const path = writeWav(join(folder, `${files}.wav`), [plane], rate, 'f32');
  const done = await runTool(tool as typeof enhanceVoice, path, { auto_volume: false }, join(folder, `${files}-`));
  return readAll(done.path).planes[0] as Float32Array;
}

try {
  console.log('segmental SNR, dB: recording, remove_noise, enhance_voice');
  const sums = new Map<string, number[][]>();
  for (const name of readVoices.filter((one) => one.includes(only))) {
    const voice = soft(sample(name).slice(0, seconds * rate));
    const clean = [await run(removeNoise, voice), await run(enhanceVoice, voice)] as const;
    for (const [kind, spoil] of Object.entries(kinds)) {
      const { samples, spots } = spoil(voice);
      const snr = (got: Float32Array, wanted: Float32Array): number => segmentalSnrDb(got, wanted, rate, spots);
      const row = [
        snr(samples, voice),
        snr(await run(removeNoise, samples), clean[0]),
        snr(await run(enhanceVoice, samples), clean[1]),
      ];
      sums.set(kind, [...(sums.get(kind) ?? []), row]);
      console.log(
        `${name.padEnd(28)} ${kind.padEnd(21)} ${String(spots.length).padStart(3)}: ${row.map(shown).join('')}`,
      );
    }
  }
  for (const [kind, rows] of sums) {
    const means = [0, 1, 2].map((column) => rows.reduce((sum, row) => sum + (row[column] as number), 0) / rows.length);
    console.log(`${'mean'.padEnd(28)} ${kind.padEnd(21)}      ${means.map(shown).join('')}`);
  }
  console.log('found in recordings as they are, and signal to what was changed');
  let [found, length] = [0, 0];
  for (const name of [...readVoices, ...others].filter((one) => one.includes(only))) {
    const plane = soft(sample(name));
    const { clicks, plosives } = read(meterBursts(), plane);
    const out = through(removeClicks(clicks), through(removePlosives(plosives), plane));
    const count = [clicks, plosives].map(([own]) => own?.length ?? 0);
    if (readVoices.includes(name)) [found, length] = [found + (count[0] ?? 0) + (count[1] ?? 0), length + plane.length];
    const changed = sdr(out, plane);
    console.log(
      `${name.padEnd(28)} ${(plane.length / rate).toFixed(0).padStart(3)} s: ${count[0]} clicks, ${count[1]} ` +
        'plosives; ' +
        (changed > 150 ? 'nothing changed' : `${changed.toFixed(1)} dB`),
    );
  }
  if (length > 0) console.log(`read voices: ${((60 * found * rate) / length).toFixed(1)} a minute`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
