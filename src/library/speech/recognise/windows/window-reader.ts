import type { PlacedWord } from './place-words.ts';
import type { ListeningWindow } from './windows.ts';

/** How a family of recognisers reads the windows of a recording. */
export interface WindowReader {
  /** Windows that are read together: the first, and the end, exclusive. */
  readonly groups: readonly { readonly from: number; readonly to: number }[];
  /** Groups that are read in parallel. */
  readonly lanes: number;
  /** The words of each window of a group, which starts with window `from`. */
  read(windows: readonly ListeningWindow[], from: number): Promise<readonly (readonly PlacedWord[])[]>;
}
