// How near an estimate is to the clean recording.
import { createStft } from '../../src/library/kernels/stft.ts';

/** Scale-invariant signal-to-distortion ratio, dB (Le Roux, Wisdom, Erdogan, Hershey, ICASSP 2019), means kept. */
export function siSdr(estimate: Float32Array, reference: Float32Array): number {
  let [dot, power] = [0, 0];
  for (let i = 0; i < reference.length; i += 1) {
    const y = reference[i] as number;
    dot += (estimate[i] ?? 0) * y;
    power += y * y;
  }
  const scale = dot / power;
  let [signal, rest] = [0, 0];
  for (let i = 0; i < reference.length; i += 1) {
    const target = scale * (reference[i] as number);
    signal += target * target;
    rest += ((estimate[i] ?? 0) - target) ** 2;
  }
  return 10 * Math.log10(signal / rest);
}

/**
 * Log-spectral distance, dB: root mean square over bins of the difference of log power spectra, averaged over the
 * frames in which there is speech (Gray and Markel 1976). Spectra are cut off 60 dB under the reference's strongest
 * bin.
 */
export function logSpectralDistance(estimate: Float32Array, reference: Float32Array): number {
  const [frame, hop] = [1536, 768];
  const window = Float32Array.from(
    { length: frame },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frame),
  );
  const stft = createStft({ window, hop });
  const count = Math.floor((reference.length - frame) / hop) + 1;
  const powers = [estimate, reference].map((samples) => {
    const [re, im] = [new Float32Array(count * stft.bins), new Float32Array(count * stft.bins)];
    stft.forward(samples, count, 1 / frame, re, im);
    return re.map((x, i) => x * x + (im[i] as number) ** 2);
  }) as [Float32Array, Float32Array];
  const floor = powers[1].reduce((most, x) => Math.max(most, x), 0) * 1e-6;
  let [sum, frames] = [0, 0];
  for (let t = 0; t < count; t += 1) {
    let [square, strongest] = [0, 0];
    for (let k = t * stft.bins; k < (t + 1) * stft.bins; k += 1) {
      strongest = Math.max(strongest, powers[1][k] as number);
      square +=
        (10 * Math.log10(Math.max(floor, powers[0][k] as number) / Math.max(floor, powers[1][k] as number))) ** 2;
    }
    if (strongest < floor * 100) continue;
    sum += Math.sqrt(square / stft.bins);
    frames += 1;
  }
  return sum / frames;
}
