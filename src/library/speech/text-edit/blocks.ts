// Finds passages of an edited text that were moved, or copied to a second place.

/** Shorter passages are taken only where the original has them once. */
const surePassage = 3;
const fewestLetters = 4;
/** A word that is said more often is no place to begin. */
const mostPlaces = 200;

interface Block {
  readonly at: number;
  readonly from: number;
  readonly length: number;
}

/**
 * Fills in the origins of edited words that have none yet, the longest passages first. Passages that the edited text
 * has elsewhere already are copies.
 * @param origin by edited word: its original word; -1: none
 */
export function findBlocks(original: readonly string[], edited: readonly string[], origin: Int32Array): void {
  const places = new Map<string, number[]>();
  for (const [at, word] of original.entries()) {
    const known = places.get(word);
    if (known) known.push(at);
    else places.set(word, [at]);
  }
  const used = new Uint8Array(original.length);
  for (const from of origin) if (from >= 0) used[from] = 1;

  /** The longest passage that begins at an edited word before `end`; of equal ones, one that is free. */
  const blockAt = (at: number, end: number): (Block & { readonly free: boolean }) | null => {
    const starts = places.get(edited[at] ?? '') ?? [];
    if (starts.length > mostPlaces) return null;
    let best: (Block & { readonly free: boolean }) | null = null;
    for (const from of starts) {
      let [length, free] = [0, 0];
      while (at + length < end && from + length < original.length && edited[at + length] === original[from + length]) {
        if (used[from + length] === 0 && free === length) free += 1;
        length += 1;
      }
      // What is left of a passage of which a part is in use already.
      const found = free >= surePassage || free === length ? free : length;
      const isFree = found === free;
      const once = starts.length === 1 && isFree && (edited[at] ?? '').length >= fewestLetters;
      if (found < surePassage && !(found > 0 && once)) continue;
      if (best === null || found > best.length || (found === best.length && isFree && !best.free))
        best = { at, from, length: found, free: isFree };
    }
    return best;
  };

  const waiting = unmatched(origin);
  for (let stretch = waiting.pop(); stretch !== undefined; stretch = waiting.pop()) {
    const [start, end] = stretch;
    let best: Block | null = null;
    for (let at = start; at < end; at += 1) {
      if (best !== null && end - at <= best.length) break;
      const block = blockAt(at, end);
      if (block !== null && block.length > (best?.length ?? 0)) best = block;
    }
    if (best === null) continue;
    for (let step = 0; step < best.length; step += 1) {
      origin[best.at + step] = best.from + step;
      used[best.from + step] = 1;
    }
    if (best.at > start) waiting.push([start, best.at]);
    if (best.at + best.length < end) waiting.push([best.at + best.length, end]);
  }
}

/** Stretches of edited words without an origin, as [from, to). */
export function unmatched(origin: Int32Array): [from: number, to: number][] {
  const stretches: [number, number][] = [];
  for (const [at, from] of origin.entries()) {
    if (from >= 0) continue;
    const last = stretches.at(-1);
    if (last && last[1] === at) last[1] = at + 1;
    else stretches.push([at, at + 1]);
  }
  return stretches;
}
