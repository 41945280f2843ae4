import { slidingMean } from '../series/sliding.ts';
import { leastVoicedShare, type SpeechActivity, voicedShare } from '../voicing/speech-activity.ts';
import type { SpeechLevels } from '../voicing/speech-levels.ts';

/** Where a recording has a voice to process, and how noisy it is. */
export interface VoicePresence {
  /** Is there any voice? */
  readonly voice: boolean;
  readonly hopSeconds: number;
  /** 1 where the recording is processed, 0 where music plays alone and the original is kept, or between them. */
  readonly share: Float32Array;
  /** Mean loudness of the speech relative to its pauses in the original, dB; null without pauses. */
  readonly snrDb: number | null;
  /** 1 for each second with music behind the voice. */
  readonly musicBehind: Uint8Array;
  /** Share of the sound that is processed, 0 to 1; the rest is music alone. */
  readonly enhancedShare: number;
}

/** Fade between music and voice, seconds; outside the music. */
const fadeSeconds = 0.25;
export const leastSpeechSeconds = 0.4;
/** Where there is music, two words are not enough, seconds. */
const leastSpeechWithMusicSeconds = 0.8;

/** Results from before and after the noise suppressor. */
export interface BothSides {
  readonly original: SpeechLevels;
  /** Energy of each hop after the suppressor, as in `original`. */
  readonly cleanEnergy: Float32Array;
  readonly clean: SpeechActivity;
  /** Whole seconds that the suppressor left unchanged as music without a voice. */
  readonly musicSeconds?: readonly number[];
  /** 1 for each second with music behind the voice (see music-behind.ts). */
  readonly musicBehind?: Uint8Array;
}

/** The suppressor keeps most of a voice over music; of unknown music only pieces, dB. */
const overMusicDb = -1.5;
/** Seconds next to music with the same strict rules, since music comes and goes in them. */
const besideMusicSeconds = 2;
/** A second of music has a voice in it when it has this much voice, seconds. */
const leastVoiceInMusicSeconds = 0.3;
/** Hops to either side for a moment's balance. */
const momentHops = 5;
/**
 * Whispers, hoarse and creaking voices have no ripple, but the suppressor keeps them; of noise it keeps less than this,
 * dB.
 */
const leftOfVoiceDb = -4;
/** They are also at least this share of the sound. */
const leastUnvoicedShare = 0.2;

/** 1 for these seconds and their neighbours. */
function besideSeconds(count: number, seconds: readonly number[]): Uint8Array {
  const out = new Uint8Array(count);
  for (const second of seconds) out.fill(1, Math.max(0, second - besideMusicSeconds), second + besideMusicSeconds + 1);
  return out;
}

/** Finds voice in the suppressor's output; music is known. */
export function findPresence({
  original,
  cleanEnergy,
  clean,
  musicSeconds = [],
  musicBehind = new Uint8Array(),
}: BothSides): VoicePresence {
  const hops = original.energy.length;
  const { hopSeconds } = original;
  const share = new Float32Array(hops).fill(1);
  const fade = Math.round(fadeSeconds / hopSeconds);
  const keep = (from: number, to: number): void => {
    share.fill(0, from, to);
    for (let away = 1; away < fade; away += 1) {
      for (const hop of [from - away, to - 1 + away])
        if (hop >= 0 && hop < hops) share[hop] = Math.min(share[hop] as number, away / fade);
    }
  };
  for (const second of musicSeconds)
    keep(Math.round(second / hopSeconds), Math.min(hops, Math.round((second + 1) / hopSeconds)));
  const seconds = Math.ceil(hops * hopSeconds);
  const behindSeconds = [...musicBehind.keys()].filter((second) => musicBehind[second] === 1);
  const near = besideSeconds(seconds, [...musicSeconds, ...behindSeconds]);
  const [before, after] = [slidingMean(original.energy, momentHops), slidingMean(cleanEnergy, momentHops)];
  const isLeft = (hop: number): boolean =>
    near[Math.floor(hop * hopSeconds)] !== 1 || (after[hop] ?? 0) >= 10 ** (overMusicDb / 10) * (before[hop] ?? 0);
  const speech = clean.speech.map((on, hop) => (on === 1 && (share[hop] ?? 0) > 0 && isLeft(hop) ? 1 : 0));
  // Music alone is kept even if the suppressor has not kept it.
  const perSecond = Math.round(1 / hopSeconds);
  for (const [second, beside] of near.entries()) {
    const [from, to] = [second * perSecond, Math.min(hops, (second + 1) * perSecond)];
    if (beside === 0 || to <= from) continue;
    const spoken = speech.subarray(from, to).reduce((sum, x) => sum + x, 0);
    if (spoken >= leastVoiceInMusicSeconds / hopSeconds) continue;
    speech.fill(0, from, to);
    if (musicBehind[second] === 1) keep(from, to);
  }
  let [voicePower, leftPower, voiceHops, pausePower, pauseHops] = [0, 0, 0, 0, 0];
  let [sounding, enhanced] = [0, 0];
  const faint = 1e-3 * original.energy.reduce((most, energy) => Math.max(most, energy), 0);
  for (let hop = 0; hop < hops; hop += 1) {
    const energy = original.energy[hop] as number;
    if (energy > faint) {
      sounding += 1;
      enhanced += share[hop] as number;
    }
    if (speech[hop] === 1) {
      voicePower += energy;
      leftPower += cleanEnergy[hop] ?? 0;
      voiceHops += 1;
    } else if (share[hop] === 1 && energy > 1e-12 && speech[hop - 5] !== 1 && speech[hop + 5] !== 1) {
      pausePower += energy;
      pauseHops += 1;
    }
  }
  const isVoiced = voicedShare({ speech, voiced: clean.voiced }, 0, speech.length) >= leastVoicedShare;
  const isBreath =
    leftPower >= 10 ** (leftOfVoiceDb / 10) * voicePower && voiceHops >= leastUnvoicedShare * Math.max(1, sounding);
  const least = near.includes(1) ? leastSpeechWithMusicSeconds : leastSpeechSeconds;
  const voice = voiceHops * hopSeconds >= least && (isVoiced || isBreath);
  const snrDb =
    voiceHops > 0 && pauseHops * hopSeconds > 0.2
      ? 10 * Math.log10(voicePower / voiceHops / (pausePower / pauseHops))
      : null;
  // Music does not end where speech starts.
  const goesOn = besideSeconds(seconds, musicSeconds).map((on, second) => Math.max(on, musicBehind[second] ?? 0));
  return {
    voice,
    hopSeconds,
    share,
    snrDb,
    musicBehind: goesOn,
    enhancedShare: sounding === 0 ? 0 : enhanced / sounding,
  };
}

/**
 * Recordings with pauses this far below the voice have no noise; suppression fades out from the first to the second
 * value, dB.
 */
const quietSnrDb = 38;
const silentSnrDb = 50;

/** The share of noise suppression to apply, 0 to 1: it only harms a clean voice. */
export const suppressionShare = (snrDb: number | null): number =>
  snrDb === null ? 1 : Math.min(1, Math.max(0, (silentSnrDb - snrDb) / (silentSnrDb - quietSnrDb)));

/** Music behind a voice is attenuated by at most 3 dB: it is intended. */
const musicBehindShare = 0.3;

/** The mean share of noise suppression in a recording, of music alone 0. */
export function meanSuppression(presence: VoicePresence): number {
  const { share, hopSeconds } = presence;
  const shares = suppressionShares(presence);
  const sum = share.reduce(
    (total, x, hop) => total + x * (shares[Math.min(shares.length - 1, Math.floor(hop * hopSeconds))] as number),
    0,
  );
  return share.length === 0 ? 0 : sum / share.length;
}

/** The share of noise suppression, second by second; the last value holds. */
export function suppressionShares(presence: VoicePresence): Float32Array {
  const share = suppressionShare(presence.snrDb);
  const { musicBehind } = presence;
  return Float32Array.from({ length: Math.max(1, musicBehind.length) }, (_, second) =>
    musicBehind[second] === 1 ? Math.min(share, musicBehindShare) : share,
  );
}
