import { type CurveShape, type GainCurve, smoothUnder } from './gain-curve.ts';
import { type BleedLevels, findBleed } from './bleed.ts';
import { bleedOn, measurePaths } from './bleed-paths.ts';
import { speechLoudness } from './level-segments.ts';
import { slidingMean, tidy } from '../series/sliding.ts';
import type { SpeechActivity } from '../voicing/speech-activity.ts';
import { loudnessOf } from '../voicing/speech-levels.ts';

/** Attenuation of a track while others speak, dB: the least, and the most. */
const crosstalkDepthDb = { least: 12, most: 30 };
/** Where that leaves the others louder than this below the own voice, it is deeper, dB. */
const ownOverOthersDb = 18;
/** 12 dB in 0.15 s down and 0.12 s up, corners rounded over 0.08 s: open 0.1 s before the first word. */
const crosstalkShape: CurveShape = { fallDbPerSecond: 80, riseDbPerSecond: 100, roundingSeconds: 0.08 };
/**
 * A track's speaker is heard while the track is at most this much softer than the loudest one, each relative to its own
 * speech, dB.
 */
const openDb = 6;
/** and stays heard down to this: hysteresis. */
const closeDb = 9;
/**
 * A track opens while it is so much louder than the others' voices alone would make it, dB, and closes below this: what
 * a room rings on with varies, by bench/tools/bleed.ts --grid.
 */
const overBleedDb = { open: 4.5, close: 2 };
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
  /** 0 dB and less: between words of others, down to -12 dB and, where they are loud, -30 dB. */
  readonly curve: GainCurve;
  /** Energy of the others' voices, by hop; null where it cannot be told. */
  readonly bleed: Float32Array | null;
}

export interface WhoSpeaks {
  /** Of each track. */
  readonly tracks: readonly Dominance[];
  /** false: the tracks are too alike to tell bleed from own speech by their differences. */
  readonly isBleedKnown: boolean;
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
        speech === null
          ? Number.NEGATIVE_INFINITY
          : loudnessOf(Math.max(1e-12, at(smooth[index] as Float32Array, hop, 0))) - speech;
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

/** Likewise on one track, by how loud the other voices are on it. */
function overBleed({ activity }: SpeakerTrack, smooth: Float32Array, bleed: Float32Array): Uint8Array {
  const marks = new Uint8Array(smooth.length);
  let open = false;
  for (let hop = 0; hop < smooth.length; hop += 1) {
    const over = 10 * Math.log10(Math.max(1e-12, smooth[hop] as number) / Math.max(1e-12, bleed[hop] as number));
    open = over >= (open ? overBleedDb.close : overBleedDb.open) && at(activity.speech, hop, 0) === 1;
    if (open) marks[hop] = 1;
  }
  return marks;
}

/** Twice: the level of a track's own speech is first estimated from all its sound, then from the detected speech. */
function byOwnLevels(tracks: readonly SpeakerTrack[], smooth: readonly Float32Array[]): Uint8Array[] {
  // BS.1770's gate excludes most crosstalk.
  const marks = ownSpeech(
    tracks,
    smooth,
    tracks.map(({ energy, activity }) => speechLoudness(energy, activity.speech)),
  );
  return ownSpeech(
    tracks,
    smooth,
    tracks.map(({ energy }, index) => speechLoudness(energy, marks[index] as Uint8Array)),
  );
}

/** How far each track is lowered while others speak, dB. */
function depthsOf(tracks: readonly SpeakerTrack[], marks: readonly Uint8Array[], bleed: BleedLevels | null): number[] {
  const own = tracks.map(({ energy }, index) => speechLoudness(energy, marks[index] as Uint8Array));
  return own.map((level, index) => {
    if (bleed === null || level === null) return crosstalkDepthDb.least;
    const others = own.flatMap((voice, from) =>
      voice === null || from === index ? [] : [voice + (bleed[from]?.[index] ?? -100)],
    );
    const wanted = ownOverOthersDb - (level - Math.max(-100, ...others));
    return Math.min(crosstalkDepthDb.most, Math.max(crosstalkDepthDb.least, wanted));
  });
}

function anySpeech(tracks: readonly SpeakerTrack[]): Uint8Array {
  const active = new Uint8Array(Math.max(...tracks.map(({ activity }) => activity.speech.length)));
  for (const { activity } of tracks)
    for (let hop = 0; hop < activity.speech.length; hop += 1) if (activity.speech[hop] === 1) active[hop] = 1;
  return active;
}

/**
 * Finds who speaks when on separate tracks of one conversation, and attenuates each track while only others speak: by
 * 12 dB, or as much as puts them 18 dB under the own voice. Own is what the others' voices, as loud as they are on this
 * track (bleed.ts) and for as long as they ring on there (bleed-paths.ts), do not explain: 4.5 dB to open and 2 dB to
 * close. Where bleed cannot be told, a track is compared
 * with its own speech: crosstalk is at least 10 dB below it, its own voice is not; 6 dB to open and 9 dB to close.
 * Neither depends on the microphones' gains. Levels over 0.2 s; words of a phrase 0.4 s apart joined. While nothing is
 * spoken the last speaker's track stays open, as in an automatic mixer, so that the room's noise does not come and go
 * with every breath.
 */
export function findDominance(tracks: readonly SpeakerTrack[]): WhoSpeaks {
  const first = tracks[0];
  if (!first) return { tracks: [], isBleedKnown: true };
  const { hopSeconds } = first.activity;
  const smooth = tracks.map(({ energy }) => slidingMean(energy, 5));
  const spoken = [...tracks.keys()].filter((index) => tracks[index]?.activity.speech.includes(1));
  const active = anySpeech(tracks);
  const bleed = spoken.length > 1 ? findBleed(smooth, active, spoken) : null;
  const others =
    bleed &&
    measurePaths(smooth, active, bleed, hopSeconds).map((paths, index) =>
      bleedOn(paths, smooth, (smooth[index] as Float32Array).length, hopSeconds),
    );
  const marks =
    bleed === null || others === null
      ? byOwnLevels(tracks, smooth)
      : tracks.map((track, index) =>
          bleed[index] === null
            ? new Uint8Array(track.energy.length)
            : overBleed(track, smooth[index] as Float32Array, others[index] as Float32Array),
        );
  const depths = depthsOf(tracks, marks, bleed);
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
      demand[hop] = opened ? 0 : -(depths[index] as number);
    }
    if (speaking) last = heard.findIndex((own) => at(own, hop, 0) === 1);
  }
  const found = marks.map((own, index) => {
    const demand = demands[index] as Float32Array;
    return {
      own,
      curve: smoothUnder(demand, hopSeconds, crosstalkShape, demand),
      bleed: others?.[index] ?? null,
    };
  });
  return { tracks: found, isBleedKnown: spoken.length < 2 || bleed !== null };
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
