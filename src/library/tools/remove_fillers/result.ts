import type { MovedEdge } from '../declare/moved-edge.ts';

/** A sound between words that is no filler; a stutter is the first sound of a word said again. */
type SoundKind = 'breath' | 'mouth_click' | 'cough' | 'stutter';

/** The result of remove_fillers. */
export interface RemoveFillersResult {
  /** ISO 639 code of the language of the filler list. */
  readonly language: string;
  /** The recogniser that transcribed; absent where a transcript was given. */
  readonly recogniser?: string;
  /** Number of possible cuts. */
  readonly cutsFound: number;
  /** The chosen cuts; in a dry run all. */
  readonly cuts: readonly {
    /** Its id for `cut_ids`: "c1". */
    readonly id: string;
    readonly kind: 'filler' | 'repeat' | 'unwritten_filler' | SoundKind;
    /** Empty for what is missing from the transcript. */
    readonly text: string;
    readonly startSeconds: number;
    readonly endSeconds: number;
    /**
     * What is done to it; only with one of the options `breaths`, `mouth_clicks`, `coughs`, `stutters` and with
     * `fillers` that are not cut.
     */
    readonly action?: 'cut' | 'mute' | 'lower';
  }[];
  /** How many there are of each kind; only with one of those options. */
  readonly byKind?: Readonly<Partial<Record<'filler' | 'repeat' | 'unwritten_filler' | SoundKind, number>>>;
  /** Sounds like those that the options name, and why they stay as they are; only with one of those options. */
  readonly kept?: readonly {
    readonly kind: SoundKind;
    readonly startSeconds: number;
    readonly endSeconds: number;
    /** A word goes on in it, or it begins or ends without a dip beside one. */
    readonly reason: 'inside_a_word' | 'touches_a_word';
  }[];
  /** Number of cuts made; absent in a dry run. */
  readonly cutsMade?: number;
  /** Number of sounds muted or lowered; only where any option asks for that, absent in a dry run. */
  readonly softened?: number;
  /** How much shorter the output is; absent in a dry run. */
  readonly removedSeconds?: number;
  /** Length of the input; absent in a dry run. */
  readonly inputSeconds?: number;
  /** Length of the output; absent in a dry run. */
  readonly outputSeconds?: number;
  /** Of each stretch that is kept its begin and its end; only with keep_encoding. */
  readonly edges?: readonly MovedEdge[];
}
