// Voices spoilt in ways that a repair can undo: clipping and mains hum, by script.
const rate = 48_000;

const power = (plane: Float32Array): number => plane.reduce((sum, x) => sum + x * x, 0);

/** Signal to distortion ratio, dB: no gain is allowed for. */
export function sdr(estimate: Float32Array, wanted: Float32Array): number {
  const wrong = wanted.reduce((sum, x, i) => sum + (x - (estimate[i] ?? 0)) ** 2, 0);
  return 10 * Math.log10(power(wanted) / (wrong + 1e-20));
}

const clipped = (plane: Float32Array, level: number): Float32Array =>
  plane.map((x) => Math.min(level, Math.max(-level, x)));

/** Clipped at the level that leaves this signal to distortion ratio, dB. */
export function clippedTo(plane: Float32Array, sdrDb: number): { plane: Float32Array; level: number } {
  let [low, high] = [0, plane.reduce((most, x) => Math.max(most, Math.abs(x)), 0)];
  for (let turn = 0; turn < 30; turn += 1) {
    const level = (low + high) / 2;
    if (sdr(clipped(plane, level), plane) < sdrDb) low = level;
    else high = level;
  }
  return { plane: clipped(plane, high), level: high };
}

/** Nineteen harmonics, the frequency drifting by a thousandth within 20 s. */
function hum(frames: number, hz: number, driftShare = 0.001): Float32Array {
  const out = new Float32Array(frames);
  let phase = 0;
  for (let i = 0; i < frames; i += 1) {
    phase += (2 * Math.PI * hz * (1 + driftShare * Math.sin((2 * Math.PI * i) / rate / 20 + 1))) / rate;
    let sum = 0;
    for (let k = 1; k <= 19; k += 1) sum += Math.sin(k * phase + k * k) * 10 ** (-k / 9);
    out[i] = sum;
  }
  return out;
}

export function hummed(plane: Float32Array, hz: number, snrDb: number): Float32Array {
  const sound = hum(plane.length, hz);
  const gain = Math.sqrt(power(plane) / power(sound) / 10 ** (snrDb / 10));
  return plane.map((x, i) => x + gain * (sound[i] as number));
}
