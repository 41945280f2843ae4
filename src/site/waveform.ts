// A waveform on a canvas: peaks in, pixels out, with what has been played and the play head.
import type { Peaks } from './peaks.ts';

export interface Drawing {
  readonly peaks: Peaks;
  /** The other side, drawn pale behind it. */
  readonly ghost?: Peaks | undefined;
  /** Share of the width that has been played; undefined: no play head. */
  readonly head?: number | undefined;
  /** 1 / the largest sample of both sides, so that they share one scale. Default: 1. */
  readonly scale?: number;
}

export type Draw = typeof draw;

/** Draws in the page's colours, at the canvas's size on the screen. */
export function draw(canvas: HTMLCanvasElement, { peaks, ghost, head, scale = 1 }: Drawing): void {
  const ratio = devicePixelRatio;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(canvas);
  // light-dark() is not resolved in a custom property: the canvas carries the colours in properties that are.
  const ink = { on: style.color, rest: style.caretColor, ghost: style.outlineColor, mark: style.accentColor };
  context.clearRect(0, 0, width, height);
  const middle = height / 2;
  const column = (from: Peaks, x: number): [number, number] => {
    const count = from.length / 2;
    const first = Math.floor((x * count) / width);
    const last = Math.max(first + 1, Math.floor(((x + 1) * count) / width));
    let [least, greatest] = [0, 0];
    for (let bin = first; bin < last && bin < count; bin++) {
      least = Math.min(least, from[2 * bin] ?? 0);
      greatest = Math.max(greatest, from[2 * bin + 1] ?? 0);
    }
    return [least * scale, greatest * scale];
  };
  const bars = (from: Peaks, start: number, end: number, fill: string): void => {
    context.fillStyle = fill;
    context.beginPath();
    for (let x = Math.max(0, Math.floor(start)); x < Math.min(width, end); x++) {
      const [least, greatest] = column(from, x);
      const top = middle - greatest * middle * 0.94;
      context.rect(x, top, 1, Math.max(ratio, middle - least * middle * 0.94 - top));
    }
    context.fill();
  };
  if (ghost !== undefined) bars(ghost, 0, width, ink.ghost);
  const played = head === undefined ? width : head * width;
  bars(peaks, played, width, ink.rest);
  bars(peaks, 0, played, ink.on);
  if (head !== undefined) playHead(context, played, height, ratio, ink.on, ink.mark);
}

function playHead(
  context: CanvasRenderingContext2D,
  x: number,
  height: number,
  ratio: number,
  line: string,
  mark: string,
): void {
  context.fillStyle = line;
  context.fillRect(x - ratio, 0, 2 * ratio, height);
  context.beginPath();
  context.moveTo(x - 6 * ratio, 0);
  context.lineTo(x + 6 * ratio, 0);
  context.lineTo(x + 6 * ratio, 7 * ratio);
  context.lineTo(x, 13 * ratio);
  context.lineTo(x - 6 * ratio, 7 * ratio);
  context.closePath();
  context.fillStyle = mark;
  context.fill();
  context.strokeStyle = line;
  context.lineWidth = 1.5 * ratio;
  context.stroke();
}
