// What remove_noise takes away from sentences that end in a creak: the last 0.8 s before a pause creak, by script, as
// loud as they were or 8 dB softer.
//   node bench/quality/creaking-ends.ts [--engine=rnnoise]
// A dip: 0.2 s and more within 25 dB of the voice's loud parts that lose over 12 dB. What is not at an end is not
// counted.
import { chooseNoiseEngine } from '../../src/library/dsp/denoise/engines.ts';
import { creak } from '../../test/fixtures/sounds/revoice.ts';
import { watched } from '../../test/fixtures/sounds/watched.ts';
import { atLevel, dipsOf, hopPowers, loudPower } from './dips.ts';
import { rate, readVoices, sample } from './mixtures.ts';
import { seeded } from './voice-cases.ts';

const seconds = 12;
const hop = rate / 100;
const [loudDb, creakHops, pauseHops, leastHops] = [25, 80, 30, 120];
const engineId = process.argv.includes('--engine=rnnoise') ? 'rnnoise' : 'deepfilternet3';
const engine = await chooseNoiseEngine(undefined, engineId);

/** Hops before which sentences end: sound, then a pause of 0.3 s. */
function endsOf(voice: Float32Array): number[] {
  const powers = hopPowers(voice);
  const least = 0.003 * loudPower(powers);
  const ends = new Set<number>();
  let last = -1;
  for (const [t, power] of powers.entries()) {
    if (power > least) last = t;
    else if (t - last === pauseHops && last > leastHops) ends.add(last);
  }
  if (last > leastHops) ends.add(last);
  return [...ends];
}

/** The voice with creaks at its ends. @param softerDb than it was there */
function creaking(voice: Float32Array, beats: Float32Array, ends: readonly number[], softerDb: number): Float32Array {
  const out = voice.slice();
  for (const end of ends) {
    const [from, to] = [(end - creakHops) * hop, Math.min(out.length, (end + 3) * hop)];
    const power = (plane: Float32Array): number => plane.subarray(from, to).reduce((sum, x) => sum + x * x, 0);
    const gain = Math.sqrt(power(voice) / power(beats)) * 10 ** (-softerDb / 20);
    for (let i = from; i < to; i += 1) {
      const share = Math.min(1, (i - from) / (0.05 * rate), (to - i) / (0.03 * rate));
      out[i] = (1 - share) * (voice[i] as number) + share * gain * (beats[i] ?? 0);
    }
  }
  return out;
}

const random = seeded(1);
let [ended, lost, lostSeconds] = [0, 0, 0];
for (const name of readVoices) {
  const voice = atLevel(sample(name).slice(0, seconds * rate), -23);
  const ends = endsOf(voice);
  for (const seed of [1, 2, 3]) {
    const beats = creak(voice, seed);
    for (const softerDb of [0, 8]) {
      const made = creaking(voice, beats, ends, softerDb);
      const { planes } = await watched(engine, [made.map((x) => x + 0.0006 * (random() - 0.5))]);
      const dips = dipsOf(made, planes[0] as Float32Array, loudDb).filter((dip) =>
        ends.some((end) => dip.from * 100 < end && (dip.from + dip.seconds) * 100 > end - creakHops),
      );
      ended += ends.length;
      lost += dips.length;
      lostSeconds += dips.reduce((sum, dip) => sum + dip.seconds, 0);
      const places = dips.map(({ from, seconds: length, db }) => `${from} s: ${length} s by ${db.toFixed(0)} dB`);
      if (dips.length > 0) console.log(`${name}, creak ${seed}, ${softerDb} dB softer: ${places.join('; ')}`);
    }
  }
}
console.log(`${engineId}: ${lost} dips, ${lostSeconds.toFixed(1)} s, at ${ended} ends`);
process.exit();
