// What method steady of remove_noise takes of hiss and keeps of a voice and of birds, and how near its reading of the
// noise is.
import { removeSteady } from '../../../src/library/dsp/denoise/steady/remove-steady.ts';
import { meterSteadyNoise, type SteadyNoise } from '../../../src/library/dsp/denoise/steady/steady-noise.ts';
import { birdsong, splitBy } from '../../../test/fixtures/sounds/birds.ts';
import { mix, noises, rate, sample } from '../../quality/mixtures.ts';
import { figure, type Measure } from '../figures.ts';
import { read, type Sound, through } from './damaged-sounds.ts';

const seconds = 12;
const frames = seconds * rate;
const leastGain = 10 ** (-30 / 20);

const levelOf = (plane: Float32Array): number =>
  10 * Math.log10(plane.reduce((sum, x) => sum + x * x, 0) / plane.length + 1e-20);
const noise = (name: string): Float32Array => (noises[name] as (frames: number) => Float32Array)(frames);
const minus = (noisy: Float32Array, wanted: Float32Array): Float32Array =>
  noisy.map((x, at) => x - (wanted[at] as number));

function clean(plane: Sound, steady: SteadyNoise): Float32Array {
  return through(removeSteady({ groups: { groups: [[0]] }, noise: steady, leastGain }), plane).subarray(0, frames);
}

export const measure: Measure = async () => {
  const said = sample('noise/clean_speech_48k.wav');
  const voice = Float32Array.from({ length: frames }, (_, at) => said[at % said.length] as number);
  const birds = birdsong(frames, rate);
  let [kept, better, wrongBy] = [0, 0, 0];
  const wantedInNoise = [voice, birds].flatMap((wanted) =>
    ['white', 'pink'].flatMap((name) => [10, 25].map((snrDb) => [wanted, mix(wanted, noise(name), snrDb)] as const)),
  );
  for (const [wanted, noisy] of wantedInNoise) {
    const plane = Float32Array.from(noisy);
    const steady = read(meterSteadyNoise(), plane);
    const [before, after] = [splitBy(plane, wanted), splitBy(clean(plane, steady), wanted)];
    kept += after.keptDb / wantedInNoise.length;
    better += (before.restDb - after.restDb) / wantedInNoise.length;
    wrongBy += Math.abs((steady.dbfs ?? -120) - levelOf(minus(plane, wanted))) / wantedInNoise.length;
  }
  let left = 0;
  for (const name of ['white', 'pink']) {
    const plane = Float32Array.from(noise(name));
    left += (levelOf(clean(plane, read(meterSteadyNoise(), plane))) - levelOf(plane)) / 2;
  }
  return [
    figure('signal to noise gained, mean', better, 'dB', 'higher', 2),
    figure('kept of voice and birds, mean', kept, 'dB', 'higher', 2),
    figure('left of noise alone', left, 'dB', 'lower', 1),
    figure('error of the level that is read, mean', wrongBy, 'dB', 'lower', 2),
  ];
};
