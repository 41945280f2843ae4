// A window in which the language changes: read in one language, the other's sentences come out translated or invented.
import type { SpeechRegion } from '../../activity/find-speech.ts';
import type { SpeechSound } from '../../speech-sound.ts';
import type { PlacedWord } from '../windows/place-words.ts';
import { type ListeningWindow, packWindows } from '../windows/windows.ts';
import { hear, positionsOf } from './hear-window.ts';
import type { WhisperNetwork } from './network.ts';
import { languageTold } from './spoken-in.ts';

interface Ear {
  readonly network: WhisperNetwork;
  readonly sound: SpeechSound;
  /** The recording's. */
  readonly language: string;
  cancelled(): boolean;
}

/** Less speech does not tell its language. */
const leastSeconds = 3;
/**
 * Mean of the logarithms of the words' confidences under which a window may hold two languages. The tokens of text of
 * six such windows have -.43 to -.97, of two in one language -.14 and -.21.
 */
const doubtful = -0.35;

/** Voices that go on for long enough; a shorter rest belongs to those before. */
function stretchesOf(voices: readonly SpeechRegion[]): SpeechRegion[][] {
  const stretches: SpeechRegion[][] = [];
  let seconds = leastSeconds;
  for (const voice of voices) {
    if (seconds >= leastSeconds) [stretches[stretches.length], seconds] = [[], 0];
    stretches.at(-1)?.push(voice);
    seconds += voice.endSeconds - voice.startSeconds;
  }
  const [before, rest] = [stretches.at(-2), stretches.at(-1)];
  if (before === undefined || rest === undefined || seconds >= leastSeconds) return stretches;
  return [...stretches.slice(0, -2), [...before, ...rest]];
}

/**
 * The parts of a window that are read by themselves; none where its words are not in doubt, or its first and its last
 * stretch are in one language. What does not tell its own is in the window's, or goes on in that before it.
 */
export async function partsByLanguage(
  ear: Ear,
  { voices }: ListeningWindow,
  words: readonly Pick<PlacedWord, 'confidence' | 'language'>[],
): Promise<ListeningWindow[]> {
  const logs = words.map(({ confidence }) => Math.log(Math.max(0.01, confidence)));
  const stretches = stretchesOf(voices);
  if (stretches.length < 2 || logs.reduce((sum, one) => sum + one, 0) >= doubtful * logs.length) return [];
  const usual = words[0]?.language ?? ear.language;
  const [first = usual, last = usual] = [await languageOf(ear, stretches[0]), await languageOf(ear, stretches.at(-1))];
  if (first === last) return [];
  const parts: SpeechRegion[][] = [[]];
  let spoken = first;
  for (const [index, stretch] of stretches.entries()) {
    const isLast = index === stretches.length - 1;
    const language = index === 0 ? first : isLast ? last : ((await languageOf(ear, stretch)) ?? spoken);
    if (language !== spoken) [spoken, parts[parts.length]] = [language, []];
    parts.at(-1)?.push(...stretch);
  }
  return parts.flatMap((part) => windowsOf(ear, part));
}

const windowsOf = ({ sound }: Ear, voices: readonly SpeechRegion[]): ListeningWindow[] =>
  packWindows(voices, { secondsPerStep: 1, probabilities: new Float32Array(0) }, sound.durationSeconds);

/** undefined where it is not told. */
async function languageOf(ear: Ear, voices: readonly SpeechRegion[] = []): Promise<string | undefined> {
  const [window] = windowsOf(ear, voices);
  if (window === undefined) return undefined;
  const heard = await hear(ear, window);
  const opened = await ear.network.open([heard], [positionsOf(leastSeconds)]);
  const language = languageTold(opened.opening, ear.network.layout.tokens.languages);
  opened.release();
  return language;
}
