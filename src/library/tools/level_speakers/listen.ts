import { join } from 'node:path';
import { mkdir, rm } from 'node:fs/promises';
import { withoutMusicBeds } from '../../dsp/gain/music-beds.ts';
import { type Listener, listenerAtHand, listenerRate } from '../../dsp/listener/listener.ts';
import type { SpeechActivity } from '../../dsp/voicing/speech-activity.ts';
import type { SpeechLevels } from '../../dsp/voicing/speech-levels.ts';
import { toWrite } from '../../edit/at-loudness.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { extractSpeech, type SpeechSound } from '../../speech/speech-sound.ts';
import { canFindSpeakers, findSpeakers, speakerPasses } from '../../speech/speakers/find-speakers.ts';
import type { SpeakerTurn } from '../../speech/speakers/speaker-turn.ts';
import type { LevelSpeakersContext } from './options.ts';

export interface Listened {
  /** Who speaks when; null where the speaker networks are not installed. */
  readonly turns: SpeakerTurn[] | null;
  /** Without music under the talk, as far as the sound classifier is installed. */
  readonly activity: SpeechActivity;
  /** 1 in the hops of that music. */
  readonly bed: Uint8Array;
}

function hearBetween(
  sound: SpeechSound,
  listener: Listener,
  signal: AbortSignal,
  startSeconds: number,
  endSeconds: number,
): ReturnType<Listener['hear']> {
  signal.throwIfAborted();
  const from = Math.round(startSeconds * listenerRate);
  return listener.hear(sound.read(from, Math.max(1, Math.round(endSeconds * listenerRate) - from)));
}

const withoutBeds = async (
  sound: SpeechSound,
  { energy, timbre }: SpeechLevels,
  activity: SpeechActivity,
  listener: Listener,
  signal: AbortSignal,
): Promise<Omit<Listened, 'turns'>> =>
  withoutMusicBeds(energy, activity, timbre, (startSeconds, endSeconds) =>
    hearBetween(sound, listener, signal, startSeconds, endSeconds),
  );

const withoutListener = 'music under the talk may be lifted in its pauses';

/** The speech of one speaker's track without music under it, as far as the sound classifier is installed. */
export async function trackWithoutBeds(
  { workDir, signal, modelsDir, warn }: LevelSpeakersContext,
  facts: MediaFacts,
  levels: SpeechLevels,
  activity: SpeechActivity,
): Promise<SpeechActivity> {
  const listener = activity.speech.includes(1) ? await listenerAtHand({ modelsDir, warn }, withoutListener) : null;
  if (listener === null) return activity;
  const folder = join(workDir, 'listening');
  await mkdir(folder);
  let sound: SpeechSound | null = null;
  try {
    const left = await withoutMusicBeds(levels.energy, activity, null, async (startSeconds, endSeconds) => {
      // Most tracks have nothing to ask about: they are not read again.
      sound ??= await extractSpeech(facts, folder, { signal, onProgress: () => undefined });
      return hearBetween(sound, listener, signal, startSeconds, endSeconds);
    });
    return left.activity;
  } finally {
    (sound as SpeechSound | null)?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Listens to a recording with the networks that are installed. */
export async function listen(
  { workDir, signal, modelsDir, fanOut, pass, warn }: LevelSpeakersContext,
  facts: MediaFacts,
  levels: SpeechLevels,
  activity: SpeechActivity,
): Promise<Listened> {
  const unheard = { turns: null, activity, bed: new Uint8Array(activity.speech.length) };
  // Without speech there are no speakers.
  if (!activity.speech.includes(1)) return unheard;
  const speakersTold = await canFindSpeakers(modelsDir);
  const listener = await listenerAtHand({ modelsDir, warn }, withoutListener);
  if (!speakersTold && listener === null) return unheard;
  const [certain, maybe] = toWrite;
  const [first, second, again] = speakerPasses;
  const passes = speakersTold ? [first, second] : [];
  const folder = join(workDir, 'speakers');
  await mkdir(folder);
  try {
    const sound = await extractSpeech(facts, folder, {
      signal,
      onProgress: pass('reading', [...certain, ...passes], [...(speakersTold ? [again] : []), ...maybe]),
    });
    try {
      const heard = listener === null ? unheard : await withoutBeds(sound, levels, activity, listener, signal);
      const turns = speakersTold
        ? await findSpeakers(sound, {
            modelsDir,
            fanOut,
            signal,
            onProgress: () => undefined,
            pass: (stage, after = [], more = []) => pass(stage, [...after, ...certain], [...more, ...maybe]),
          })
        : null;
      return { ...heard, turns };
    } finally {
      sound.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
