// What remove_noise takes away from two voices that speak at once without noise, in pairs of read voices.
//   node bench/quality/two-voices.ts [--engine=rnnoise]
// Each voice is filtered as the suppressor filtered both (speech-distortion.ts). A dip: 0.2 s and more in which a voice
// within 12 dB of its loud parts loses over 12 dB.
import { chooseNoiseEngine } from '../../src/library/dsp/denoise/engines.ts';
import { watched } from '../../test/fixtures/sounds/watched.ts';
import { atLevel, dipsOf } from './dips.ts';
import { rate, sample } from './mixtures.ts';
import { asFiltered } from './speech-distortion.ts';

const seconds = 12;
const loudDb = 12;
const voices = [
  'noise/clean_speech_48k.wav',
  'speech/sonnet001.mp3',
  'speech/jfk.wav',
  'speech/austen-0870.wav',
  'speech/austen-0890.wav',
];

const engineId = process.argv.includes('--engine=rnnoise') ? 'rnnoise' : 'deepfilternet3';
const engine = await chooseNoiseEngine(undefined, engineId);

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
        const found = dipsOf(part, asFiltered(part, both, out), loudDb);
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
