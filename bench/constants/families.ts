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
      `What remove_fillers cuts of ${acoustic}, with the words that the recogniser hears there, and what it leaves ` +
      'of written sentences with fillers and words said twice. Fillers are gone when a cut reaches from 40 ms behind ' +
      'their begin to 40 ms before their end; words are touched from 20 ms on.',
    chosenBy: 'tuned with bench/speech/fillers.ts on acoustic_corpus (dcc85c7, 754eef2, 1fa6219)',
    files: ['speech/fillers/', 'speech/text-edit/', 'speech/word-edit/', 'speech/transcribe/only-prompted.ts'],
  },
  {
    id: 'unwritten-fillers',
    title: 'Unwritten fillers',
    about: `As fillers, of ${acoustic}, with the fillers taken out of the words that the recogniser hears.`,
    chosenBy: 'tuned with bench/speech/fillers.ts on acoustic_corpus (dcc85c7)',
    files: ['speech/fillers/voiced-gaps.ts', 'speech/pitch.ts'],
  },
  {
    id: 'mouth-sounds',
    title: 'Breaths, clicks, coughs and stutters',
    about:
      'What is found of breaths, clicks, coughs and stutters that were put into acoustic_corpus, clean and in noise ' +
      '20 dB below, and of those of people in three recordings, with times of words that are up to 60 ms wrong.',
    chosenBy: 'tuned with bench/speech/mouth-sounds.ts on acoustic_corpus, sonnet001 and clean_speech_48k',
    files: ['speech/fillers/mouth-sounds/', 'speech/fillers/stutters.ts'],
  },
  {
    id: 'own-transcripts',
    title: 'Transcripts of another recording',
    about:
      "Words of acoustic_corpus and lines of sonnet001, up to 0.1 s wrong, against their recordings' pauses: their " +
      "own, the other's stretched to the same length, and their own 0.7 to 5.6 s late.",
    chosenBy: 'tuned on own and other transcripts of 14 recordings (test/library/speech/fillers/fits-pauses.test.ts)',
    files: ['speech/fillers/fits-pauses.ts'],
  },
  {
    id: 'levelling',
    title: 'Finding speech and levelling voices',
    about:
      'How far turns of built conversations lie from the whole after level_speakers (bench/tools/level-turns.ts), ' +
      'and how far the gain moves while one voice speaks on.',
    chosenBy: 'tuned with bench/tools/level-turns.ts on built conversations (e8c3426, 79853b0)',
    files: [
      'dsp/gain/level-segments.ts',
      'dsp/gain/leveling.ts',
      'dsp/gain/music-beds.ts',
      'dsp/gain/turn-gains.ts',
      'dsp/gain/voice-places.ts',
      'dsp/listener/',
      'dsp/voicing/',
    ],
  },
  {
    id: 'metering',
    title: 'Timbre and tones',
    about:
      'As levelling, where levels, tones and timbre are metered anew: fewer conversations, and sounds without speech.',
    chosenBy: 'tuned with bench/tools/level-turns.ts on built conversations (79853b0)',
    files: ['dsp/voicing/timbre.ts', 'dsp/voicing/tone-steadiness.ts', 'dsp/voicing/speech-levels.ts'],
  },
  {
    id: 'ducking',
    title: 'Ducking and crosstalk',
    about:
      'Music under built conversations with pauses of 0.2 to 6 s, and the tracks of their two microphones, on which ' +
      'the other voice is 10 to 20 dB softer.',
    chosenBy: 'no record of what chose it',
    files: ['dsp/gain/'],
  },
  {
    id: 'pauses',
    title: 'Pauses',
    about:
      `Pauses of 0.3 s and more that are found by level in ${acoustic}, and as edited with digital silence; the ` +
      'noise floor that is read where white noise was added.',
    chosenBy: 'no record of what chose it',
    files: ['dsp/pauses/'],
  },
  {
    id: 'speakers',
    title: 'Speakers',
    about:
      'Diarization error (collar 0.25 s, overlaps counted) of four AMI clips and six built conversations (sets 1 and ' +
      '3 of bench/speech/speakers.ts: two to five people).',
    chosenBy: 'tuned with bench/speech/speakers.ts on sets 11 to 14',
    files: ['speech/speakers/'],
  },
  {
    id: 'voices',
    title: 'Voices known again',
    about: 'People with a print that are named, and strangers that are, in five conditions: `npm run bench:voices`.',
    chosenBy: 'bench/constants/sources/speech.ts',
    files: ['speech/voices/'],
    measure: null,
  },
  {
    id: 'word-labels',
    title: 'Speakers of words',
    about:
      'Words of the recordings of the family Speakers that carry a label which is not their speaker, and words ' +
      'without a label (bench/speech/speakers.ts --words).',
    chosenBy: 'no record of what chose it',
    files: ['speech/speakers/label-words.ts'],
  },
  {
    id: 'captions',
    title: 'Sentences and captions',
    about: 'Captions and sentences of transcripts whose text is known.',
    chosenBy: 'no record of what chose it; 37ba9e7 checked captions of 200 random talks',
    files: ['speech/transcript/'],
  },
  {
    id: 'scripts',
    title: 'Scripts of another recording',
    about:
      "Six recordings with their own texts and with each other's, clean, stuttered and in two noises, and with half " +
      'of a text replaced by half of another (bench/speech/wrong-scripts.ts), judged by what the recogniser hears; ' +
      'speech in louder noise beside noise alone.',
    chosenBy: 'tuned with bench/speech/wrong-scripts.ts on the samples: distributions of 41 own and 210 other scripts',
    files: ['speech/align/spoken-here.ts', 'speech/activity/is-steady.ts'],
  },
  {
    id: 'alignment',
    title: 'Alignment',
    about:
      'Times of aligned words against hand-marked ones (bench/speech/alignment.ts): scripts with and without a ' +
      'recogniser, as subtitles, with damage, in a text far longer than the recording; words of a transcript in ' +
      'noise.',
    chosenBy: 'tuned with bench/speech/alignment.ts on the samples (f2f1237)',
    files: ['speech/align/'],
  },
  {
    id: 'activity',
    title: 'Voice activity',
    about:
      `Speech that Silero VAD finds in ${acoustic}, 40 and 60 dB quieter, and in music and noise without a ` +
      'voice; what it misses of four voices after 30 s of music.',
    chosenBy: 'no record of what chose it',
    files: ['speech/activity/', 'speech/live/'],
  },
  {
    id: 'recognition',
    title: 'Recognition',
    about:
      'Word errors of four recordings whose texts are known: as they are, 45 dB quieter in 16 bits, in white noise 5 ' +
      'dB under the voice, after 30 s of music, on a telephone; words invented in music.',
    chosenBy: 'tuned with bench/speech/recognition.ts on the samples (22caafa)',
    files: ['speech/recognise/', 'speech/transcribe/', 'speech/speech-sound.ts'],
  },
  {
    id: 'loudness',
    title: 'Loudness and bandwidth',
    about:
      'Speech and music brought to -23 and -9 LUFS as WAV, MP3 and M4A: loudness and peaks of what was written; ' +
      'bandwidth that is read of voices cut off at 3.4, 7 and 12 kHz.',
    chosenBy: 'no record of what chose it',
    files: ['dsp/loudness/', 'dsp/series/', 'dsp/spectrum/'],
  },
  {
    id: 'enhancement',
    title: 'Voice enhancement',
    about:
      'What enhance_voice makes of voices that were spoilt by script (a room, a telephone, dull, sharp, in noise, ' +
      'over music), against the voices as they were; what music and a whisper keep.',
    chosenBy: 'tuned with bench/quality/voice.ts on voices spoilt by script (1f85114)',
    files: ['dsp/voice/'],
  },
  {
    id: 'clipping',
    title: 'Clipping',
    about:
      'Two voices and a piece of music clipped to 5, 8.7 and 20 dB of signal to distortion, also at a tenth of the ' +
      'level; the same under limiters, and music and a tone without clipping (bench/quality/repair-cases.ts).',
    chosenBy: 'tuned with bench/quality/repair-cases.ts (docs/decisions/service/0053)',
    files: ['dsp/repair/clipping.ts', 'dsp/repair/declip.ts'],
  },
  {
    id: 'bursts',
    title: 'Clicks and plosives',
    about:
      'What is left of made clicks and plosives in three voices, and found in five voices and two pieces of music as ' +
      'they are.',
    chosenBy: 'tuned with bench/quality/bursts.ts (docs/decisions/service/0065)',
    files: [
      'dsp/repair/bursts.ts',
      'dsp/repair/click-candidates.ts',
      'dsp/repair/clicks.ts',
      'dsp/repair/hop-levels.ts',
      'dsp/repair/linear-prediction.ts',
      'dsp/repair/plosives.ts',
      'dsp/repair/pressure-pulse.ts',
      'dsp/repair/remove-clicks.ts',
      'dsp/repair/remove-plosives.ts',
    ],
  },
  {
    id: 'hum',
    title: 'Mains hum',
    about:
      '50 and 60 Hz with drift, 5 to 30 dB below two voices and a guitar (bench/quality/repair-cases.ts); voices, ' +
      'music, noise and machines without hum.',
    chosenBy: 'tuned with bench/quality/repair-cases.ts (docs/decisions/service/0053)',
    files: ['dsp/repair/'],
  },
  {
    id: 'passages',
    title: 'Music and lost voices while noise is removed',
    about: 'Passages that remove_noise leaves alone or hands to its stand-in (bench/quality/passages.ts).',
    chosenBy: 'tuned with bench/quality/run.ts --passages and --music (489de91, d34fcc8)',
    files: ['dsp/denoise/passages/', 'dsp/denoise/watched-suppressor.ts'],
  },
  {
    id: 'passage-reports',
    title: 'What is said of passages that were left alone',
    about:
      'Music of 1.5 to 6 s between voices, whispers, creaks and laughter that must be named in warnings; voices, ' +
      'voices in noise, and machines that must not.',
    chosenBy: 'tuned with bench/quality/run.ts --passages and --music (489de91, d34fcc8)',
    files: ['dsp/denoise/passages/passage-report.ts'],
  },
  {
    id: 'channel-groups',
    title: 'Channels that are cleaned together',
    about:
      'Built pairs of channels: one voice panned, in noise, on spaced microphones and in a room; two people with a ' +
      'microphone each, with bleed and common rumble.',
    chosenBy: 'no record of what chose it',
    files: ['dsp/denoise/channel-groups.ts'],
  },
  {
    id: 'steady-noise',
    title: 'Steady noise',
    about:
      'A voice and birds in white and pink noise 10 and 25 dB below, through method steady of remove_noise; the ' +
      'noise alone.',
    chosenBy: 'tuned with this measure and test/library/dsp/steady-noise.test.ts',
    files: ['dsp/denoise/steady/'],
  },
  {
    id: 'redact',
    title: 'Redaction',
    about:
      'Words taken out of recordings, `npm run bench:redact`: what a reading still finds, and neighbours that it loses.',
    chosenBy: 'bench/constants/sources/redact.ts',
    files: ['speech/redact/'],
    measure: null,
  },
  {
    id: 'sync',
    title: 'Recordings that find each other',
    about: 'Made rooms and codecs, `npm run bench:sync`: errors of offset and drift, wrong pairs, right pairs refused.',
    chosenBy: 'bench/constants/sources/sync.ts',
    files: ['dsp/sync/'],
    measure: null,
  },
  {
    id: 'stretch',
    title: 'Change of pace',
    about: 'Frames of WSOLA: how near spectra stay to those of the sound itself (bench/stretch/main.ts).',
    chosenBy: 'bench/constants/sources/stretch.ts',
    files: ['dsp/stretch/'],
    measure: null,
  },
  {
    id: 'noise',
    title: 'Noise suppression',
    about: 'What remove_noise leaves of voice and noise (bench/quality/run.ts).',
    chosenBy: 'tuned with bench/quality/run.ts on the mixtures',
    files: ['dsp/denoise/'],
    measure: 'passages',
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
