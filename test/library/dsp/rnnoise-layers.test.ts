import { expect, test } from 'vitest';
import { openRnnoise } from '../../../src/library/dsp/denoise/rnnoise/open-rnnoise.ts';
import { withVectorLayers } from '../../../src/library/kernels/rnnoise-layers.ts';
import { seeded } from '../../fixtures/random.ts';

type Rnnoise = ReturnType<typeof openRnnoise>;

const frame = 480;

/** What RNNoise makes of a sound in 16-bit scale: its samples, and the probability of speech in each frame. */
function suppressed(rnnoise: Rnnoise, sound: Float32Array): Float32Array {
  const state = rnnoise._rnnoise_create(0);
  const pointer = rnnoise._malloc(4 * frame);
  const out = new Float32Array(sound.length + sound.length / frame);
  for (let at = 0; at < sound.length; at += frame) {
    const place = rnnoise.HEAPF32.subarray(pointer / 4, pointer / 4 + frame);
    place.set(sound.subarray(at, at + frame));
    out[sound.length + at / frame] = rnnoise._rnnoise_process_frame(state, pointer, pointer);
    out.set(place, at);
  }
  rnnoise._free(pointer);
  rnnoise._rnnoise_destroy(state);
  return out;
}

const original = openRnnoise(() => null);
let changed: Uint8Array | null = null;
const vectors = openRnnoise((binary) => (changed = withVectorLayers(binary)));

test("the package's build is the one that the layers are for", () => {
  expect(changed).not.toBeNull();
});

const random = seeded(7);
const made = (at: (i: number) => number, frames = 60): Float32Array =>
  Float32Array.from({ length: frames * frame }, (_, i) => at(i));
test.each([
  ['noise that comes and goes', made((i) => 6000 * (random() - 0.5) * (1 + Math.sin(i / 9000)))],
  ['tones with noise', made((i) => 4000 * Math.sin(i / 20) + 3000 * Math.sin(i / 47) + 500 * (random() - 0.5))],
  ['clicks', made((i) => (i % 7001 === 0 ? 30_000 : 0))],
  ['silence', made(() => 0)],
  ['sound far over full scale', made(() => 1e12 * (random() - 0.5), 20)],
  ['no numbers', made((i) => (i % 1000 === 999 ? Number.NaN : 100 * random()), 5)],
])("%s: the same to the bit as the package's own layers", (_, sound) => {
  const [was, is] = [suppressed(original, sound), suppressed(vectors, sound)];
  expect(is.findIndex((x, i) => !Object.is(x, was[i]))).toBe(-1);
});

test('another build keeps its own code', () => {
  const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  expect(withVectorLayers(empty)).toBeNull();
  const other = openRnnoise((binary) => {
    const altered = binary.slice();
    // A constant of compute_linear: 127, by which inputs are multiplied.
    const at = Buffer.from(altered).indexOf(Buffer.from([0x43, 0, 0, 0xfe, 0x42]));
    altered[at + 3] = 0xff;
    expect(withVectorLayers(altered)).toBeNull();
    return null;
  });
  expect(other._rnnoise_create(0)).toBeGreaterThan(0);
});

test('only its own binary is looked at', () => {
  let looks = 0;
  openRnnoise(() => {
    looks += 1;
    return null;
  });
  openRnnoise();
  expect(looks).toBe(1);
});
