// Files that a decoder has looked at before the run: their facts, and their sound in the run's folder. Tools ask for
// both at once, and decoders of browsers answer later.
import type { MediaFacts } from '../../library/media/facts.ts';

export interface LookedAt {
  readonly facts: MediaFacts;
  /** Of interleaved 32-bit floats; null: the file has no sound. */
  readonly spool: string | null;
  readonly frames: number;
  /** As its head says; null: it says none, or not exactly. */
  readonly statedFrames: number | null;
}

const files = new Map<string, LookedAt>();

/** @returns null: a file that is read as it is, or none */
export const lookedAt = (path: string): LookedAt | null => files.get(path) ?? null;

export function remember(path: string, file: LookedAt): void {
  files.set(path, file);
}
