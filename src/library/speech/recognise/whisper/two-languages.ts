// A window in which the language changes: read in one language, the other's sentences come out translated or invented.
import type { SpeechRegion } from '../../activity/find-speech.ts';
import type { SpeechSound } from '../../speech-sound.ts';
import type { PlacedWord } from '../windows/place-words.ts';
import { type ListeningWindow, packWindows } from '../windows/windows.ts';
import { hearWindow, positionsOf } from './hear-window.ts';
import type { WhisperNetwork } from './network.ts';
import { languageTold } from './spoken-in.ts';

interface Ear {
  readonly network: WhisperNetwork;
  readonly sound: SpeechSound;
  /** The recording's. */
  readonly language: string;
  cancelled(): boolean;
}

/** Shorter speech does not tell its language. */
const leastSeconds = 1.2;
/**
 * Mean of the logarithms of the confidences of a voice's words under which it may be in another language than they
 * are. Voices read in a wrong one have -.51 to -1.01, in their own -.01 to -.37.
 */
const doubtful = -0.45;
/** Each costs a short encoding. */
const mostAsked = 3;

type Heard = Pick<PlacedWord, 'confidence' | 'language' | 'startSeconds'>;

export const meanLogOf = (words: readonly Pick<PlacedWord, 'confidence'>[]): number =>
  words.reduce((sum, { confidence }) => sum + Math.log(Math.max(0.01, confidence)), 0) / Math.max(1, words.length);

/** A voice with what was read of it. */
interface Read {
  readonly voice: SpeechRegion;
  readonly seconds: number;
  readonly isDoubted: boolean;
  /** The language of its words; undefined: it has none. */
  readonly language: string | undefined;
}

const readOf = (ear: Ear, voices: readonly SpeechRegion[], words: readonly Heard[]): Read[] =>
  voices.map((voice, index) => {
    const until = voices[index + 1]?.startSeconds ?? Infinity;
    const own = words.filter(({ startSeconds }) => startSeconds >= voice.startSeconds && startSeconds < until);
    const isDoubted = meanLogOf(own) < doubtful;
    const language = own.length === 0 ? undefined : (own[0]?.language ?? ear.language);
    return { voice, seconds: voice.endSeconds - voice.startSeconds, isDoubted, language };
  });

/**
 * The parts of a window that are read by themselves; none unless a voice is in another language than its words. Only
 * those are asked whose words are in doubt, or all where the window may be in two: a translation is in no doubt. What
 * does not tell its own has that of its words, unless these are in doubt, too; else it goes on in that before it.
 */
export async function partsByLanguage(
  ear: Ear,
  { voices }: ListeningWindow,
  words: readonly Heard[],
  mayBeInTwo = false,
): Promise<ListeningWindow[]> {
  const read = readOf(ear, voices, words);
  const doubted = read.filter(({ isDoubted, seconds }) => (isDoubted || mayBeInTwo) && seconds >= leastSeconds);
  const told = new Map<Read, string | undefined>();
  let isOther = false;
  for (const one of doubted.toSorted((a, b) => b.seconds - a.seconds).slice(0, mostAsked)) {
    const language = await languageOf(ear, one.voice);
    told.set(one, language);
    isOther = language !== undefined && language !== one.language;
    if (isOther) break;
  }
  if (!isOther) return [];
  const parts: { language: string | undefined; readonly voices: SpeechRegion[] }[] = [];
  for (const one of read) {
    const own = told.get(one) ?? (one.seconds < leastSeconds ? undefined : await languageOf(ear, one.voice));
    const language = own ?? (one.isDoubted ? undefined : one.language);
    const last = parts.at(-1);
    if (last === undefined || (language !== undefined && last.language !== undefined && language !== last.language))
      parts.push({ language, voices: [one.voice] });
    else {
      last.language ??= language;
      last.voices.push(one.voice);
    }
  }
  return parts.length < 2 ? [] : parts.flatMap((part) => windowsOfVoices(ear, part.voices));
}

/** Windows of these voices alone. */
export const windowsOfVoices = ({ sound }: Pick<Ear, 'sound'>, voices: readonly SpeechRegion[]): ListeningWindow[] =>
  packWindows(voices, { secondsPerStep: 1, probabilities: new Float32Array(0) }, sound.durationSeconds);

/** undefined where it is not told. */
async function languageOf(ear: Ear, voice: SpeechRegion): Promise<string | undefined> {
  const [window] = windowsOfVoices(ear, [voice]);
  if (window === undefined) return undefined;
  const heard = await hearWindow(ear, window);
  const opened = await ear.network.open([heard], [positionsOf(voice.endSeconds - voice.startSeconds)]);
  const language = languageTold(opened.opening, ear.network.layout.tokens.languages);
  opened.release();
  return language;
}
