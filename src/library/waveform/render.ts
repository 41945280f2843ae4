import { EarshotError } from '../core/errors.ts';
import { optionalPackage } from '../core/optional-package.ts';
import type { WaveformPeaks } from './peaks.ts';

/** Size and appearance of a waveform's picture. */
export interface RenderOptions {
  /** Pixels, 16 to 16384. Default 1600. */
  readonly width?: number;
  /** Pixels, 16 to 4096. Default 320. */
  readonly height?: number;
  /** Format of the picture file. Default png. */
  readonly format?: 'png' | 'webp';
  /** Any CSS hex colour, #rrggbb or #rrggbbaa. Default #2f6fed. */
  readonly color?: string;
  /** The same; default transparent (#00000000). */
  readonly background?: string;
  /** Stretch the loudest sample to full height. Default false: full scale is full height. */
  readonly normalize?: boolean;
}

type Rgba = readonly [number, number, number, number];

function parseColor(name: string, text: string): Rgba {
  const match = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(text);
  if (!match)
    throw new EarshotError(
      'bad_request',
      `Expected a colour such as #2f6fed or #2f6fed80 for ${name} but received ${text}`,
    );
  const rgb = Number.parseInt(match[1] as string, 16);
  return [rgb >> 16, (rgb >> 8) & 255, rgb & 255, match[2] ? Number.parseInt(match[2], 16) : 255];
}

function checkedSize(name: string, value: number, max: number): number {
  if (!Number.isInteger(value) || value < 16 || value > max)
    throw new EarshotError('bad_request', `Expected integer between 16 and ${max} for ${name} but received ${value}`);
  return value;
}

/** Lowest and highest value of each pixel column, -1 to 1. */
function columns(peaks: WaveformPeaks, width: number): { low: Float32Array; high: Float32Array } {
  // The coarsest level with a bin for every column.
  const fits = peaks.levels.filter((level) => level.count >= width);
  const level = (fits.length > 0 ? fits : peaks.levels).reduce<WaveformPeaks['levels'][number] | null>((best, one) => {
    if (best === null) return one;
    return fits.length > 0 === one.count < best.count ? one : best;
  }, null);
  const low = new Float32Array(width);
  const high = new Float32Array(width);
  if (!level || level.count === 0) return { low, high };
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
  return { low, high };
}

/**
 * Draws peaks as a picture: one column of pixels per stretch of time, anti-aliased at both ends.
 * @returns an encoded PNG or WebP
 * @throws EarshotError bad_request on a size or colour out of range
 */
export async function renderWaveform(peaks: WaveformPeaks, options: RenderOptions = {}): Promise<Buffer> {
  const width = checkedSize('width', options.width ?? 1600, 16384);
  const height = checkedSize('height', options.height ?? 320, 4096);
  const ink = parseColor('color', options.color ?? '#2f6fed');
  const paper = parseColor('background', options.background ?? '#00000000');
  const { low, high } = columns(peaks, width);
  const scale = options.normalize && peaks.peak > 0 ? 1 / peaks.peak : 1;
  const middle = height / 2;
  const pixels = Buffer.alloc(width * height * 4);
  for (let x = 0; x < width; x += 1) {
    const top = middle - Math.min(1, (high[x] ?? 0) * scale) * middle;
    const bottom = middle - Math.max(-1, (low[x] ?? 0) * scale) * middle;
    // A line of at least one pixel, so that silence is visible.
    const from = Math.min(top, middle - 0.5);
    const to = Math.max(bottom, middle + 0.5);
    for (let y = 0; y < height; y += 1) {
      const covered = Math.max(0, Math.min(y + 1, to) - Math.max(y, from));
      const inkAlpha = (covered * ink[3]) / 255;
      const paperAlpha = (paper[3] / 255) * (1 - inkAlpha);
      const alpha = inkAlpha + paperAlpha;
      const at = (y * width + x) * 4;
      for (let channel = 0; channel < 3; channel += 1) {
        pixels[at + channel] =
          alpha === 0 ? 0 : Math.round(((ink[channel] ?? 0) * inkAlpha + (paper[channel] ?? 0) * paperAlpha) / alpha);
      }
      pixels[at + 3] = Math.round(alpha * 255);
    }
  }
  const { default: sharp } = await optionalPackage('sharp', 'Pictures of waveforms need', () => import('sharp'));
  const picture = sharp(pixels, { raw: { width, height, channels: 4 } });
  return options.format === 'webp'
    ? picture.webp({ lossless: true }).toBuffer()
    : picture.png({ compressionLevel: 9, palette: false }).toBuffer();
}
