import { EarshotError } from '../core/errors/errors.ts';
import { optionalPackage } from '../core/start/optional-package.ts';
import { glyphOf, glyphHeight, glyphWidth } from './glyphs.ts';

/** Red, green, blue, opacity, 0 to 255 each. */
export type Rgba = readonly [number, number, number, number];

/** Formats of picture files. */
export type PictureFormat = 'png' | 'webp';

/**
 * #rrggbb or #rrggbbaa.
 * @param name of the option, for the error
 * @throws EarshotError bad_request
 */
export function parseColor(name: string, text: string): Rgba {
  const match = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(text);
  if (!match)
    throw new EarshotError(
      'bad_request',
      `Expected a colour such as #2f6fed or #2f6fed80 for ${name} but received ${text}`,
    );
  const rgb = Number.parseInt(match[1] as string, 16);
  return [rgb >> 16, (rgb >> 8) & 255, rgb & 255, match[2] ? Number.parseInt(match[2], 16) : 255];
}

/** @throws EarshotError bad_request */
export function checkedSize(name: string, value: number, max: number): number {
  if (!Number.isInteger(value) || value < 16 || value > max)
    throw new EarshotError('bad_request', `Expected integer between 16 and ${max} for ${name} but received ${value}`);
  return value;
}

export const withOpacity = ([red, green, blue, alpha]: Rgba, share: number): Rgba => [
  red,
  green,
  blue,
  Math.round(alpha * share),
];

/** Pixels to draw on. Colours are laid over what is there. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  private readonly pixels: Buffer;

  constructor(width: number, height: number, paper: Rgba) {
    this.width = width;
    this.height = height;
    this.pixels = Buffer.alloc(width * height * 4, Buffer.from(paper));
  }

  /** Replaces a pixel. */
  set(x: number, y: number, [red, green, blue, alpha]: Rgba): void {
    const at = (y * this.width + x) * 4;
    this.pixels[at] = red;
    this.pixels[at + 1] = green;
    this.pixels[at + 2] = blue;
    this.pixels[at + 3] = alpha;
  }

  /** A column of one pixel's width from `top` to `bottom`, which may lie between pixels. */
  column(x: number, top: number, bottom: number, ink: Rgba): void {
    const end = Math.min(this.height, Math.ceil(bottom));
    for (let y = Math.max(0, Math.floor(top)); y < end; y += 1)
      this.blend(x, y, ink, Math.min(y + 1, bottom) - Math.max(y, top));
  }

  /** A filled rectangle of whole pixels. */
  rectangle(left: number, top: number, width: number, height: number, ink: Rgba): void {
    for (let x = Math.max(0, left); x < Math.min(this.width, left + width); x += 1)
      this.column(x, top, top + height, ink);
  }

  /** Text in capitals of 7 x `scale` pixels, from its upper left corner. */
  text(left: number, top: number, text: string, ink: Rgba, scale: number): void {
    let x = left;
    for (const letter of text) {
      for (const [row, line] of glyphOf(letter).entries())
        for (let column = 0; column < glyphWidth; column += 1)
          if (line & (1 << (glyphWidth - 1 - column)))
            this.rectangle(x + column * scale, top + row * scale, scale, scale, ink);
      x += (glyphWidth + 1) * scale;
    }
  }

  private blend(x: number, y: number, [red, green, blue, opacity]: Rgba, covered: number): void {
    const at = (y * this.width + x) * 4;
    const over = (covered * opacity) / 255;
    const under = ((this.pixels[at + 3] as number) / 255) * (1 - over);
    const alpha = over + under;
    if (alpha === 0) return;
    const mix = (ink: number, paper: number): number => Math.round((ink * over + paper * under) / alpha);
    this.pixels[at] = mix(red, this.pixels[at] as number);
    this.pixels[at + 1] = mix(green, this.pixels[at + 1] as number);
    this.pixels[at + 2] = mix(blue, this.pixels[at + 2] as number);
    this.pixels[at + 3] = Math.round(alpha * 255);
  }

  /**
   * @param quality of a WebP with losses, 1 to 100; default: none is lost
   * @throws EarshotError tool_unavailable where sharp is not installed
   */
  async encode(format: PictureFormat, quality?: number): Promise<Buffer> {
    const { default: sharp } = await optionalPackage('sharp', 'Pictures of sound need', () => import('sharp'));
    const { width, height } = this;
    const picture = sharp(this.pixels, { raw: { width, height, channels: 4 } });
    return format === 'webp'
      ? picture.webp(quality === undefined ? { lossless: true } : { quality }).toBuffer()
      : picture.png({ compressionLevel: 9, palette: false }).toBuffer();
  }
}

/** Width of a text in pixels. */
export const textWidth = (text: string, scale: number): number =>
  text.length === 0 ? 0 : (text.length * (glyphWidth + 1) - 1) * scale;

/** Height of capitals in pixels. */
export const textHeight = (scale: number): number => glyphHeight * scale;
