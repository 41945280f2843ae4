import type { ErrorJson } from '../../core/errors/errors.ts';

/** What the process that listens for voices is told. */
export type ToVoices =
  | { readonly open: number; readonly sampleRate: number }
  | { readonly hear: number; readonly samples: Int16Array }
  | { readonly close: number };

/** What it answers to each `hear`, in the track's order. */
export type FromVoices = { readonly track: number } & (
  | { readonly probabilities: Float32Array }
  | { readonly error: ErrorJson }
);
