// Which measure judges which files, and where constants come from that no measure chose.
import type { SourceConstant } from './source-constants.ts';
import { sources } from './sources/all.ts';

export interface Family {
  readonly id: string;
  readonly title: string;
  /** What the figures are and of what sounds. */
  readonly about: string;
  /** Said of every tuned constant that has no source of its own. */
  readonly chosenBy: string;
  /** Below src/library; folders end with a slash. */
  readonly files: readonly string[];
  /** A file of measures/; default: the id. null: there is none yet. */
  readonly measure?: string | null;
}

const acoustic = 'acoustic_corpus (58 words, hand-marked) at 3 speeds and in 3 noises';

export const families: readonly Family[] = [
  {
    id: 'fillers',
    title: 'Fillers',
    about:
      `What remove_fillers cuts of ${acoustic}, with the words that the recogniser hears there, and what it leaves of ` +
      'written sentences with fillers and words said twice. Fillers are gone when a cut reaches from 40 ms behind their ' +
      'begin to 40 ms before their end; words are touched from 20 ms on.',
    chosenBy: 'bench/speech/fillers.ts, acoustic_corpus',
    files: ['speech/fillers/'],
  },
  {
    id: 'levelling',
    title: 'Finding speech and levelling voices',
    about:
      'How far turns of built conversations lie from the whole after level_speakers (bench/tools/level-turns.ts), and ' +
      'how far the gain moves while one voice speaks on.',
    chosenBy: 'bench/tools/level-turns.ts, built conversations',
    files: ['dsp/gain/level-segments.ts', 'dsp/gain/leveling.ts', 'dsp/gain/voice-places.ts', 'dsp/voicing/'],
  },
  {
    id: 'metering',
    title: 'Timbre and tones',
    about:
      'As levelling, where levels, tones and timbre are metered anew: fewer conversations, and sounds without speech.',
    chosenBy: 'bench/tools/level-turns.ts, built conversations',
    files: ['dsp/voicing/timbre.ts', 'dsp/voicing/tone-steadiness.ts', 'dsp/voicing/speech-levels.ts'],
  },
  {
    id: 'ducking',
    title: 'Ducking and crosstalk',
    about: 'Music under a voice and tracks of several microphones, whose levels and speech are known.',
    chosenBy: 'not recorded',
    files: ['dsp/gain/'],
    measure: null,
  },
  {
    id: 'pauses',
    title: 'Pauses',
    about: `Pauses found by level in ${acoustic}.`,
    chosenBy: 'not recorded',
    files: ['dsp/pauses/'],
    measure: null,
  },
  {
    id: 'speakers',
    title: 'Speakers',
    about:
      'Diarization error (collar 0.25 s, overlaps counted) of four AMI clips and six built conversations (sets 1 and 3 of bench/speech/speakers.ts: two to five people).',
    chosenBy: 'bench/speech/speakers.ts, sets 11 to 14',
    files: ['speech/speakers/'],
  },
  {
    id: 'captions',
    title: 'Sentences and captions',
    about: 'Captions and sentences of transcripts whose text is known.',
    chosenBy: 'reading captions of the samples; no bench chose it',
    files: ['speech/transcript/'],
    measure: null,
  },
  {
    id: 'alignment',
    title: 'Alignment',
    about:
      'Times of aligned words against hand-marked ones (bench/speech/alignment.ts): scripts with and without a recogniser, as subtitles, with damage, in a text far longer than the recording; words of a transcript in noise.',
    chosenBy: 'bench/speech/alignment.ts, the samples',
    files: ['speech/align/'],
  },
  {
    id: 'activity',
    title: 'Voice activity',
    about: 'Speech that is found in recordings whose words are known.',
    chosenBy: 'bench/speech/recognition.ts, the samples',
    files: ['speech/activity/'],
    measure: null,
  },
  {
    id: 'recognition',
    title: 'Recognition',
    about: 'Word errors of the recogniser (bench/speech/recognition.ts).',
    chosenBy: 'bench/speech/recognition.ts, the samples',
    files: ['speech/recognise/', 'speech/transcribe/', 'speech/speech-sound.ts'],
    measure: null,
  },
  {
    id: 'loudness',
    title: 'Loudness and bandwidth',
    about: 'Loudness that is reached, and the bandwidth that is found.',
    chosenBy: 'not recorded',
    files: ['dsp/loudness/', 'dsp/series/', 'dsp/spectrum/'],
    measure: null,
  },
  {
    id: 'enhancement',
    title: 'Voice enhancement',
    about: 'What enhance_voice does to voices that are dull, sharp, in rooms and through telephones.',
    chosenBy: 'bench/quality/voice.ts and voice-decisions.ts, damaged voices',
    files: ['dsp/voice/'],
    measure: null,
  },
  {
    id: 'passages',
    title: 'Music and lost voices while noise is removed',
    about: 'Passages that remove_noise leaves alone or hands to its stand-in (bench/quality/passages.ts).',
    chosenBy: 'bench/quality/passages.ts, lost-voice.ts and other-noises.ts',
    files: ['dsp/denoise/passages/', 'dsp/denoise/watched-suppressor.ts'],
    measure: null,
  },
  {
    id: 'noise',
    title: 'Noise suppression',
    about: 'What remove_noise leaves of voice and noise (bench/quality/run.ts).',
    chosenBy: 'bench/quality/run.ts, the mixtures',
    files: ['dsp/denoise/'],
    measure: null,
  },
];

export const familyOf = (file: string): Family => {
  // The most special one: files go before folders, long folders before short ones.
  const family = families
    .flatMap((one) =>
      one.files
        .filter((path) => file === path || (path.endsWith('/') && file.startsWith(path)))
        .map((path) => [path.length, one] as const),
    )
    .toSorted(([a], [b]) => b - a)[0]?.[1];
  if (!family) throw new Error(`No family of constants has src/library/${file}: add it to bench/constants/families.ts`);
  return family;
};

export interface Source {
  readonly text: string;
  /** Its figures are measured all the same. */
  readonly isTuned: boolean;
}

/** Where a constant comes from, if not from its family's measure. */
export function sourceOf({ file, name }: SourceConstant): Source | null {
  const text = sources[file]?.[name];
  if (text === undefined) return null;
  return text.startsWith('tuned: ') ? { text: text.slice('tuned: '.length), isTuned: true } : { text, isTuned: false };
}

export const isTuned = (constant: SourceConstant): boolean => sourceOf(constant)?.isTuned !== false;
