import { visitRuns } from '../series/sliding.ts';
import { leastVoicedShare, type SpeechActivity, voicedShare } from '../voicing/speech-activity.ts';
import { loudnessOf, type SpeechLevels } from '../voicing/speech-levels.ts';

/** Where a recording has a voice to work on, and how noisy it is. */
export interface VoicePresence {
  /** Is there any voice? */
  readonly voice: boolean;
  readonly hopSeconds: number;
  /**
   * 1 where the recording is worked on, 0 where music plays on its own and the original is kept, between them in
   * between.
   */
  readonly share: Float32Array;
  /** Mean loudness of the speech over that of its pauses in the original, dB; null where there are no pauses. */
  readonly snrDb: number | null;
}

/** Music shorter than this is a hum between words or a tune behind a voice, seconds. */
const leastMusicSeconds = 5;
/** Level of a hum, a fan, a drone: it moves less than this, standard deviation in dB. Music moves more. */
const droneDb = 2.2;
/** From music to voice and back, seconds; outside the music. */
const fadeSeconds = 0.25;
const leastSpeechSeconds = 0.4;

/** Does the level stand still between two hops? */
function drones(energy: Float32Array, from: number, to: number): boolean {
  let [sum, squares] = [0, 0];
  for (let hop = from; hop < to; hop += 1) {
    const level = Math.max(-70, loudnessOf(energy[hop] as number));
    sum += level;
    squares += level * level;
  }
  const count = to - from;
  return squares / count - (sum / count) ** 2 < droneDb ** 2;
}

/**
 * Finds voice and music on its own from both sides of the noise suppressor: the voice in what it left, the music in
 * what it was given (it takes music for noise).
 * @param musicSeconds whole seconds that the suppressor left as they were, because they are music without a voice
 */
export function findPresence(
  original: SpeechLevels,
  heard: SpeechActivity,
  clean: SpeechActivity,
  musicSeconds: readonly number[] = [],
): VoicePresence {
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
  visitRuns(heard.music, (from, to) => {
    if ((to - from) * hopSeconds >= leastMusicSeconds && !drones(original.energy, from, to)) keep(from, to);
  });
  for (const second of musicSeconds)
    keep(Math.round(second / hopSeconds), Math.min(hops, Math.round((second + 1) / hopSeconds)));
  const speech = clean.speech.map((on, hop) => (on === 1 && (share[hop] ?? 0) > 0 ? 1 : 0));
  let [voicePower, voiceHops, pausePower, pauseHops] = [0, 0, 0, 0];
  for (let hop = 0; hop < hops; hop += 1) {
    const energy = original.energy[hop] as number;
    if (speech[hop] === 1) {
      voicePower += energy;
      voiceHops += 1;
    } else if (share[hop] === 1 && energy > 1e-12 && speech[hop - 5] !== 1 && speech[hop + 5] !== 1) {
      pausePower += energy;
      pauseHops += 1;
    }
  }
  const voice =
    voiceHops * hopSeconds >= leastSpeechSeconds &&
    voicedShare({ speech, voiced: clean.voiced }, 0, speech.length) >= leastVoicedShare;
  const snrDb =
    voiceHops > 0 && pauseHops * hopSeconds > 0.2
      ? 10 * Math.log10(voicePower / voiceHops / (pausePower / pauseHops))
      : null;
  return { voice, hopSeconds, share, snrDb };
}

/**
 * Recordings whose pauses are so far under the voice have no noise; from the first to the second value suppression
 * fades out, dB.
 */
const quietSnrDb = 38;
const silentSnrDb = 50;

/** How much of the noise suppressor's work is wanted, 0 to 1: a clean voice only loses by it. */
export const suppressionShare = (snrDb: number | null): number =>
  snrDb === null ? 1 : Math.min(1, Math.max(0, (silentSnrDb - snrDb) / (silentSnrDb - quietSnrDb)));
