// Sets of whole numbers or of moments, as ascending spans that neither touch nor overlap.

/** From the first to the second, which is not part of it. */
export type Span = readonly [from: number, to: number];

/** The index of the first span that ends after the value. */
function firstAfter(spans: readonly Span[], value: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span)[1] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function isIn(spans: readonly Span[], value: number): boolean {
  const span = spans[firstAfter(spans, value)];
  return span !== undefined && span[0] <= value;
}

/** The span that the value is in; null: none. */
export function spanAt(spans: readonly Span[], value: number): Span | null {
  const span = spans[firstAfter(spans, value)];
  return span !== undefined && span[0] <= value ? span : null;
}

/** Is any of it in the set? */
export function touches(spans: readonly Span[], [from, to]: Span): boolean {
  const span = spans[firstAfter(spans, from)];
  return to > from && span !== undefined && span[0] < to;
}

/** The set with the span in it. */
export function withSpan(spans: readonly Span[], [from, to]: Span): readonly Span[] {
  if (!(to > from)) return spans;
  const first = spans.findIndex((span) => span[1] >= from);
  if (first < 0) return [...spans, [from, to]];
  let last = first;
  let [start, end] = [from, to];
  for (; last < spans.length && (spans[last] as Span)[0] <= to; last++) {
    start = Math.min(start, (spans[last] as Span)[0]);
    end = Math.max(end, (spans[last] as Span)[1]);
  }
  return [...spans.slice(0, first), [start, end], ...spans.slice(last)];
}

/** The set without the span. */
export function withoutSpan(spans: readonly Span[], [from, to]: Span): readonly Span[] {
  if (!touches(spans, [from, to])) return spans;
  return spans.flatMap((span): Span[] => {
    const [start, end] = span;
    if (end <= from || start >= to) return [span];
    return [...(start < from ? [[start, from] as const] : []), ...(end > to ? [[to, end] as const] : [])];
  });
}

export const union = (a: readonly Span[], b: readonly Span[]): readonly Span[] => b.reduce(withSpan, a);
export const difference = (a: readonly Span[], b: readonly Span[]): readonly Span[] => b.reduce(withoutSpan, a);

/** What lies between them from `from` to `to`. */
export function complement(spans: readonly Span[], from: number, to: number): readonly Span[] {
  const left: Span[] = [];
  let at = from;
  for (const [start, end] of spans) {
    if (start > at) left.push([at, Math.min(start, to)]);
    at = Math.max(at, end);
    if (at >= to) break;
  }
  if (at < to) left.push([at, to]);
  return left;
}
