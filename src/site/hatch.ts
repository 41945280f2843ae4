/**
 * Fills a stretch of a waveform with slanted lines: what is cut.
 * @param stretch from and to, in pixels of the canvas; may reach beyond it
 * @param ratio pixels of the canvas in one of the page
 */
export function hatch(
  context: CanvasRenderingContext2D,
  [from, to]: readonly [number, number],
  ratio: number,
  { line, ground }: { readonly line: string; readonly ground: string },
): void {
  const { width, height } = context.canvas;
  const [start, end] = [Math.max(-height, from), Math.min(width + height, to)];
  context.save();
  context.beginPath();
  context.rect(start, 0, end - start, height);
  context.clip();
  context.fillStyle = ground;
  context.fillRect(start, 0, end - start, height);
  context.strokeStyle = line;
  context.lineWidth = ratio;
  context.beginPath();
  const step = 8 * ratio;
  // From the same origin everywhere, so that the lines of neighbouring cuts go on.
  for (let at = Math.floor((start - height) / step) * step; at < end; at += step) {
    context.moveTo(at, height);
    context.lineTo(at + height, 0);
  }
  context.stroke();
  context.restore();
}
