// What remove_noise takes away from two voices that speak at once without noise, in pairs of read voices.
//   node bench/quality/two-voices.ts [--engine=rnnoise]
// Each voice is filtered as the suppressor filtered both (speech-distortion.ts). A dip: 0.2 s and more in which a voice
// within 12 dB of its loud parts loses over 12 dB.
import { chooseNoiseEngine } from '../../src/library/dsp/denoise/engines.ts';
import { slidingMean, visitRuns } from '../../src/library/dsp/series/sliding.ts';
import { watched } from '../../test/fixtures/sounds/watched.ts';
import { rate, sample } from './mixtures.ts';
import { asFiltered } from './speech-distortion.ts';

const seconds = 12;
const hop = rate / 100;
const [lostDb, loudDb, leastHops] = [12, 12, 20];
const voices = [
  'noise/clean_speech_48k.wav',
  'speech/sonnet001.mp3',
  'speech/jfk.wav',
  'speech/austen-0870.wav',
  'speech/austen-0890.wav',
];

const engineId = process.argv.includes('--engine=rnnoise') ? 'rnnoise' : 'deepfilternet3';
const engine = await chooseNoiseEngine(undefined, engineId);

function atLevel(plane: Float32Array, dbfs: number): Float32Array {
  const rms = Math.sqrt(plane.reduce((sum, x) => sum + x * x, 0) / plane.length);
  return plane.map((x) => (x * 10 ** (dbfs / 20)) / rms);
}

/** Mean power around each hop, 90 ms long. */
function powersOf(plane: Float32Array): Float32Array {
  const powers = Float32Array.from({ length: Math.floor(plane.length / hop) }, (_, t) =>
    plane.subarray(t * hop, (t + 1) * hop).reduce((sum, x) => sum + x * x, 0),
  );
  return slidingMean(powers, 4);
}

/** Seconds and decibels of each dip. */
function dips(voice: Float32Array, left: Float32Array): { from: number; seconds: number; db: number }[] {
  const [before, after] = [powersOf(voice), powersOf(left)];
  const loud = before.toSorted()[Math.floor(0.95 * before.length)] ?? 0;
  const lost = Uint8Array.from(before, (x, t) =>
    x > loud * 10 ** (-loudDb / 10) && (after[t] as number) < x * 10 ** (-lostDb / 10) ? 1 : 0,
  );
  const found: { from: number; seconds: number; db: number }[] = [];
  visitRuns(lost, (start, end) => {
    if (end - start < leastHops) return;
    const sum = (powers: Float32Array): number => powers.subarray(start, end).reduce((total, x) => total + x, 0);
    const db = 10 * Math.log10((sum(after) + 1e-12) / sum(before));
    found.push({ from: start / 100, seconds: (end - start) / 100, db });
  });
  return found;
}

const planes = voices.map((name) => atLevel(sample(name).slice(0, seconds * rate), -23));
let [count, sum, spoken] = [0, 0, 0];
for (const [i, first] of planes.entries())
  for (const [j, other] of planes.entries())
    for (const softerDb of j > i ? [0, 6] : []) {
      const frames = Math.min(first.length, other.length);
      const parts = [first.slice(0, frames), other.slice(0, frames).map((x) => x * 10 ** (-softerDb / 20))] as const;
      const both = parts[0].map((x, n) => x + (parts[1][n] as number));
      const [out] = (await watched(engine, [both])).planes as [Float32Array];
      for (const [which, part] of parts.entries()) {
        const found = dips(part, asFiltered(part, both, out));
        count += found.length;
        sum += found.reduce((total, dip) => total + dip.seconds, 0);
        spoken += frames / rate;
        const places = found.map(({ from, seconds: length, db }) => `${from} s: ${length} s by ${db.toFixed(0)} dB`);
        if (found.length > 0)
          console.log(`${voices[which ? j : i]} with ${voices[which ? i : j]}, ${softerDb} dB: ${places.join('; ')}`);
      }
    }
console.log(`${engineId}: ${count} dips, ${sum.toFixed(1)} of ${spoken.toFixed(0)} s`);
process.exit();
