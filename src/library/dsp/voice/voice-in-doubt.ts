import { sumOf } from '../series/elementwise.ts';
import type { PassageReport } from '../denoise/passages/passage-report.ts';
import { findSpeech, voicedShare } from '../voicing/speech-activity.ts';
import type { SpeechLevels } from '../voicing/speech-levels.ts';
import { leastSpeechSeconds } from './presence.ts';
import { voiceFound } from './voice-found.ts';

/**
 * What to do with a recording in which no voice was found: leave it unchanged; write the noise suppressor's output; or
 * treat that output as a voice and set its level.
 */
export type Doubt = 'leave' | 'kept' | 'voice';

/**
 * The suppressor removes nearly all of drums and machines, but leaves at least this much of speech in loud noise, dB.
 */
const leastLeftDb = -15;
/** Where music is suspected, the sound must be voiced, as speech in rooms is and drums are not. */
const surelyVoicedShare = 0.3;

export interface DoubtfulRecording {
  readonly before: SpeechLevels;
  /** The suppressor's output. */
  readonly after: SpeechLevels;
  readonly report: PassageReport;
  /** 1 for each second with music behind. */
  readonly musicBehind: Uint8Array;
  readonly integratedLufs: number | null;
}

/**
 * For recordings in which `findPresence` found no voice. Music is left unchanged. But what is removed from a voice in a
 * large room resembles music, so that alone does not rule out a voice.
 */
export function voiceInDoubt({ before, after, report, musicBehind, integratedLufs }: DoubtfulRecording): Doubt {
  if (report.musicSeconds().length > 0) return 'leave';
  const leftDb = 10 * Math.log10((sumOf(after.energy) + 1e-20) / (sumOf(before.energy) + 1e-20));
  if (leftDb < leastLeftDb) return 'leave';
  const { speech, voiced } = findSpeech(after);
  const isMusical = musicBehind.includes(1);
  const spokenVoiced = voicedShare({ speech, voiced }, 0, speech.length);
  if (isMusical && spokenVoiced < surelyVoicedShare) return 'leave';
  if (voiceFound(before, after, report, integratedLufs)) return 'voice';
  if (isMusical) return 'leave';
  const spoken = speech.reduce((count, on) => count + on, 0) * after.hopSeconds;
  return spoken >= leastSpeechSeconds ? 'kept' : 'leave';
}
