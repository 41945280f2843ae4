/** A stretch of the recording, seconds from its start. */
export interface Place {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A tool and its options. */
export interface Mend {
  readonly tool: 'adjust_loudness' | 'convert_audio' | 'enhance_voice' | 'remove_noise' | 'remove_silence';
  readonly options: Readonly<Record<string, string | number | boolean>>;
}

/** One rule, and whether the recording meets it. */
export interface Check {
  /** Name of the measure, as in a rule. */
  readonly measure: string;
  /** The measure for people. */
  readonly title: string;
  /** LUFS, LU, dBTP, dBFS, s, Hz, bit/s, bits, %, cells, cells/s; '' for counts and names. */
  readonly unit: string;
  /** What was measured: a number (LUFS, dB, s, Hz, as `unit` says), a name, or names. null: none, as of silence. */
  readonly value: readonly string[] | number | string | null;
  /** The least value: LUFS, dB, s, Hz, as `unit` says; null: no such limit. */
  readonly min: number | null;
  /** The greatest value: LUFS, dB, s, Hz, as `unit` says; null: no such limit. */
  readonly max: number | null;
  /** The values that are allowed, numbers as text; null: all. */
  readonly oneOf: readonly string[] | null;
  /** Names that have to be there; null: none. */
  readonly has: readonly string[] | null;
  /** Does the recording meet it? */
  readonly passes: boolean;
  /** What would mend it; null: it passes, or no tool does. */
  readonly mend: Mend | null;
  /** Where it fails, up to 50 places; empty: everywhere, or it passes. */
  readonly places: readonly Place[];
}

/** The result of check_audio. */
export interface CheckAudioResult {
  /** Its name; custom: rules of one's own. */
  readonly policy: string;
  /** Does the recording meet every rule? */
  readonly passes: boolean;
  /** Number of rules that it does not meet. */
  readonly failed: number;
  /** In the order of the policy. */
  readonly checks: readonly Check[];
  /** Rules for captions that were left out, since no captions were given. */
  readonly notChecked: readonly string[];
}
