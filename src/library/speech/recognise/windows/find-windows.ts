// Finds the windows of a recording that a recogniser reads: where voices are, and where there may be one that the
// network for voices takes for noise.
import { listenForVoice, type ActivityOptions, type SpeechRegion, speechRegions } from '../../activity/find-speech.ts';
import { isSteady } from '../../activity/is-steady.ts';
import type { VoiceActivity } from '../../activity/voice-activity.ts';
import { withoutNoise } from '../../activity/without-noise.ts';
import type { SpeechSound } from '../../speech-sound.ts';
import { loudGaps } from './loud-gaps.ts';
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

export interface FoundWindows {
  /**
   * Where voices are: looked for once more without the recording's noise, where there are next to none.
   * @param spoken stretches of `faint` with words; voices, too
   */
  windows(spoken: readonly SpeechRegion[]): Promise<readonly ListeningWindow[]>;
  /** What is as loud as a voice although none was found, the most doubtful first: a recogniser tells whether it is. */
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
  const apart = secondsOf(voices) < leastVoiceSeconds ? [] : voices;
  const faint = (isSilent ? [] : loudGaps(sound, apart)).flatMap((gap) =>
    pack([gap]).map((window): ListeningWindow => ({ ...window, faint: true })),
  );
  return {
    faint: mostDoubtfulFirst(faint, activity),
    async windows(spoken) {
      if (spoken.length > 0) return pack(joined([...voices, ...spoken]));
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

/** In order of time; what overlaps is one. */
function joined(regions: readonly SpeechRegion[]): SpeechRegion[] {
  const whole: SpeechRegion[] = [];
  for (const region of regions.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const last = whole.at(-1);
    if (last === undefined || last.endSeconds < region.startSeconds) whole.push(region);
    else whole[whole.length - 1] = { ...last, endSeconds: Math.max(last.endSeconds, region.endSeconds) };
  }
  return whole;
}

/** The windows in which the network for voices is least sure that there is none come first. */
function mostDoubtfulFirst(
  windows: readonly ListeningWindow[],
  { secondsPerStep, probabilities }: VoiceActivity,
): ListeningWindow[] {
  const doubt = ({ pieces }: ListeningWindow): number => {
    const [from, to] = [pieces[0]?.startSeconds ?? 0, pieces.at(-1)?.endSeconds ?? 0];
    const steps = probabilities.subarray(Math.floor(from / secondsPerStep), Math.ceil(to / secondsPerStep));
    return steps.reduce((sum, one) => sum + one, 0) / Math.max(1, steps.length);
  };
  return windows
    .map((window) => ({ window, doubt: doubt(window) }))
    .toSorted((a, b) => b.doubt - a.doubt)
    .map(({ window }) => window);
}
