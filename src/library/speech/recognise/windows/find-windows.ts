// Finds the windows of a recording that a recogniser reads: where voices are, and where there may be one that the
// network for voices takes for noise.
import { listenForVoice, type ActivityOptions, type SpeechRegion, speechRegions } from '../../activity/find-speech.ts';
import { isSteady } from '../../activity/is-steady.ts';
import type { VoiceActivity } from '../../activity/voice-activity.ts';
import { withoutNoise } from '../../activity/without-noise.ts';
import { speechRate, type SpeechSound } from '../../speech-sound.ts';
import { type ListeningWindow, packWindows } from './windows.ts';

/** With less voice in a recording the network for voices may not know the voice, or not hear it for noise. */
const leastVoiceSeconds = 1;
const leastVoiceShare = 0.05;

/**
 * A voice that the network does not recognise still makes it doubt: 2 to 9 % of the time has this probability, but
 * under 0.04 % in noise, hum and silence. Without doubt nothing is listened to again: that takes as long as the first
 * time, and RNNoise besides.
 */
const doubtAt = 0.02;
const leastDoubtShare = 0.003;

/** Below this is only the noise of 16 bits. */
const silentPeak = 1e-4;

export interface FoundWindows {
  /** Where voices are: looked for once more without the recording's noise, where there are next to none. */
  windows(): Promise<readonly ListeningWindow[]>;
  /** All of the sound, where next to no voice was found. */
  readonly faint: readonly ListeningWindow[];
}

/** Finds speech and packs it into windows. */
export async function findWindows(sound: SpeechSound, options: ActivityOptions): Promise<FoundWindows> {
  const activity = await listenForVoice(sound, options);
  const pack = (regions: readonly SpeechRegion[]): ListeningWindow[] =>
    packWindows(regions, activity, sound.durationSeconds);
  const voices = speechRegions(activity, sound.durationSeconds);
  const few = Math.max(leastVoiceSeconds, leastVoiceShare * sound.durationSeconds);
  const isSilent = secondsOf(voices) < few && isSteady(sound);
  const whole =
    isSilent || secondsOf(voices) >= leastVoiceSeconds
      ? []
      : pack([{ startSeconds: 0, endSeconds: sound.durationSeconds }]);
  return {
    faint: whole.filter(({ pieces }) => isHeard(sound, pieces)).map((one) => ({ ...one, faint: true })),
    async windows() {
      if (isSilent || secondsOf(voices) >= few || doubtShare(activity) < leastDoubtShare) return pack(voices);
      const inNoise = await voicesInNoise(sound, options, activity);
      if (secondsOf(inNoise) < leastVoiceSeconds) return pack(voices);
      return pack(inNoise).map((window) =>
        window.voices.some((voice) => voices.some((other) => overlap(voice, other)))
          ? window
          : { ...window, hidden: true },
      );
    },
  };
}

const doubtShare = ({ probabilities }: VoiceActivity): number =>
  probabilities.reduce((count, one) => count + (one > doubtAt ? 1 : 0), 0) / Math.max(1, probabilities.length);

const overlap = (a: SpeechRegion, b: SpeechRegion): boolean =>
  a.startSeconds < b.endSeconds && b.startSeconds < a.endSeconds;

const secondsOf = (voices: readonly SpeechRegion[]): number =>
  voices.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);

/** Voices that are heard in the recording or after its noise is taken away. */
async function voicesInNoise(
  sound: SpeechSound,
  options: ActivityOptions,
  heard: VoiceActivity,
): Promise<SpeechRegion[]> {
  const quieted = await withoutNoise(sound, options);
  try {
    const { probabilities } = await listenForVoice(quieted, { ...options, onProgress: () => undefined });
    const either = heard.probabilities.map((one, step) => Math.max(one, probabilities[step] ?? 0));
    return speechRegions({ ...heard, probabilities: either }, sound.durationSeconds);
  } finally {
    quieted.close();
  }
}

function isHeard(sound: SpeechSound, pieces: ListeningWindow['pieces']): boolean {
  return pieces.some(({ startSeconds, endSeconds }) =>
    sound
      .read(Math.round(startSeconds * speechRate), Math.round((endSeconds - startSeconds) * speechRate))
      .some((value) => Math.abs(value) > silentPeak),
  );
}
