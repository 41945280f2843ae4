import { EarshotError } from '../core/errors/errors.ts';
import { Canvas, checkedSize, parseColor, textHeight, textWidth, type PictureFormat, type Rgba } from './canvas.ts';
import { shortName } from './render.ts';
import type { Spectrogram } from './spectrogram.ts';
import { decibelTicks, frequencyTicks } from './ticks.ts';
import { axisHeight, labelScale, paintTimeAxis } from './time-axis.ts';

/** Size and appearance of a spectrogram's picture. */
export interface SpectrogramOptions {
  /** Pixels, 16 to 8192. Default 1600. */
  readonly width?: number;
  /** Pixels, 16 to 4096. Default 640. */
  readonly height?: number;
  /** Format of the picture file. Default png. */
  readonly format?: PictureFormat;
  /** Frequency axis: log shows hum and voices larger, linear is as Audacity begins. Default log. */
  readonly scale?: 'log' | 'linear';
  /** Bottom of the frequency axis, Hz. Default: 40 with a log axis, 0 with a linear one. */
  readonly lowHz?: number;
  /** Top of the frequency axis, Hz. Default: half the sample rate, at most 24000. */
  readonly highHz?: number;
  /** Level of the darkest colour under the brightest, dB, 10 to 200. Default 100. */
  readonly rangeDb?: number;
  /** Level of the brightest colour, dB, -200 to 20; 0 is a sine of full scale. Default 0. */
  readonly topDb?: number;
  /** Draw axes of time and frequency, and the colours with their levels. Default true. */
  readonly axis?: boolean;
  /** Colour of axes and labels, #rrggbb or #rrggbbaa. Default #c8c8c8, on a light background #404040. */
  readonly axisColor?: string;
  /** Colour around the spectrogram. Default #101014. */
  readonly background?: string;
  /** Give each channel a spectrogram of its own, one under the other. Default false: the mean of their powers. */
  readonly splitChannels?: boolean;
}

/** "magma" of matplotlib (CC0): brightness rises evenly, also in grey and for the colour-blind. */
const magma: readonly Rgba[] = [
  '#000004',
  '#180f3e',
  '#451077',
  '#721f81',
  '#9f2f7f',
  '#cd4071',
  '#f1605d',
  '#fd9567',
  '#fec98d',
  '#fcfdbf',
].map((color) => parseColor('color', color));

/** @param share 0: the darkest; 1: the brightest */
export function heatColor(share: number): Rgba {
  const place = Math.max(0, Math.min(1, share)) * (magma.length - 1);
  const index = Math.min(magma.length - 2, Math.floor(place));
  const [a, b] = [magma[index] as Rgba, magma[index + 1] as Rgba];
  const mix = (at: 0 | 1 | 2): number => Math.round(a[at] + (b[at] - a[at]) * (place - index));
  return [mix(0), mix(1), mix(2), 255];
}

const colors = Array.from({ length: 256 }, (_, index) => heatColor(index / 255));

interface Checked {
  readonly scale: 'log' | 'linear';
  readonly lowHz: number;
  readonly highHz: number;
  readonly topDb: number;
  readonly rangeDb: number;
}

const inRange = (name: string, value: number, least: number, most: number): number => {
  if (!(value >= least && value <= most))
    throw new EarshotError(
      'bad_request',
      `Expected number between ${least} and ${most} for ${name} but received ${value}`,
    );
  return value;
};

function checked({ sampleRate }: Spectrogram, options: SpectrogramOptions): Checked {
  const { scale = 'log' } = options;
  const half = sampleRate / 2;
  const highHz = inRange('highHz', Math.min(options.highHz ?? 24_000, half), 1, half);
  // A rate whose half is below 40 Hz has a log axis, too.
  const usualLow = scale === 'log' ? Math.min(40, highHz / 10) : 0;
  const lowHz = inRange('lowHz', options.lowHz ?? usualLow, scale === 'log' ? 1e-3 : 0, highHz * 0.99);
  return { scale, lowHz, highHz, ...levelsOf(options) };
}

/** Share of the axis's height from its bottom, 0 to 1, and back. */
const toShare = (hertz: number, { scale, lowHz, highHz }: Checked): number =>
  scale === 'log' ? Math.log(hertz / lowHz) / Math.log(highHz / lowHz) : (hertz - lowHz) / (highHz - lowHz);
const toHertz = (share: number, { scale, lowHz, highHz }: Checked): number =>
  scale === 'log' ? lowHz * (highHz / lowHz) ** share : lowHz + share * (highHz - lowHz);

/** The bins of each row of pixels, from the top: the strongest of them counts, or a mixture of two. */
function rowsOf(
  height: number,
  { bins, binHz }: Spectrogram,
  axis: Checked,
): { first: number; end: number; mix: number }[] {
  return Array.from({ length: height }, (_, y) => {
    const [from, to] = [y + 1, y].map((edge) => toHertz(1 - edge / height, axis) / binHz) as [number, number];
    const first = Math.ceil(from);
    const end = Math.min(bins, Math.ceil(to));
    if (end > first) return { first, end, mix: 0 };
    // Narrower than a bin.
    const middle = Math.min(bins - 1, (from + to) / 2);
    const below = Math.min(bins - 2, Math.floor(middle));
    return { first: below, end: below + 2, mix: middle - below };
  });
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A column of pixels is the mean power of the columns that it touches. */
function paintLayer(canvas: Canvas, place: Place, shown: Spectrogram, power: Float32Array, axis: Checked): void {
  const { bins, columns, frames, framesPerColumn } = shown;
  const rows = rowsOf(place.height, shown, axis);
  const mean = new Float32Array(bins);
  const toColumns = frames / framesPerColumn / place.width;
  for (let x = 0; x < place.width; x += 1) {
    const first = Math.min(columns - 1, Math.floor(x * toColumns));
    const end = Math.max(first + 1, Math.min(columns, Math.ceil((x + 1) * toColumns)));
    mean.fill(0);
    for (let column = first; column < end; column += 1)
      for (let bin = 0; bin < bins; bin += 1)
        mean[bin] = (mean[bin] as number) + (power[column * bins + bin] as number);
    for (const [y, { first: low, end: high, mix }] of rows.entries()) {
      let strongest = mix === 0 ? 0 : (mean[low] as number) * (1 - mix) + (mean[low + 1] as number) * mix;
      if (mix === 0) for (let bin = low; bin < high; bin += 1) strongest = Math.max(strongest, mean[bin] as number);
      const db = 10 * Math.log10(strongest / (end - first) + 1e-30);
      const share = 1 + (db - axis.topDb) / axis.rangeDb;
      canvas.set(place.left + x, place.top + y, colors[Math.round(255 * Math.max(0, Math.min(1, share)))] as Rgba);
    }
  }
}

function paintFrequencyAxis(canvas: Canvas, place: Place, axis: Checked, ink: Rgba, letters: number): void {
  const yOf = (hertz: number): number => place.top + (1 - toShare(hertz, axis)) * place.height;
  const ticks = frequencyTicks(
    axis.lowHz,
    axis.highHz,
    axis.scale,
    (a, b) => yOf(a) - yOf(b) >= textHeight(letters) + 4 * letters,
  );
  let drawn = Infinity;
  for (const { at, label } of ticks) {
    const y = Math.min(place.top + place.height - letters, Math.round(yOf(at)));
    const long = letters * (label === '' ? 2 : 4);
    canvas.rectangle(place.left - long, y, long, letters, ink);
    const top = Math.max(place.top, Math.min(place.top + place.height - textHeight(letters), y - 3 * letters));
    // Labels at the ends are moved inwards.
    if (label === '' || drawn - top < textHeight(letters) + 2 * letters) continue;
    canvas.text(place.left - 6 * letters - textWidth(label, letters), top, label, ink, letters);
    drawn = top;
  }
}

/** The colours from the brightest down, with their levels in dB. */
function paintColors(canvas: Canvas, place: Place, { topDb, rangeDb }: Checked, ink: Rgba, letters: number): void {
  for (let y = 0; y < place.height; y += 1)
    canvas.rectangle(place.left, place.top + y, place.width, 1, heatColor(1 - y / (place.height - 1)));
  const perDb = place.height / rangeDb;
  const ticks = decibelTicks(topDb - rangeDb, topDb, (step) => step * perDb >= textHeight(letters) + 6 * letters);
  const right = place.left + place.width;
  for (const [index, { at, label }] of ticks.entries()) {
    const y = Math.min(place.top + place.height - letters, Math.round(place.top + (topDb - at) * perDb));
    canvas.rectangle(right, y, letters * 3, letters, ink);
    const top = Math.max(place.top, Math.min(place.top + place.height - textHeight(letters), y - 3 * letters));
    canvas.text(right + 5 * letters, top, index === 0 ? `${label} dB` : label, ink, letters);
  }
}

/** Is black on it easier to read than white? By the weights of Rec. 709. */
const isLight = ([red, green, blue, alpha]: Rgba): boolean =>
  alpha > 127 && 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140;

/** Draws a spectrogram; see `drawSpectrogram` in `draw.ts`. `options` are those that it was measured for. */
export async function renderSpectrogram(
  shown: Spectrogram,
  options: SpectrogramOptions = {},
  quality?: number,
): Promise<Buffer> {
  const { width, height } = spectrogramSize(options);
  const axis = checked(shown, options);
  const paper = parseColor('background', options.background ?? '#101014');
  const ink = parseColor('axisColor', options.axisColor ?? (isLight(paper) ? '#404040' : '#c8c8c8'));
  const canvas = new Canvas(width, height, paper);
  // The names of channels are on dark colours.
  const inside = parseColor('axisColor', options.axisColor ?? '#c8c8c8');
  const letters = labelScale(canvas);
  const margins =
    options.axis === false
      ? { left: 0, right: 0, top: 0, bottom: 0 }
      : {
          left: textWidth('000k', letters) + 8 * letters,
          right: 10 * letters + textWidth('-100', letters) + 10 * letters,
          top: 4 * letters,
          bottom: axisHeight(letters),
        };
  const inner = { width: width - margins.left - margins.right, height: height - margins.top - margins.bottom };
  if (inner.width < 16 || inner.height < 16 * shown.layers.length)
    throw new EarshotError(
      'bad_request',
      `Expected a larger picture than ${width} x ${height} pixels for a spectrogram with axes`,
      {
        nextAction: 'Leave the axes out, or choose a larger width and height.',
      },
    );
  const { length } = shown.layers;
  for (const [index, { power, speaker }] of shown.layers.entries()) {
    const top = margins.top + Math.round((index * inner.height) / length);
    const bottom = margins.top + Math.round(((index + 1) * inner.height) / length) - (index < length - 1 ? letters : 0);
    const place = { left: margins.left, top, width: inner.width, height: bottom - top };
    if (shown.columns > 0) paintLayer(canvas, place, shown, power, axis);
    if (options.axis === false) continue;
    paintFrequencyAxis(canvas, place, axis, ink, letters);
    if (length > 1)
      canvas.text(place.left + 2 * letters, top + 2 * letters, shortName(speaker, index), inside, letters);
  }
  if (options.axis !== false) {
    const seconds = shown.frames / shown.sampleRate;
    paintTimeAxis(canvas, {
      left: margins.left,
      width: inner.width,
      top: height - margins.bottom,
      seconds,
      ink,
      letters,
    });
    const left = width - margins.right + 4 * letters;
    paintColors(canvas, { left, top: margins.top, width: 6 * letters, height: inner.height }, axis, ink, letters);
  }
  return canvas.encode(options.format ?? 'png', quality);
}

/** Checks what needs no sound. @throws EarshotError bad_request */
export function checkSpectrogramOptions(options: SpectrogramOptions): void {
  spectrogramSize(options);
  for (const name of ['background', 'axisColor'] as const) parseColor(name, options[name] ?? '#000000');
  levelsOf(options);
}

const levelsOf = ({ topDb = 0, rangeDb = 100 }: SpectrogramOptions): Pick<Checked, 'topDb' | 'rangeDb'> => ({
  topDb: inRange('topDb', topDb, -200, 20),
  rangeDb: inRange('rangeDb', rangeDb, 10, 200),
});

/** @throws EarshotError bad_request */
export const spectrogramSize = ({
  width = 1600,
  height = 640,
}: SpectrogramOptions): { width: number; height: number } => ({
  width: checkedSize('width', width, 8192),
  height: checkedSize('height', height, 4096),
});
