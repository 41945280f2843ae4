import { Canvas, checkedSize, parseColor, textHeight, textWidth, withOpacity, type PictureFormat } from './canvas.ts';
import { columnsOf, type Columns, type Outline } from './outline.ts';
import type { WaveformPeaks } from './meter-peaks.ts';
import { axisHeight, labelScale, paintTimeAxis } from './time-axis.ts';

/** Size and appearance of a waveform's picture. */
export interface RenderOptions {
  /** Pixels, 16 to 16384. Default 1600. */
  readonly width?: number;
  /** Pixels, 16 to 4096. Default 320. */
  readonly height?: number;
  /** Format of the picture file. Default png. */
  readonly format?: PictureFormat;
  /** Any CSS hex colour, #rrggbb or #rrggbbaa. Default #2f6fed. */
  readonly color?: string;
  /** The same; default transparent (#00000000). */
  readonly background?: string;
  /** Stretch the loudest sample to full height. Default false: full scale is full height. */
  readonly normalize?: boolean;
}

/** How a waveform is drawn from its sound. */
export interface WaveformPictureOptions extends RenderOptions {
  /** Draw the root mean square as a body inside the peaks, which are then paler. Default true. */
  readonly rms?: boolean;
  /** Draw a time axis under the waveform. Default false. */
  readonly axis?: boolean;
  /** Colour of the axis and of the names of channels, as `color`. Default #808080, which black and white both show. */
  readonly axisColor?: string;
  /** Give each channel a waveform of its own, one under the other. Default false: all channels in one. */
  readonly splitChannels?: boolean;
}

/** Lowest and highest value of each pixel column, -1 to 1. */
function columnsOfPeaks(peaks: WaveformPeaks, width: number): Columns {
  // The coarsest level with a bin for every column.
  const fits = peaks.levels.filter((level) => level.count >= width);
  const level = (fits.length > 0 ? fits : peaks.levels).reduce<WaveformPeaks['levels'][number] | null>((best, one) => {
    if (best === null) return one;
    return fits.length > 0 === one.count < best.count ? one : best;
  }, null);
  const low = new Float32Array(width);
  const high = new Float32Array(width);
  if (!level || level.count === 0) return { low, high, rms: null };
  for (let x = 0; x < width; x += 1) {
    const first = Math.floor((x * level.count) / width);
    const end = Math.max(first + 1, Math.floor(((x + 1) * level.count) / width));
    let min = 127;
    let max = -127;
    for (let bin = first; bin < end; bin += 1) {
      min = Math.min(min, level.data[2 * bin] ?? 0);
      max = Math.max(max, level.data[2 * bin + 1] ?? 0);
    }
    low[x] = min / 127;
    high[x] = max / 127;
  }
  return { low, high, rms: null };
}

/** Where a waveform is painted, in pixels, and how. */
interface Lane {
  readonly top: number;
  readonly height: number;
  /** Factor of the samples. */
  readonly scale: number;
  /** Colour of the peaks, and of the body inside them. */
  readonly ink: ReturnType<typeof parseColor>;
}

/** How much the peaks show around a body. */
const peaksOpacity = 0.45;

/** One column of pixels per stretch of time, anti-aliased at both ends. */
function paintLane(canvas: Canvas, { low, high, rms }: Columns, { top, height, scale, ink }: Lane): void {
  const half = height / 2;
  const middle = top + half;
  const outer = rms === null ? ink : withOpacity(ink, peaksOpacity);
  const reach = (sample: number): number => Math.max(-1, Math.min(1, sample * scale)) * half;
  for (let x = 0; x < low.length; x += 1) {
    // A line of at least one pixel, so that silence is visible.
    const upper = Math.max(0.5, reach(high[x] ?? 0));
    const lower = Math.min(-0.5, reach(low[x] ?? 0));
    const body = rms === null ? 0 : reach(rms[x] ?? 0);
    // Where the sound is offset, its root mean square may pass the peaks of a side.
    const [bodyUpper, bodyLower] = [Math.min(Math.max(0.5, body), upper), Math.max(Math.min(-0.5, -body), lower)];
    if (rms === null) canvas.column(x, middle - upper, middle - lower, outer);
    else {
      canvas.column(x, middle - upper, middle - bodyUpper, outer);
      canvas.column(x, middle - bodyUpper, middle - bodyLower, ink);
      canvas.column(x, middle - bodyLower, middle - lower, outer);
    }
  }
}

/**
 * Draws peaks as a picture: one column of pixels per stretch of time, anti-aliased at both ends.
 * @returns an encoded PNG or WebP
 * @throws EarshotError bad_request on a size or colour out of range
 */
export async function renderWaveform(peaks: WaveformPeaks, options: RenderOptions = {}): Promise<Buffer> {
  const { canvas, ink } = canvasFor(options);
  const scale = options.normalize && peaks.peak > 0 ? 1 / peaks.peak : 1;
  paintLane(canvas, columnsOfPeaks(peaks, canvas.width), { top: 0, height: canvas.height, scale, ink });
  return canvas.encode(options.format ?? 'png');
}

/** Checks what needs no sound. @throws EarshotError bad_request */
export function checkWaveformOptions(options: WaveformPictureOptions): void {
  checkedSize('width', options.width ?? 1600, 16384);
  checkedSize('height', options.height ?? 320, 4096);
  for (const name of ['color', 'background', 'axisColor'] as const) parseColor(name, options[name] ?? '#000000');
}

function canvasFor(options: RenderOptions) {
  const width = checkedSize('width', options.width ?? 1600, 16384);
  const height = checkedSize('height', options.height ?? 320, 4096);
  const ink = parseColor('color', options.color ?? '#2f6fed');
  return { canvas: new Canvas(width, height, parseColor('background', options.background ?? '#00000000')), ink };
}

/** Draws an outline; see `drawWaveform` in `draw.ts`. */
export async function renderOutline(outline: Outline, options: WaveformPictureOptions = {}): Promise<Buffer> {
  const { canvas, ink } = canvasFor(options);
  const axisInk = parseColor('axisColor', options.axisColor ?? '#808080');
  const seconds = outline.frames / outline.sampleRate;
  const letters = labelScale(canvas);
  const room = options.axis ? axisHeight(letters) : 0;
  const groups = options.splitChannels ? outline.channels.map((channel) => [channel]) : [outline.channels];
  const all = groups.map((channels) => columnsOf(outline, channels, canvas.width));
  const peak = Math.max(0, ...all.map(({ low, high }) => loudest(low, high)));
  const scale = options.normalize && peak > 0 ? 1 / peak : 1;
  for (const [index, columns] of all.entries()) {
    const top = Math.round((index * (canvas.height - room)) / all.length);
    const bottom = Math.round(((index + 1) * (canvas.height - room)) / all.length);
    // A gap tells lanes apart that reach full scale.
    const gap = all.length > 1 ? Math.min(letters, (bottom - top) / 8) : 0;
    const lane = { top: top + gap, height: bottom - top - 2 * gap, scale, ink };
    paintLane(canvas, options.rms === false ? { ...columns, rms: null } : columns, lane);
    const name = groups.length > 1 ? shortName(groups[index]?.[0]?.speaker ?? null, index) : '';
    if (options.axis && bottom - top > 2 * textHeight(letters) && textWidth(name, letters) < canvas.width / 4)
      canvas.text(letters * 2, top + letters * 2, name, axisInk, letters);
  }
  if (options.axis)
    paintTimeAxis(canvas, { left: 0, width: canvas.width, top: canvas.height - room, seconds, ink: axisInk, letters });
  return canvas.encode(options.format ?? 'png');
}

function loudest(low: Float32Array, high: Float32Array): number {
  let most = 0;
  for (let x = 0; x < low.length; x += 1) most = Math.max(most, -(low[x] as number), high[x] as number);
  return most;
}

/** L and R for the two of a stereo recording, FFmpeg's names for more, a number where the layout has no names. */
export const shortName = (speaker: string | null, index: number): string =>
  speaker === null ? `${index + 1}` : ({ FL: 'L', FR: 'R', FC: 'C' }[speaker] ?? speaker);
