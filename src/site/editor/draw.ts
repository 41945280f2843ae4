// Draws a stretch of the recording on a canvas: peaks of the level that fits, cuts hatched, what is picked in yellow.
import type { Span } from '../../library/speech/word-edit/spans.ts';
import { hatch } from '../hatch.ts';
import type { PeakStore } from './peak-store.ts';

export interface Marks {
  readonly cuts: readonly Span[];
  readonly picked: Span | null;
  /** Suggestions that are open. */
  readonly asked: readonly Span[];
}

export interface Picture extends Marks {
  readonly peaks: PeakStore | null;
  /** What is shown, seconds. */
  readonly view: Span;
  /** The part of it that another picture shows; null: none. */
  readonly window: Span | null;
}

/** Colours of the page, as the canvas carries them. */
interface Inks {
  readonly on: string;
  readonly rest: string;
  readonly off: string;
  readonly mark: string;
  readonly ground: string;
}

/** Gives the canvas the size that it has on the screen. @returns null: it has none */
function sized(canvas: HTMLCanvasElement): { context: CanvasRenderingContext2D; ratio: number } | null {
  const ratio = devicePixelRatio;
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (width === 0 || height === 0) return null;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  return context === null ? null : { context, ratio };
}

function inksOf(canvas: HTMLCanvasElement): Inks {
  const { color, caretColor, outlineColor, accentColor, backgroundColor } = getComputedStyle(canvas);
  return { on: color, rest: caretColor, off: outlineColor, mark: accentColor, ground: backgroundColor };
}

export function drawPicture(
  canvas: HTMLCanvasElement,
  { peaks, view: [from, to], window, cuts, picked, asked }: Picture,
): void {
  const own = sized(canvas);
  if (own === null) return;
  const { context, ratio } = own;
  const { width, height } = canvas;
  const inks = inksOf(canvas);
  const perPixel = (to - from) / width;
  const x = (seconds: number): number => (seconds - from) / perPixel;
  context.clearRect(0, 0, width, height);
  const within = (spans: readonly Span[]): readonly Span[] => spans.filter((span) => span[1] > from && span[0] < to);
  const shownCuts = within(cuts);
  const bars = barsOf(canvas, peaks, from, perPixel, width, height, ratio);
  for (const span of within(asked)) shade(context, x(span[0]), x(span[1]), height, ratio, inks.mark, 0.35);
  // Of the whole recording, what is not in view is paler.
  bars(context, 0, width, window === null ? inks.on : inks.rest);
  if (window !== null) bars(context, x(window[0]), x(window[1]), inks.on);
  for (const [start, end] of shownCuts) {
    const [left, right] = [x(start), Math.max(x(end), x(start) + ratio)];
    hatch(context, [left, right], ratio, { line: inks.rest, ground: inks.ground });
    bars(context, left, right, inks.off);
    context.fillStyle = inks.on;
    if (right - left > 3 * ratio) {
      context.fillRect(left, 0, ratio, height);
      context.fillRect(right - ratio, 0, ratio, height);
    }
  }
  if (picked !== null && picked[1] > from && picked[0] < to) {
    shade(context, x(picked[0]), x(picked[1]), height, ratio, inks.mark, 1);
    bars(context, x(picked[0]), x(picked[1]), '#15181a');
  }
  if (window !== null) {
    context.strokeStyle = inks.on;
    context.lineWidth = 2 * ratio;
    context.strokeRect(
      x(window[0]) + ratio,
      ratio,
      Math.max(4 * ratio, x(window[1]) - x(window[0])) - 2 * ratio,
      height - 2 * ratio,
    );
  }
}

type Bars = (context: CanvasRenderingContext2D, from: number, to: number, ink: string) => void;

/** A column of the picture for each pixel, computed once for all inks. */
function barsOf(
  canvas: HTMLCanvasElement,
  peaks: PeakStore | null,
  from: number,
  perPixel: number,
  width: number,
  height: number,
  ratio: number,
): Bars {
  const level = peaks?.levelFor(1 / perPixel) ?? null;
  const middle = height / 2;
  if (peaks === null || level === null)
    return (context, start, end, ink) => {
      context.fillStyle = ink;
      context.fillRect(start, middle - ratio / 2, end - start, ratio);
    };
  // An edit changes colours, not shapes.
  const before = columns.get(canvas);
  const mark = `${from} ${perPixel} ${width} ${height} ${peaks.come.value}`;
  if (before?.mark === mark) return painter(before, width);
  const scale = (middle * 0.94) / (peaks.peak * 127);
  const tops = new Float32Array(width);
  const heights = new Float32Array(width);
  const pair: [number, number] = [0, 0];
  for (let column = 0; column < width; column++) {
    const first = Math.floor((from + column * perPixel) * level.perSecond);
    const last = Math.max(first + 1, Math.floor((from + (column + 1) * perPixel) * level.perSecond));
    peaks.range(level, first, last, pair);
    tops[column] = middle - pair[1] * scale;
    heights[column] = Math.max(ratio, (pair[1] - pair[0]) * scale);
  }
  const made = { mark, tops, heights };
  columns.set(canvas, made);
  return painter(made, width);
}

interface Columns {
  readonly mark: string;
  readonly tops: Float32Array;
  readonly heights: Float32Array;
}

/** The latest of each canvas. */
const columns = new WeakMap<HTMLCanvasElement, Columns>();

const painter =
  ({ tops, heights }: Columns, width: number): Bars =>
  (context, start, end, ink) => {
    context.fillStyle = ink;
    context.beginPath();
    for (let column = Math.max(0, Math.floor(start)); column < Math.min(width, end); column++)
      context.rect(column, tops[column] ?? 0, 1, heights[column] ?? 0);
    context.fill();
  };

function shade(
  context: CanvasRenderingContext2D,
  left: number,
  right: number,
  height: number,
  ratio: number,
  ink: string,
  alpha: number,
): void {
  context.globalAlpha = alpha;
  context.fillStyle = ink;
  context.fillRect(left, 0, Math.max(ratio, right - left), height);
  context.globalAlpha = 1;
}

/** Marks and times of a ruler. */
export function drawRuler(canvas: HTMLCanvasElement, [from, to]: Span, format: (seconds: number) => string): void {
  const own = sized(canvas);
  if (own === null) return;
  const { context, ratio } = own;
  const { width, height } = canvas;
  const style = getComputedStyle(canvas);
  const perPixel = (to - from) / width;
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
  const step = steps.find((each) => each / perPixel >= 90 * ratio) ?? 3600;
  context.clearRect(0, 0, width, height);
  context.fillStyle = style.color;
  context.font = `${11 * ratio}px ${style.fontFamily}`;
  const fine = step / 5;
  for (let index = Math.floor(from / fine); index * fine <= to; index++) {
    const at = (index * fine - from) / perPixel;
    const isWhole = index % 5 === 0;
    context.fillRect(Math.round(at), height - (isWhole ? 14 : 6) * ratio, ratio, (isWhole ? 14 : 6) * ratio);
    if (isWhole) context.fillText(format(index * fine), at + 5 * ratio, height - 9 * ratio);
  }
}
