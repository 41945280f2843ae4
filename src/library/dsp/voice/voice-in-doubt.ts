import type { PassageReport } from '../denoise/passages/passage-report.ts';
import { findSpeech, voicedShare } from '../voicing/speech-activity.ts';
import type { SpeechLevels } from '../voicing/speech-levels.ts';
import { voiceFound } from './voice-found.ts';

/**
 * What to do with a recording in which no voice was found: leave it; take what the noise suppressor kept of it; or take
 * that as a voice, at a voice's level.
 */
export type Doubt = 'leave' | 'kept' | 'voice';

/** The suppressor takes nearly all of drums and machines, and leaves at least this of speech in loud noise, dB. */
const leastLeftDb = -15;
const leastSpeechSeconds = 0.4;
/** Where music is suspected, speech must be voiced as speech in rooms is; drums are not. */
const surelyVoicedShare = 0.3;

export interface DoubtfulRecording {
  readonly before: SpeechLevels;
  /** What the suppressor left. */
  readonly after: SpeechLevels;
  readonly report: PassageReport;
  /** 1 for each second with music in what was taken away. */
  readonly musicBehind: Uint8Array;
  readonly integratedLufs: number | null;
}

/**
 * For recordings in which `findPresence` found no voice. Music is left as it is; but a voice in a large room leaves
 * something like it in what is taken away, so that alone says nothing against a voice.
 */
export function voiceInDoubt({ before, after, report, musicBehind, integratedLufs }: DoubtfulRecording): Doubt {
  if (report.musicSeconds().length > 0) return 'leave';
  const sum = (values: Float32Array): number => values.reduce((total, x) => total + x, 0);
  const leftDb = 10 * Math.log10((sum(after.energy) + 1e-20) / (sum(before.energy) + 1e-20));
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
