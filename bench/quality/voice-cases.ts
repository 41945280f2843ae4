// Voices spoilt by script: rooms, telephones, dull and sharp microphones.
import { createFir } from '../../src/library/kernels/fir.ts';
import { createFormatConverter } from '../../src/library/media/convert/format-converter.ts';
import { seeded } from '../../test/fixtures/random.ts';

export { seeded };

const rate = 48_000;

/** Scaled to a peak of 0.5. */
export const inRange = (plane: Float32Array): Float32Array => {
  const most = plane.reduce((peak, x) => Math.max(peak, Math.abs(x)), 0);
  return plane.map((x) => (0.5 * x) / most);
};

/**
 * A room's impulse response: direct sound, then noise that decays by 60 dB in `t60Seconds`, `drrDb` weaker than the
 * direct sound.
 */
export function room(t60Seconds: number, drrDb: number, seed: number): Float32Array {
  const random = seeded(seed);
  const response = new Float32Array(Math.round(t60Seconds * rate));
  for (let i = Math.round(0.003 * rate); i < response.length; i += 1)
    response[i] = (random() + random() + random() - 1.5) * 10 ** ((-3 * i) / (t60Seconds * rate));
  const scale = Math.sqrt(10 ** (-drrDb / 10) / response.reduce((sum, x) => sum + x * x, 0));
  return response.map((x, i) => (i === 0 ? 1 : x * scale));
}

/** As long as the plane. */
export function convolve(plane: Float32Array, response: Float32Array): Float32Array {
  const out = new Float32Array(plane.length);
  for (let from = 0; from < response.length; from += 16_384) {
    const fir = createFir({ channels: 1, taps: response.slice(from, from + 16_384) });
    const padded = new Float32Array(plane.length + fir.latencyFrames);
    padded.set(plane);
    const part = new Float32Array(padded.length);
    fir.process([padded], [part]);
    for (let i = from; i < plane.length; i += 1)
      out[i] = (out[i] as number) + (part[i - from + fir.latencyFrames] as number);
  }
  return out;
}

/** Linear-phase filter by windowed frequency sampling, aligned. */
export function filtered(plane: Float32Array, gain: (hz: number) => number): Float32Array {
  const reach = 1024;
  const points = 4096;
  const taps = new Float32Array(2 * reach + 1);
  for (let n = 0; n <= reach; n += 1) {
    let sum = 0;
    for (let k = 0; k <= points; k += 1)
      sum += (k === 0 || k === points ? 0.5 : 1) * gain((k * rate) / 2 / points) * Math.cos((Math.PI * k * n) / points);
    taps[reach + n] = taps[reach - n] = (sum / points) * (0.5 + 0.5 * Math.cos((Math.PI * n) / (reach + 1)));
  }
  const padded = new Float32Array(plane.length + reach);
  padded.set(plane);
  return convolve(padded, taps).slice(reach);
}

/** Changes the sample rate, aligned. */
export function resampled(plane: Float32Array, from: number, to: number): Float32Array {
  const converter = createFormatConverter(
    { sampleRate: from, channels: 1, layout: 'mono' },
    { sampleRate: to, channels: 1 },
  );
  const parts = [
    converter.convert({ planes: [plane], frames: plane.length })?.planes[0]?.slice(),
    converter.flush()?.planes[0]?.slice(),
  ];
  return Float32Array.from(parts.flatMap((part) => [...(part ?? [])]));
}

/** Telephone: 300 to 3400 Hz, 8 kHz, 8 bits of mu-law (ITU-T G.711). */
export function telephone(plane: Float32Array): Float32Array {
  const narrow = filtered(plane, (hz) => 1 / (1 + (300 / Math.max(1, hz)) ** 12) / (1 + (hz / 3550) ** 60));
  const slow = resampled(inRange(narrow), rate, 8000);
  return slow.map((x) => {
    const folded = Math.sign(x) * (Math.log(1 + 255 * Math.abs(x)) / Math.log(256));
    const coarse = Math.round(folded * 127) / 127;
    return (Math.sign(coarse) * (256 ** Math.abs(coarse) - 1)) / 255;
  });
}
