// Speech as a telephone passes it on. A telephone makes voices more alike and takes 0.3 off the likeness to a print of
// clear sound, so a print has a second direction for it.
import { createFormatConverter } from '../../media/convert/format-converter.ts';
import { speechRate } from '../speech-sound.ts';

const telephoneRate = 8000;
const bandHz = { low: 300, high: 3400 };
const peak = 0.7;
const mu = 255;

/** A second-order section by the bilinear transform (Bristow-Johnson). */
function filter(samples: Float32Array, kind: 'low' | 'high', hz: number, q: number): void {
  const w = (2 * Math.PI * hz) / telephoneRate;
  const [cos, alpha] = [Math.cos(w), Math.sin(w) / (2 * q)];
  const b1 = kind === 'low' ? 1 - cos : -(1 + cos);
  const b0 = Math.abs(b1) / 2;
  const a0 = 1 + alpha;
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  for (const [at, x] of samples.entries()) {
    const y = (b0 * (x + x2) + b1 * x1 + 2 * cos * y1 - (1 - alpha) * y2) / a0;
    [x2, x1, y2, y1] = [x1, x, y1, y];
    samples[at] = y;
  }
}

/** The sections' Q of a Butterworth filter of the fourth order. */
const sections = [0.541_196_1, 1.306_563];

function resampled(samples: Float32Array, from: number, to: number): Float32Array {
  const converter = createFormatConverter(
    { sampleRate: from, channels: 1, layout: 'mono' },
    { sampleRate: to, channels: 1 },
  );
  const out = new Float32Array(Math.round((samples.length * to) / from));
  let at = 0;
  const take = (plane: Float32Array | undefined): void => {
    if (plane === undefined) return;
    out.set(plane.subarray(0, out.length - at), at);
    at += Math.min(plane.length, out.length - at);
  };
  take(converter.convert({ planes: [samples], frames: samples.length })?.planes[0]);
  take(converter.flush()?.planes[0]);
  converter.close();
  return out;
}

/** Eight bits a sample on a logarithmic scale (ITU-T G.711, mu-law, without its segments). */
function companded(x: number): number {
  const folded = (Math.sign(x) * Math.log1p(mu * Math.min(1, Math.abs(x)))) / Math.log1p(mu);
  const coarse = Math.round(folded * 127) / 127;
  return (Math.sign(coarse) * Math.expm1(Math.abs(coarse) * Math.log1p(mu))) / mu;
}

/** 16 kHz in and out: 300 to 3400 Hz, eight bits of mu-law at 8 kHz, from a peak of 0.7. */
export function throughTelephone(samples: Float32Array): Float32Array {
  const narrow = resampled(samples, speechRate, telephoneRate);
  for (const q of sections) filter(narrow, 'high', bandHz.low, q);
  for (const q of sections) filter(narrow, 'low', bandHz.high, q);
  const most = narrow.reduce((highest, x) => Math.max(highest, Math.abs(x)), 0);
  const gain = most > 0 ? peak / most : 0;
  return resampled(
    narrow.map((x) => companded(gain * x)),
    telephoneRate,
    speechRate,
  );
}
