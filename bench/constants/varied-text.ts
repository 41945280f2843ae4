// A source file with other literals in the place of those that are written there.
import type { Edit } from './variations.ts';

export interface Varied {
  /** Of the source file. */
  readonly url: string;
  readonly edits: readonly Edit[];
}

/** @throws Error where the file is not what the edits are of */
export function variedText(text: string, { url, edits }: Varied): string {
  let varied = text;
  for (const { start, end, text: was, becomes } of edits.toSorted((a, b) => b.start - a.start)) {
    if (varied.slice(start, end) !== was) throw new Error(`${url} changed while its constants were measured`);
    varied = varied.slice(0, start) + becomes + varied.slice(end);
  }
  return varied;
}
