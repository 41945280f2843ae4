// Speech-like and music-like sound by definition: a voice that glides, syllables and pauses where the script says;
// notes that stand.
import { fromDb, make, rms, seeded } from '../../fixtures/media/signals.ts';

/** A turn: from and to in seconds, RMS level of its speech in dBFS. */
export interface Turn {
  readonly from: number;
  readonly to: number;
  readonly dbfs: number;
  /** Fundamental frequency, Hz. */
  readonly hz: number;
}

/**
 * Harmonics of a gliding voice through two formants, in syllables of 0.12 to 0.26 s with short closures between them.
 */
export function babble(frames: number, rate: number, hz: number, seed: number): Float32Array {
  const random = seeded(seed);
  const out = new Float32Array(frames);
  let phase = 0;
  for (let at = 0; at < frames;) {
    const length = Math.round((0.12 + 0.14 * random()) * rate);
    const closure = Math.round((0.03 + 0.03 * random()) * rate);
    const from = hz * (0.85 + 0.3 * random());
    const to = hz * (0.85 + 0.3 * random());
    const [first, second] = [300 + 500 * random(), 1000 + 1200 * random()];
    const stress = fromDb(-5 * random());
    const weights = Array.from({ length: Math.floor(3600 / hz) }, (_, k) => {
      const f = (k + 1) * hz;
      return Math.exp(-(((f - first) / 250) ** 2)) + 0.5 * Math.exp(-(((f - second) / 350) ** 2)) + 0.02;
    });
    for (let i = 0; i < length && at + i < frames; i += 1) {
      const t = i / length;
      phase += (2 * Math.PI * (from + (to - from) * t)) / rate;
      let sum = 0;
      for (let k = 0; k < weights.length; k += 1) sum += (weights[k] as number) * Math.sin((k + 1) * phase);
      out[at + i] = stress * Math.sin(Math.PI * t) ** 0.7 * sum;
    }
    at += length + closure;
  }
  return out;
}

/** Turns of speech in silence. */
export function conversation(seconds: number, rate: number, turns: readonly Turn[]): Float32Array {
  const out = new Float32Array(Math.round(seconds * rate));
  for (const [index, turn] of turns.entries()) {
    const start = Math.round(turn.from * rate);
    const speech = babble(Math.round(turn.to * rate) - start, rate, turn.hz, 11 + index);
    const scale = fromDb(turn.dbfs) / rms(speech);
    for (const [i, x] of speech.entries()) out[start + i] = x * scale;
  }
  return out;
}

/** Chords that change every 0.8 s and ring, RMS level in dBFS. */
export function chords(frames: number, rate: number, dbfs: number): Float32Array {
  const roots = [220, 246.94, 196, 261.63];
  const raw = make(frames, (i) => {
    const t = i / rate;
    const root = roots[Math.floor(t / 0.8) % 4] as number;
    const within = t % 0.8;
    let sum = 0;
    for (const ratio of [1, 1.26, 1.5, 2, 2.52, 3, 4]) sum += Math.sin(2 * Math.PI * root * ratio * t) / ratio;
    return sum * Math.exp(-1.5 * within) * Math.min(1, within / 0.01);
  });
  const scale = fromDb(dbfs) / rms(raw);
  return raw.map((x) => x * scale);
}

export const sum = (...parts: readonly Float32Array[]): Float32Array => {
  const out = new Float32Array(Math.max(...parts.map((part) => part.length)));
  for (const part of parts) for (const [i, x] of part.entries()) out[i] = (out[i] as number) + x;
  return out;
};

/** Turns of two speakers by turns: `first` and `second` dBFS, `turnSeconds` each, with a pause between them. */
export const alternating = (
  count: number,
  turnSeconds: number,
  pauseSeconds: number,
  first: number,
  second: number,
): Turn[] =>
  Array.from({ length: count }, (_, index) => {
    const from = 0.5 + index * (turnSeconds + pauseSeconds);
    return { from, to: from + turnSeconds, dbfs: index % 2 === 0 ? first : second, hz: index % 2 === 0 ? 115 : 190 };
  });

export const slice = (plane: Float32Array, rate: number, from: number, to: number): Float32Array =>
  plane.slice(Math.round(from * rate), Math.round(to * rate));
