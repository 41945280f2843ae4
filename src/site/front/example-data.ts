// src/site/example.json, as scripts/write-example.ts makes it.
import type { TranscriptWord } from '../../library/contract/transcript.ts';

interface Measured {
  readonly integratedLufs: number;
  readonly truePeakDbtp: number;
  readonly noiseFloorDbfs: number;
}

export interface Example {
  readonly seconds: number;
  /** The fillers that were found: from and to, in seconds. */
  readonly cuts: readonly (readonly [from: number, to: number])[];
  readonly measured: { readonly recorded: Measured; readonly before: Measured; readonly after: Measured };
  /** Paths of SVG, 700 wide and 200 high. */
  readonly waveforms: { readonly before: string; readonly after: string };
  /** As the tool writes it; these are the fields that the page reads. */
  readonly transcript: { readonly sentences: readonly { readonly words: readonly TranscriptWord[] }[] };
}
