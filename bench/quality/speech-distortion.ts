// What was done to the voice itself, apart from how much noise is left.
import { createStft } from '../../src/library/kernels/stft.ts';

const frame = 1536;
const hop = 768;
/** 20 ms at 48 kHz. */
const segment = 960;
/** More than this is no filtering of the voice but a bin that was empty before. */
const mostGain = 2;

/** A part of a mixture, filtered as a suppressor filtered the mixture (shadow filtering, see below). */
export function asFiltered(clean: Float32Array, mixture: Float32Array, estimate: Float32Array): Float32Array {
  const window = Float32Array.from({ length: frame }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / frame));
  const stft = createStft({ window, hop });
  // Half a window of silence on both sides: every sample lies under two windows.
  const count = Math.ceil(clean.length / hop) + 1;
  const padded = (samples: Float32Array): Float32Array => {
    const out = new Float32Array((count - 1) * hop + frame);
    out.set(samples.subarray(0, clean.length), hop);
    return out;
  };
  const spectrum = (samples: Float32Array): { re: Float32Array; im: Float32Array } => {
    const [re, im] = [new Float32Array(count * stft.bins), new Float32Array(count * stft.bins)];
    stft.forward(padded(samples), count, 1, re, im);
    return { re, im };
  };
  const [before, after, voice] = [spectrum(mixture), spectrum(estimate), spectrum(clean)];
  for (let k = 0; k < voice.re.length; k += 1) {
    const [xr, xi, yr, yi] = [
      before.re[k] as number,
      before.im[k] as number,
      after.re[k] as number,
      after.im[k] as number,
    ];
    const power = xr * xr + xi * xi;
    let [gr, gi] = power === 0 ? [0, 0] : [(yr * xr + yi * xi) / power, (yi * xr - yr * xi) / power];
    const size = Math.hypot(gr, gi);
    if (size > mostGain) [gr, gi] = [(gr * mostGain) / size, (gi * mostGain) / size];
    const [vr, vi] = [voice.re[k] as number, voice.im[k] as number];
    voice.re[k] = gr * vr - gi * vi;
    voice.im[k] = gr * vi + gi * vr;
  }
  const filtered = new Float32Array((count - 1) * hop + frame);
  stft.inverse(voice.re, voice.im, count, 1 / frame, filtered);
  return filtered.subarray(hop, hop + clean.length);
}

/**
 * Speech to speech-distortion ratio, dB: the method takes the noise suppressor for a black box, reads its gain in every
 * bin from what went in and what came out, and applies that gain to the clean voice alone (shadow filtering:
 * Gustafsson, Martin, Vary, "On the Optimization of Speech Enhancement Systems Using Instrumental Measures", 1996;
 * black box: Fingscheidt, Suhadi, "Quality Assessment of Speech Enhancement Systems by Separation of Enhanced Speech,
 * Noise, and Echo", Interspeech 2007). The voice filtered so is held against the clean one in segments of 20 ms with
 * speech, each within -10 and 30 dB, averaged (segmental ratio: Fingscheidt, Suhadi, Stan, IEEE TASLP 16(4), 2008). 30:
 * the voice is as it was. Noise that is left does not count.
 */
export function speechDistortion(estimate: Float32Array, mixture: Float32Array, clean: Float32Array): number {
  const filtered = asFiltered(clean, mixture, estimate);
  const segments: { speech: number; error: number }[] = [];
  for (let at = 0; at + segment <= clean.length; at += segment) {
    let [speech, error] = [0, 0];
    for (let i = at; i < at + segment; i += 1) {
      const s = clean[i] as number;
      speech += s * s;
      error += ((filtered[i] as number) - s) ** 2;
    }
    segments.push({ speech, error });
  }
  // Speech: within 40 dB of the loudest segment.
  const floor = segments.reduce((most, { speech }) => Math.max(most, speech), 0) * 1e-4;
  const spoken = segments.filter(({ speech }) => speech > floor);
  return (
    spoken.reduce(
      (sum, { speech, error }) => sum + Math.max(-10, Math.min(30, 10 * Math.log10(speech / Math.max(error, 1e-30)))),
      0,
    ) / spoken.length
  );
}
