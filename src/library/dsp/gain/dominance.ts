import { type CurveShape, type GainCurve, smoothUnder } from './gain-curve.ts';
import { speechLoudness } from './level-segments.ts';
import { slidingMean, tidy } from '../series/sliding.ts';
import type { SpeechActivity } from '../voicing/speech-activity.ts';

/** Attenuation of a track while others speak, dB. */
const crosstalkDepthDb = 12;
/** 12 dB in 0.15 s down and 0.12 s up, corners rounded over 0.08 s: open 0.1 s before the first word. */
const crosstalkShape: CurveShape = { fallDbPerSecond: 80, riseDbPerSecond: 100, roundingSeconds: 0.08 };
/**
 * A track's speaker is heard while the track is at most this much softer than the loudest one, each relative to its own
 * speech, dB.
 */
const openDb = 6;
/** and stays heard down to this: hysteresis. */
const closeDb = 9;
/** A track opens this long before its speaker starts and stays open this long after the end. */
const leadSeconds = 0.16;
const holdSeconds = 0.25;

/** One speaker's track in relation to the others. */
export interface SpeakerTrack {
  readonly energy: Float32Array;
  readonly activity: SpeechActivity;
}

export interface Dominance {
  /** 1 where the track's own speaker speaks. */
  readonly own: Uint8Array;
  /** Between 0 and -12 dB. */
  readonly curve: GainCurve;
}

const at = (values: Float32Array | Uint8Array, hop: number, otherwise: number): number =>
  hop < values.length ? (values[hop] as number) : otherwise;

/** Marks, per track, the hops in which its speaker speaks. */
function ownSpeech(
  tracks: readonly SpeakerTrack[],
  smooth: readonly Float32Array[],
  own: readonly (number | null)[],
): Uint8Array[] {
  const hops = Math.max(...tracks.map(({ energy }) => energy.length));
  const marks = tracks.map(({ energy }) => new Uint8Array(energy.length));
  const open = tracks.map(() => false);
  const relative = new Float64Array(tracks.length);
  for (let hop = 0; hop < hops; hop += 1) {
    let loudest = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < tracks.length; index += 1) {
      const speech = own[index] ?? null;
      relative[index] =
        speech === null ? Number.NEGATIVE_INFINITY : at(smooth[index] as Float32Array, hop, -100) - speech;
      loudest = Math.max(loudest, relative[index] as number);
    }
    for (const [index, { activity }] of tracks.entries()) {
      const near = (relative[index] as number) >= loudest - (open[index] ? closeDb : openDb);
      open[index] = near && at(activity.speech, hop, 0) === 1;
      if (open[index]) (marks[index] as Uint8Array)[hop] = 1;
    }
  }
  return marks;
}

/**
 * Finds who speaks when on separate tracks of one conversation, and attenuates each track by 12 dB while only others
 * speak. A track is compared with its own speech (so that different microphone gains do not matter): crosstalk is at
 * least 10 dB below it, its own voice is not. Levels over 0.2 s, 6 dB to open and 9 dB to close, words of a phrase 0.4
 * s apart joined. While nothing is spoken the last speaker's track stays open, as in an automatic mixer, so that the
 * room's noise does not come and go with every breath.
 */
export function findDominance(tracks: readonly SpeakerTrack[]): Dominance[] {
  const first = tracks[0];
  if (!first) return [];
  const { hopSeconds } = first.activity;
  const smooth = tracks.map(({ energy }) => {
    const levels = slidingMean(energy, 5);
    for (let hop = 0; hop < levels.length; hop += 1)
      levels[hop] = -0.691 + 10 * Math.log10(Math.max(1e-12, levels[hop] as number));
    return levels;
  });
  // Twice: the level of a track's own speech is first estimated from all its sound (BS.1770's gate excludes most
  // crosstalk), then from the detected speech.
  let marks = ownSpeech(
    tracks,
    smooth,
    tracks.map(({ energy, activity }) => speechLoudness(energy, activity.speech)),
  );
  marks = ownSpeech(
    tracks,
    smooth,
    tracks.map(({ energy }, index) => speechLoudness(energy, marks[index] as Uint8Array)),
  );
  for (const own of marks) tidy(own, Math.round(0.4 / hopSeconds), Math.round(0.1 / hopSeconds));

  const lead = Math.round(leadSeconds / hopSeconds);
  const hold = Math.round(holdSeconds / hopSeconds);
  const hops = Math.max(...marks.map((own) => own.length));
  const heard = marks.map((own) => widened(own, lead, hold));
  // The levels are not needed any more; their arrays are reused for demands and curves.
  const demands = smooth;
  let last = -1;
  for (let hop = 0; hop < hops; hop += 1) {
    const speaking = heard.some((own) => at(own, hop, 0) === 1);
    for (const [index, demand] of demands.entries()) {
      if (hop >= demand.length) continue;
      const opened = at(heard[index] as Uint8Array, hop, 0) === 1 || (!speaking && (last === index || last < 0));
      demand[hop] = opened ? 0 : -crosstalkDepthDb;
    }
    if (speaking) last = heard.findIndex((own) => at(own, hop, 0) === 1);
  }
  return marks.map((own, index) => {
    const demand = demands[index] as Float32Array;
    return { own, curve: smoothUnder(demand, hopSeconds, crosstalkShape, demand) };
  });
}

/** Every stretch of ones, extended by this many hops at both ends. */
function widened(mask: Uint8Array, front: number, back: number): Uint8Array {
  const wide = new Uint8Array(mask.length);
  let reach = 0;
  for (let hop = 0; hop < mask.length; hop += 1) {
    if (mask[hop] === 1) reach = hop + back + 1;
    if (hop < reach) wide[hop] = 1;
  }
  let since = Number.POSITIVE_INFINITY;
  for (let hop = mask.length - 1; hop >= 0; hop -= 1) {
    if (mask[hop] === 1) since = hop - front;
    if (hop >= since && Number.isFinite(since)) wide[hop] = 1;
  }
  return wide;
}
