import { type CurveShape, type GainCurve, smoothUnder } from './gain-curve.ts';
import { speechLoudness } from './level-segments.ts';
import { slidingMean, tidy } from '../series/sliding.ts';
import type { SpeechActivity } from '../voicing/speech-activity.ts';

/** How far a track falls while others speak, dB. */
const crosstalkDepthDb = 12;
/** 12 dB in 0.15 s down and 0.12 s up, corners rounded over 0.08 s: open 0.1 s before the first word. */
const crosstalkShape: CurveShape = { fallDbPerSecond: 80, riseDbPerSecond: 100, roundingSeconds: 0.08 };
/**
 * A track's speaker is heard as long as the track is at most this much softer than the loudest track, each against its
 * own speech, dB.
 */
const openDb = 6;
/** and goes on being heard down to this: hysteresis. */
const closeDb = 9;
/** A track opens this long before its speaker begins and stays open this long after. */
const leadSeconds = 0.16;
const holdSeconds = 0.25;

/** One speaker's track as the others see it. */
export interface SpeakerTrack {
  readonly energy: Float32Array;
  readonly activity: SpeechActivity;
}

export interface Dominance {
  /** 1 where the track's own speaker speaks. */
  readonly own: Uint8Array;
  /** 0 dB or down to -12 dB. */
  readonly curve: GainCurve;
}

const at = (values: Float32Array | Uint8Array, hop: number, otherwise: number): number =>
  hop < values.length ? (values[hop] as number) : otherwise;

/** Marks, per track, the hops in which its speaker is the one, or one of those, who speak. */
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
 * Finds who speaks when on separate tracks of one conversation, and how each track falls by 12 dB while only others
 * speak. A track is heard against its own speech (so that different microphone gains do not matter): crosstalk lies 10
 * dB and more under it, one's own voice does not. Levels over 0.2 s, 6 dB to open and 9 dB to close, words of a phrase
 * 0.4 s apart joined. While nobody speaks the track of the last speaker stays open, as in an automatic mixer, so that
 * the room's noise does not come and go with every breath.
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
  // Twice: the level of one's own speech is first taken from all that sounds on the track (BS.1770's gate leaves most
  // crosstalk out), then from what was found to be one's own.
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
  // The levels have served; their lists become the demands, and these the curves.
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

/** Every stretch of ones, longer by so many hops at its front and back. */
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
