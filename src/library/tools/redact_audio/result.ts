import type { PatternKind, WordMatch } from '../../contract/sought.ts';

/** Why a stretch is taken out. */
export type RedactedKind = 'word' | PatternKind | 'speaker' | 'range';

/** A stretch that is taken out. */
export interface RedactedPlace {
  /** "r1", in order of time. */
  readonly id: string;
  readonly kind: RedactedKind;
  /** What is said there, only with find_only: a report that goes with the recording must not say it. */
  readonly text?: string;
  /** Of a number with a check digit: does it hold? Where not, a digit may be misheard, and it is taken all the same. */
  readonly checked?: boolean;
  /** Where it begins to be silent; the fade is before. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** true: a plan says that it stays. */
  readonly keep?: boolean;
  /** The reading that found it, from 2; absent: the first. */
  readonly reading?: number;
}

/** Something that was sought and is still there. */
export interface LeftPlace {
  readonly kind: RedactedKind;
  /** Where it is. */
  readonly where: 'sound' | 'tags' | 'chapters';
  /** As it was read; '': only its place is known. */
  readonly text: string;
  /** In the sound; 0 elsewhere. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** The result of redact_audio. */
export interface RedactAudioResult {
  /** ISO 639 code of what is said. */
  readonly language: string;
  /** The recogniser that listened; absent with find_only where a transcript was given. */
  readonly recogniser?: string;
  /** What was looked for; only with find_only: a plan takes it from there. */
  readonly sought?: {
    /** Words and phrases, as they were given. */
    readonly words: readonly string[];
    readonly match: WordMatch;
    readonly patterns: readonly PatternKind[];
  };
  /** In order of time. */
  readonly places: readonly RedactedPlace[];
  /** Number of places by their kind. */
  readonly byKind: Readonly<Partial<Record<RedactedKind, number>>>;
  /** Length of what is taken out, without its fades, s. */
  readonly silencedSeconds: number;
  /** Everything that differs from the input, with its fades, s; absent with find_only. */
  readonly changed?: readonly { readonly startSeconds: number; readonly endSeconds: number }[];
  /** How often the recogniser has read the output, 1 to 3: again where it found something; absent with find_only. */
  readonly readings?: number;
  /** What the last reading still found; empty: none is left. Absent with find_only. */
  readonly left?: readonly LeftPlace[];
  /** How many words, captions, tags and titles of chapters were changed; absent with find_only. */
  readonly texts?: {
    /** Words of the transcript, 0 or more. */
    readonly words: number;
    /** Captions of the given file, 0 or more. */
    readonly captions: number;
    /** Cues of embedded subtitles that are left out, 0 or more. */
    readonly subtitles: number;
    /** Tags, 0 or more. */
    readonly tags: number;
    /** Titles of chapters, 0 or more. */
    readonly chapters: number;
  };
  /** Length of the recording, s. */
  readonly durationSeconds: number;
}
