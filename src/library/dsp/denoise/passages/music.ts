import { sumOf } from '../../series/elementwise.ts';
import { type Hearing, seriesOf } from './ear.ts';
import { type StandingTones, tonesOf } from './standing-tones.ts';
import { hopsPerSecond } from './power-ear.ts';
import { voicedRippleDb } from '../../voicing/speech-activity.ts';

/** Seconds to either side that are used for a decision. */
export const musicReachSeconds = 3;

/** Features of six seconds, over the hops with sound. */
export interface Character {
  /** Level of the suppressor's output relative to its input, dB. */
  readonly keptDb: number;
  /** Share of the hops with harmonic ripple in their spectrum, 0 to 1. */
  readonly harmonic: number;
  /** Share of the power in constant tones. */
  readonly steady: number;
  /** Least similarity of the spectra of two half seconds, 0 to 1: 1 for a hum, a fan, a drone. */
  readonly likeness: number;
  /** Greatest autocorrelation of onsets at 0.2 to 1.5 s, 0 to 1. */
  readonly pulse: number;
  /** Constant tones, and whether they glide. */
  readonly tones: StandingTones;
  /** Onsets: the 95th percentile of the mean rise of the bands' levels in 20 ms, dB. Even noise has 2 to 3. */
  readonly attackDb: number;
}

/** Hops this far below the loudest of the stretch are pauses, dB. */
const pauseDb = 30;
/** Limit of a rise, dB: a click from silence counts no more than a drum. */
const mostRiseDb = 12;

function likenessOf(a: Float32Array, b: Float32Array): number {
  let [dot, x, y] = [0, 0, 0];
  for (let k = 0; k < a.length; k += 1) {
    dot += (a[k] as number) * (b[k] as number);
    x += (a[k] as number) ** 2;
    y += (b[k] as number) ** 2;
  }
  return dot / Math.sqrt(x * y + 1e-30);
}

/** Least similarity of two half seconds that are at least a second apart and not pauses. */
function leastLikeness(heard: Hearing, from: number, to: number): number {
  const all: Float32Array[] = [];
  const half = hopsPerSecond / 2;
  for (let block = Math.ceil(Math.max(0, from) / half); (block + 1) * half <= to; block += 1)
    all.push(heard.second(Math.floor(block / 2)).chords[block % 2 === 0 ? 0 : 1]);
  const loudest = all.reduce((most, chord) => Math.max(most, sumOf(chord)), 0);
  const sounding = all.filter((chord) => sumOf(chord) > 0.03 * loudest);
  let least = 1;
  for (let i = 0; i < sounding.length; i += 1)
    for (let j = i + 2; j < sounding.length; j += 1)
      least = Math.min(least, likenessOf(sounding[i] as Float32Array, sounding[j] as Float32Array));
  return least;
}

function standingTones(heard: Hearing, from: number, to: number): StandingTones {
  const seconds = Array.from(
    { length: Math.floor(to / hopsPerSecond) - Math.floor(from / hopsPerSecond) },
    (_, index) => heard.second(Math.floor(from / hopsPerSecond) + index).tones,
  );
  return tonesOf(seconds.flat());
}

/** Greatest autocorrelation of the onsets, with a tolerance of 10 ms. */
function pulseOf(rises: Float32Array): number {
  const clipped = rises.map((x) => Math.min(mostRiseDb, x));
  const mean = sumOf(clipped) / clipped.length;
  const centred = clipped.map((x) => x - mean);
  // Human timing: a hop early or late counts.
  const wide = centred.map((x, i) => (x + (centred[i - 1] ?? 0) + (centred[i + 1] ?? 0)) / 3);
  const energy = wide.reduce((sum, x) => sum + x * x, 0);
  if (energy < 1e-6) return 0;
  let best = 0;
  for (let lag = 20; lag <= 150; lag += 1) {
    let sum = 0;
    for (let i = 0; i + lag < wide.length; i += 1) sum += (wide[i] as number) * (wide[i + lag] as number);
    best = Math.max(best, (sum / energy) * (wide.length / (wide.length - lag)));
  }
  return best;
}

/** A suppressor that leaves more has found a voice, or kept all of the music, dB. */
const mostKeptOfAnyDb = -4;

/**
 * @param second the one in the middle
 * @returns null without sound, and where the suppressor left most of it
 */
export function characterOf(hearing: Hearing, second: number): Character | null {
  const from = Math.max(0, (second - musicReachSeconds + 0.5) * hopsPerSecond);
  const to = Math.min(hearing.end, (second + musicReachSeconds + 0.5) * hopsPerSecond);
  if (to - from < hopsPerSecond) return null;
  const power = hearing.heard(from, to);
  const loudest = power.reduce((most, x) => Math.max(most, x), 0);
  const total = sumOf(power);
  if (total < 1e-9) return null;
  const keptDb = 10 * Math.log10((sumOf(hearing.left(from, to)) + 1e-20) / total);
  if (keptDb > mostKeptOfAnyDb) return null;
  const [steady, ripple, rises] = (['steady', 'ripple', 'onset'] as const).map((which) =>
    seriesOf(hearing, which, from, to),
  ) as [Float32Array, Float32Array, Float32Array];
  let [count, tones, harmonic] = [0, 0, 0];
  for (const [i, x] of power.entries()) {
    if (x < loudest * 10 ** (-pauseDb / 10)) continue;
    count += 1;
    tones += steady[i] as number;
    if ((ripple[i] as number) > voicedRippleDb) harmonic += 1;
  }
  return {
    keptDb,
    harmonic: harmonic / count,
    steady: tones / count,
    likeness: leastLikeness(hearing, from, to),
    tones: standingTones(hearing, from, to),
    pulse: pulseOf(rises),
    attackDb: rises.toSorted()[Math.floor(0.95 * rises.length)] ?? 0,
  };
}

/** From here on all tones glide into each other; and from here on they are identical. */
const mostGliding = 0.75;
const sameTone = 0.97;
/** Share of the power with such tones. */
const leastGlidingShare = 0.03;
const leastSameShare = 0.05;

/** A motor with drifting speed, or a bell, an alarm, a beeper: all of its tones glide, or they are always the same. */
const isMachine = ({ gliding, likeness, share }: StandingTones): boolean =>
  (gliding >= mostGliding && share >= leastGlidingShare) || (likeness >= sameTone && share >= leastSameShare);

/**
 * Is it music without a voice? Only removed sound is examined, so speech in noise cannot be taken for it. Criteria
 * after Scheirer and Slaney, "Construction and evaluation of a robust multifeature speech/music discriminator" (ICASSP
 * 1997), Saunders, "Real-time discrimination of broadcast speech/music" (ICASSP 1996) and Seyerlehner et al. (DAFx
 * 2007): mostly harmonic with constant tones and a changing spectrum (unlike a hum and a drone; for motors and alarms
 * see `isMachine`), or sharp onsets with a pulse, of varied sounds (a machine's are all alike). Thresholds by
 * measurement: `node bench/quality/run.ts --passages`.
 * @param mostKeptDb a suppressor that leaves more has found a voice
 */
export function isMusic(
  { keptDb, harmonic, steady, likeness, pulse, attackDb, tones }: Character,
  mostKeptDb: number,
): boolean {
  if (isMachine(tones)) return false;
  const changes = likeness <= 0.975;
  const tonal = harmonic >= 0.5 && steady >= 0.06;
  const struck = pulse >= 0.6 && attackDb >= 4 && likeness <= 0.85;
  // A bass line is uniform, and the suppressor removes only half of it.
  const line = pulse >= 0.85 && attackDb >= 4 && harmonic >= 0.2 && keptDb <= mostKeptOfAnyDb;
  return changes && ((keptDb <= mostKeptDb && (tonal || struck)) || line);
}
