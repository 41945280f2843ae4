// What a voice goes through before it is to be known again. All at 16 kHz.
import { seeded } from '../../test/fixtures/random.ts';
import { coded, inRoom, type Point } from '../sync/rooms.ts';

export type Condition = 'clean' | 'noise 10 dB' | 'room' | 'Opus 12 kb/s' | 'telephone';
export const conditions: readonly Condition[] = ['clean', 'noise 10 dB', 'room', 'Opus 12 kb/s', 'telephone'];

const power = (sound: Float32Array): number => sound.reduce((sum, x) => sum + x * x, 0) / Math.max(1, sound.length);

/** Noise that falls by 3 dB an octave (Kellet), `snrDb` under the sound. */
function noisy(sound: Float32Array, snrDb: number, seed: number): Float32Array {
  const random = seeded(seed);
  let [b0, b1, b2] = [0, 0, 0];
  const noise = sound.map(() => {
    const white = 2 * random() - 1;
    b0 = 0.997_65 * b0 + 0.099_046 * white;
    b1 = 0.963 * b1 + 0.296_516_4 * white;
    b2 = 0.57 * b2 + 1.052_691_3 * white;
    return b0 + b1 + b2 + 0.1848 * white;
  });
  const gain = Math.sqrt(power(sound) / power(noise) / 10 ** (snrDb / 10));
  return sound.map((x, at) => x + gain * (noise[at] as number));
}

/** A room of its own for each clip: RT60 .3 to .6 s, a metre or two away, 22 dB of noise. */
function room(sound: Float32Array, seed: number): Float32Array {
  const random = seeded(seed);
  const between = (low: number, high: number): number => low + (high - low) * random();
  const size: Point = [between(4, 7), between(3, 5.5), between(2.4, 3)];
  const talker: Point = [between(1, 1.6), between(1, 1.6), between(1.1, 1.6)];
  const microphone: Point = [talker[0] + between(0.8, 1.6), talker[1] + between(0.3, 1), 1.1];
  return noisy(inRoom([sound], size, [talker], microphone, between(0.3, 0.6)), 22, seed + 1);
}

const peakAt = (sound: Float32Array, peak: number): Float32Array => {
  const most = sound.reduce((highest, x) => Math.max(highest, Math.abs(x)), 1e-9);
  return sound.map((x) => (x * peak) / most);
};

/** The telephone is ffmpeg's: filters and G.711 of its own, nothing of the library's. */
const telephone = ['-af', 'highpass=f=300:p=2,lowpass=f=3400:p=2', '-ar', '8000', '-c:a', 'pcm_mulaw'];

export function through(condition: Condition, sound: Float32Array, folder: string, seed: number): Float32Array {
  switch (condition) {
    case 'clean':
      return sound;
    case 'noise 10 dB':
      return noisy(sound, 10, seed);
    case 'room':
      return room(sound, seed);
    case 'Opus 12 kb/s':
      return coded(folder, peakAt(sound, 0.7), 'opus', ['-c:a', 'libopus', '-b:a', '12k', '-application', 'voip']);
    case 'telephone':
      return coded(folder, peakAt(sound, 0.7), 'wav', telephone);
  }
}
