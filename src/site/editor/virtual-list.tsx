// A list of any length, of which only what is seen is in the page. Heights are guessed, then measured.
import type { HTMLAttributes, JSX } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';

interface VirtualListProps {
  readonly class: string;
  readonly id?: string;
  readonly role: 'group' | 'list';
  readonly tabIndex?: number;
  readonly count: number;
  /** Height of a row that was never shown, px. */
  estimate(index: number): number;
  row(index: number): JSX.Element;
  /** Brings this row into view whenever it is another object. */
  readonly reveal?: { readonly index: number } | null;
  readonly label: string;
  readonly describedBy?: string;
  readonly more?: HTMLAttributes<HTMLDivElement> & { readonly 'data-focus'?: string };
  readonly before?: JSX.Element | null;
  readonly after?: JSX.Element | null;
}

/** Rows beyond the edges, px. */
const margin = 300;

export function VirtualList({
  count,
  estimate,
  row,
  reveal = null,
  label,
  describedBy,
  more = {},
  before,
  after,
  ...own
}: VirtualListProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const heights = useRef<Float64Array>(new Float64Array());
  const width = useRef(0);
  const [, again] = useReducer((n: number) => n + 1, 0);
  if (heights.current.length !== count) {
    heights.current = Float64Array.from({ length: count }, (_, index) => estimate(index));
  }
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) tops[index + 1] = tops[index]! + heights.current[index]!;
  const top = (box.current?.scrollTop ?? 0) - (rows.current?.offsetTop ?? 0);
  const height = box.current?.clientHeight ?? 900;
  const first = Math.max(0, firstAfter(tops, top - margin) - 1);
  const last = Math.min(count, firstAfter(tops, top + height + margin));

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let frame = 0;
    const look = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => again(0));
    };
    element.addEventListener('scroll', look, { passive: true });
    const watch = new ResizeObserver(() => {
      // Another width breaks lines elsewhere.
      if (Math.abs(element.clientWidth - width.current) > 1) {
        width.current = element.clientWidth;
        heights.current = new Float64Array();
      }
      look();
    });
    watch.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      watch.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    const shown = rows.current?.children ?? [];
    let changed = 0;
    let above = 0;
    for (const child of shown) {
      const index = Number((child as HTMLElement).dataset['row']);
      const measured = (child as HTMLElement).offsetHeight;
      const known = heights.current[index] ?? 0;
      if (measured > 0 && Math.abs(measured - known) > 0.5) {
        if (tops[index + 1]! <= top) above += measured - known;
        heights.current[index] = measured;
        changed += 1;
      }
    }
    if (changed === 0) return;
    // What is read stays where it is.
    if (above !== 0 && box.current !== null) box.current.scrollTop += above;
    again(0);
  });

  useLayoutEffect(() => {
    const element = box.current;
    if (reveal === null || element === null) return;
    const offset = rows.current?.offsetTop ?? 0;
    const from = (tops[reveal.index] ?? 0) + offset;
    const to = (tops[reveal.index + 1] ?? from) + offset;
    if (from < element.scrollTop + 40 || to > element.scrollTop + element.clientHeight - 80)
      element.scrollTop = from - element.clientHeight / 3;
  }, [reveal]);

  return (
    <div ref={box} aria-label={label} aria-describedby={describedBy} {...own} {...more}>
      {before}
      <div ref={rows} style={{ paddingTop: `${tops[first]}px`, paddingBottom: `${tops[count]! - tops[last]!}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, at) => (
          <div key={first + at} data-row={first + at}>
            {row(first + at)}
          </div>
        ))}
      </div>
      {after}
    </div>
  );
}

/** Index of the first top beyond the value. */
function firstAfter(tops: Float64Array, value: number): number {
  let [low, high] = [0, tops.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tops[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
