// Keeps in any order, as parts that each go through the source once, forwards.
import type { EditList, KeepRange } from './edit-list.ts';

/** A part of the output: an edit list, and how far it overlaps the part before. */
export interface Pass {
  readonly edits: EditList;
  /** Frames that this part and the one before have in common, a crossfade centred on their seam; 0 for the first. */
  readonly overlapFrames: number;
}

/** Keeps in the order of the output. They may lie in any order in the source, and over each other. */
export type Sequence = EditList;

/** Divides a sequence where it goes back in the source. Crossfades are those of an edit list. */
export function passesOf({ keeps, crossfadeFrames, ...source }: Sequence): Pass[] {
  const parts: { start: number; end: number }[][] = [];
  for (const keep of keeps) {
    const part = parts.at(-1);
    const last = part?.at(-1);
    if (part === undefined || last === undefined || keep.start < last.end) parts.push([{ ...keep }]);
    else if (keep.start === last.end) last.end = keep.end;
    else part.push({ ...keep });
  }
  const overlaps = parts.map(() => 0);
  for (let index = 1; index < parts.length; index += 1) {
    const before = parts[index - 1]?.at(-1) as { start: number; end: number };
    const after = parts[index]?.[0] as { start: number; end: number };
    const half = (keep: KeepRange): number => Math.floor((keep.end - keep.start) / 2);
    const reach = Math.min(
      Math.floor(crossfadeFrames / 2),
      half(before),
      half(after),
      source.sourceFrames - before.end,
      after.start,
    );
    overlaps[index] = 2 * Math.max(0, reach);
  }
  return parts.map((part, index) => {
    const first = part[0] as { start: number; end: number };
    const last = part.at(-1) as { start: number; end: number };
    // After both halves are known, since they are those of the keeps as they are heard.
    first.start -= (overlaps[index] as number) / 2;
    last.end += (overlaps[index + 1] ?? 0) / 2;
    return { edits: { ...source, crossfadeFrames, keeps: part }, overlapFrames: overlaps[index] as number };
  });
}
