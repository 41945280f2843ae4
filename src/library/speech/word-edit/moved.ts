// The order in which sentences are heard.
import type { Span } from './spans.ts';
import type { WordEdit } from './word-edit.ts';

type Moves = WordEdit['moves'];

/** The numbers of sentences as they are heard. */
export function sentenceOrder(moves: Moves, sentences: number): readonly number[] {
  const numbers = Array.from({ length: sentences }, (_, at) => at);
  const placeOf = (sentence: number): number => moves[sentence] ?? sentence;
  return Object.keys(moves).length === 0 ? numbers : numbers.toSorted((a, b) => placeOf(a) - placeOf(b) || a - b);
}

/** Puts sentences that follow each other in front of another one. @param before null: at the end */
export function moveSentences(
  edit: WordEdit,
  sentences: number,
  which: readonly number[],
  before: number | null,
): WordEdit {
  const others = sentenceOrder(edit.moves, sentences).filter((each) => !which.includes(each));
  const at = before === null ? others.length : others.indexOf(before);
  if (at < 0) return edit;
  const order = [...others.slice(0, at), ...which, ...others.slice(at)];
  const moves = placesOf(order, new Set([...Object.keys(edit.moves).map(Number), ...which]));
  const isSame = order.join() === sentenceOrder(edit.moves, sentences).join();
  return isSame ? edit : { ...edit, moves };
}

/** Places between those of the neighbours that did not move; what fits between them by its number has none. */
function placesOf(order: readonly number[], moved: ReadonlySet<number>): Moves {
  const moves: Record<number, number> = {};
  let low = -1;
  for (let at = 0; at < order.length;) {
    let end = at;
    while (end < order.length && moved.has(order[end] as number)) end += 1;
    const high = order[end] ?? order.length;
    const run: number[] = [];
    const close = (to: number): void => {
      for (const [index, sentence] of run.entries())
        moves[sentence] = low + ((to - low) * (index + 1)) / (run.length + 1);
      run.length = 0;
      low = to;
    };
    for (const sentence of order.slice(at, end)) {
      if (sentence > low && sentence < high) close(sentence);
      else run.push(sentence);
    }
    close(high);
    at = end + 1;
  }
  return moves;
}

/** Neighbours in the order that also follow each other in the recording, as one span. */
export function runsOf(order: readonly number[]): readonly Span[] {
  const runs: [number, number][] = [];
  for (const sentence of order) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === sentence) last[1] = sentence + 1;
    else runs.push([sentence, sentence + 1]);
  }
  return runs;
}
