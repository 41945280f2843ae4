// YAMNet hears recordings of voices, music by script and noises as what they are.
import { expect, it } from 'vitest';
import {
  hasListener,
  hearingGain,
  listenerRate,
  openListener,
  patchSamples,
} from '../../../src/library/dsp/listener/listener.ts';
import { musicClass, speechClasses } from '../../../src/library/dsp/listener/sound-classes.ts';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { speechOf } from '../../fixtures/speech.ts';
import { noise } from '../../fixtures/media/signals.ts';
import { pieces } from '../../fixtures/sounds/music.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const listener = await openListener(undefined);
/** The pieces by script are of 48 kHz: of three samples the mean. */
const thirds = (plane: Float32Array): Float32Array =>
  Float32Array.from(
    { length: Math.floor(plane.length / 3) },
    (_, i) => ((plane[3 * i] as number) + (plane[3 * i + 1] as number) + (plane[3 * i + 2] as number)) / 3,
  );

it('a voice is speech, however soft, and its score does not depend on its level', async () => {
  const sound = await speechOf('jfk.wav');
  const samples = sound.read(0, sound.frames);
  sound.close();
  const loud = await listener.hear(samples);
  const soft = await listener.hear(samples.map((x) => 0.003 * x));
  expect(loud.patches).toBe(Math.floor((Math.floor((samples.length - 400) / 160) + 1 - 96) / 48) + 1);
  expect(loud.meanOf(speechClasses)).toBeGreaterThan(0.8);
  expect(loud.meanOf([musicClass])).toBeLessThan(0.1);
  expect(soft.meanOf(speechClasses)).toBeCloseTo(loud.meanOf(speechClasses), 2);
});

it('parts of a sound heard at one gain have the scores of the whole', async () => {
  const sound = await speechOf('jfk.wav');
  const samples = sound.read(0, sound.frames);
  sound.close();
  let [power, peak] = [0, 0];
  for (const sample of samples)
    [power, peak] = [power + sample ** 2 / samples.length, Math.max(peak, Math.abs(sample))];
  const options = { gain: hearingGain(power, peak), hopRows: 24 };
  const whole = await listener.hear(samples, options);
  expect(whole.patches).toBe(Math.floor((Math.floor((samples.length - 400) / 160) + 1 - 96) / 24) + 1);
  // From the tenth patch on.
  const part = await listener.hear(samples.subarray(10 * 24 * 160), options);
  expect(part.patches).toBe(whole.patches - 10);
  for (let patch = 0; patch < part.patches; patch += 1)
    expect(part.scoreIn(patch, speechClasses)).toBeCloseTo(whole.scoreIn(patch + 10, speechClasses), 3);
});

it('a word alone is heard as speech with silence behind it', async () => {
  const sound = await speechOf('jfk.wav');
  const word = sound.read(Math.round(3.4 * listenerRate), Math.round(0.4 * listenerRate));
  sound.close();
  const heard = await listener.hear(word, { short: 'silence' });
  expect(heard.patches).toBe(1);
  expect(heard.meanOf(speechClasses)).toBeGreaterThan(0.3);
});

it.each(['pop', 'acoustic', 'rock'])('%s is music and no speech', async (name) => {
  const samples = thirds((pieces[name] as (seconds: number) => Float32Array)(6));
  const whole = await listener.hear(samples);
  expect(whole.meanOf([musicClass])).toBeGreaterThan(0.3);
  expect(whole.meanOf(speechClasses)).toBeLessThan(0.05);
  // A third of a second of it is enough.
  const short = await listener.hear(samples.subarray(2 * listenerRate, Math.round(2.3 * listenerRate)));
  expect(short.patches).toBe(1);
  expect(short.meanOf([musicClass])).toBeGreaterThan(0.3);
});

it('noise and silence are neither, and one sample is enough to be heard', async () => {
  for (const samples of [noise(3 * listenerRate, 3, 0.1), new Float32Array(patchSamples), Float32Array.of(0.5)]) {
    const heard = await listener.hear(samples);
    expect(heard.meanOf(speechClasses)).toBeLessThan(0.1);
    expect(heard.meanOf([musicClass])).toBeLessThan(0.1);
  }
});

it('a folder without its network is known, and named', async () => {
  const before = process.env['EARSHOT_MODELS_PACKAGE'];
  process.env['EARSHOT_MODELS_PACKAGE'] = '';
  try {
    const empty = temporaryFolder('earshot-no-models-');
    expect(await hasListener(empty)).toBe(false);
    const refused = await openListener(empty).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(EarshotError);
    expect(refused).toMatchObject({
      code: 'tool_unavailable',
      message: expect.stringContaining('sound-classifier') as string,
    });
  } finally {
    if (before === undefined) delete process.env['EARSHOT_MODELS_PACKAGE'];
    else process.env['EARSHOT_MODELS_PACKAGE'] = before;
  }
});
