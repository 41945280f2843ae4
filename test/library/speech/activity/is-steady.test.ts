import { expect, it } from 'vitest';
import { isSteady } from '../../../../src/library/speech/activity/is-steady.ts';
import { seeded } from '../../../fixtures/random.ts';
import { soundOf, speechOf, withNoise } from '../../../fixtures/spoken-sounds.ts';

const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Date.now() % 1_000_000);
console.log(`is steady: EARSHOT_TEST_SEED=${seed}`);

const rate = 16_000;
const made = (seconds: number, at: (index: number) => number): Float32Array =>
  Float32Array.from({ length: Math.round(seconds * rate) }, (_, index) => at(index));
const random = seeded(seed);
const white = (gain: number) => (): number => gain * (random() - 0.5);
it.each<readonly [string, Float32Array]>([
  ['nothing', new Float32Array(0)],
  ['one sample', Float32Array.of(0.5)],
  ['silence', new Float32Array(20 * rate)],
  ['an offset', new Float32Array(20 * rate).fill(0.3)],
  ['white noise', made(300, white(0.2))],
  ['the noise of 16 bits', made(60, () => Math.round(2 * random() - 1) / 32_768)],
  ['a tone', made(30, (index) => 0.3 * Math.sin((2 * Math.PI * 440 * index) / rate))],
  ['clicks in silence', made(60, (index) => (index % (20 * rate) === 0 ? 1 : 0))],
])('%s can hold no voice', (_, samples) => {
  const sound = soundOf(samples);
  expect(isSteady(sound)).toBe(true);
  sound.close();
});

const jfk = await speechOf('jfk.wav');
const speech = jfk.read(0, jfk.frames);
const quietly = speech.map((sample) => Math.round(sample * 0.002 * 32_768) / 32_768);

it.each<readonly [string, () => Float32Array]>([
  ['speech', () => speech],
  ['speech 54 dB down in 16 bits', () => quietly],
  ['speech in noise 5 dB louder', () => withNoise(speech, -5, random)],
  [
    'speech below rumble',
    () => speech.map((sample, index) => 0.1 * sample + 0.9 * Math.sin((2 * Math.PI * 40 * index) / rate)),
  ],
  ['one word in ten minutes', () => inSilence(speech.subarray(5000, 10_000))],
])('%s is not steady', (_, samples) => {
  const sound = soundOf(samples());
  expect(isSteady(sound)).toBe(false);
  sound.close();
});

function inSilence(word: Float32Array): Float32Array {
  const all = new Float32Array(600 * rate);
  all.set(word, 400 * rate);
  return all;
}
