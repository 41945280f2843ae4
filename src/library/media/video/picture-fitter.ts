// Fits frames of one video into another's picture: rotated, scaled with bars, in its colours.
import { avGetPixFmtName, FilterGraph, Frame, type FilterContext, type Stream } from 'node-av/lib';
import { AVCOL_RANGE_UNSPECIFIED, AVCOL_SPC_RGB, AVCOL_SPC_UNSPECIFIED, type AVPixelFormat } from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import { expectOk } from '../ffmpeg/ffmpeg.ts';
import type { EncoderRecipe } from './encoders.ts';
import { PictureEncoder, type EmitPicture, type PictureFormat } from './picture-encoder.ts';

/** How a stream's stored pictures are displayed. */
export interface Viewing {
  /** Width of a pixel divided by its height. */
  readonly pixelAspect: number;
  /** Clockwise, a multiple of 90. */
  readonly turnDegrees: number;
}

/** @param rotationDegrees as in `probe` */
export function viewingOf(stream: Stream, rotationDegrees: number): Viewing {
  const own = stream.sampleAspectRatio;
  const ratio = own.num > 0 && own.den > 0 ? own : stream.codecpar.sampleAspectRatio;
  return {
    pixelAspect: ratio.num > 0 && ratio.den > 0 ? ratio.num / ratio.den : 1,
    turnDegrees: (Math.round(rotationDegrees / 90) * 90) % 360,
  };
}

export interface Fit {
  readonly width: number;
  readonly height: number;
  /** Clockwise, before scaling. */
  readonly turnDegrees: number;
}

/**
 * Size of a picture inside another's with the same shape: full width or full height, even numbers for chroma
 * subsampling.
 */
function fitInside(
  from: { width: number; height: number } & Viewing,
  to: { width: number; height: number } & Viewing,
): Fit {
  const turnDegrees = (from.turnDegrees - to.turnDegrees + 360) % 360;
  const across = turnDegrees % 180 === 90;
  const shape = across ? from.height / (from.width * from.pixelAspect) : (from.width * from.pixelAspect) / from.height;
  const wanted = shape / to.pixelAspect;
  const even = (value: number, most: number): number => Math.min(most, Math.max(2, 2 * Math.round(value / 2)));
  // A bar of one pixel is worse than a shape that is wrong by less than that.
  const width = to.height * wanted;
  if (Math.abs(width - to.width) < 2) return { width: to.width, height: to.height, turnDegrees };
  return width < to.width
    ? { width: even(width, to.width), height: to.height, turnDegrees }
    : { width: to.width, height: even(to.width / wanted, to.height), turnDegrees };
}

const turns: Readonly<Record<number, string>> = {
  90: 'transpose=clock,',
  180: 'hflip,vflip,',
  270: 'transpose=cclock,',
};
/** Colour matrices that the scaler supports. */
const knownMatrices: readonly number[] = [1, 4, 5, 6, 7, 9];

export interface FitterOptions {
  readonly format: PictureFormat;
  readonly from: Viewing;
  readonly to: Viewing;
}

/** A filter chain for the incoming frames; rebuilt when their size or format changes. */
export class PictureFitter {
  private readonly options: FitterOptions;
  private readonly out = new Frame();
  private chain: { graph: FilterGraph; source: FilterContext; sink: FilterContext } | null = null;
  private chainFor = '';

  constructor(options: FitterOptions) {
    this.options = options;
    this.out.alloc();
  }

  /** The frame itself if it already fits; else one that is valid until the next call. */
  fit(frame: Frame): Frame {
    const description = this.describe(frame);
    if (description !== this.chainFor) this.rebuild(description);
    if (!this.chain) return frame;
    this.out.unref();
    // The filters take ownership of their input; the caller keeps its frame.
    const given = frame.clone();
    if (!given) throw new EarshotError('internal_error', 'Cloning a picture failed');
    try {
      given.pts = 0n;
      expectOk(this.chain.source.buffersrcAddFrameSync(given), 'Scaling a picture');
      expectOk(this.chain.sink.buffersinkGetFrameSync(this.out), 'Scaling a picture');
    } finally {
      given.free();
    }
    return this.out;
  }

  /** The filters for a frame; empty when it already fits. */
  private describe(frame: Frame): string {
    const { format, from, to } = this.options;
    const { width, height, pixelFormat, parameters } = format;
    const fit = fitInside({ width: frame.width, height: frame.height, ...from }, { width, height, ...to });
    const wantsMatrix = knownMatrices.includes(parameters.colorSpace);
    // A frame without colour information is assumed to have the first file's.
    const matrix = frame.colorSpace === AVCOL_SPC_UNSPECIFIED && wantsMatrix ? parameters.colorSpace : frame.colorSpace;
    const range = frame.colorRange === AVCOL_RANGE_UNSPECIFIED ? parameters.colorRange : frame.colorRange;
    const recolour = wantsMatrix && (matrix !== parameters.colorSpace || matrix === AVCOL_SPC_RGB);
    const restretch = parameters.colorRange !== AVCOL_RANGE_UNSPECIFIED && range !== parameters.colorRange;
    const same =
      frame.width === width &&
      frame.height === height &&
      frame.format === pixelFormat &&
      fit.width === width &&
      fit.height === height &&
      fit.turnDegrees === 0;
    if (same && !recolour && !restretch) return '';
    const target = avGetPixFmtName(pixelFormat);
    const colours = `${recolour ? `:out_color_matrix=${parameters.colorSpace}` : ''}${restretch ? `:out_range=${parameters.colorRange}` : ''}`;
    const x = 2 * Math.floor((width - fit.width) / 4);
    const y = 2 * Math.floor((height - fit.height) / 4);
    return [
      `buffer=video_size=${frame.width}x${frame.height}:pix_fmt=${avGetPixFmtName(frame.format as AVPixelFormat)}:time_base=1/25:colorspace=${matrix}:range=${range}`,
      `${turns[fit.turnDegrees] ?? ''}scale=${fit.width}:${fit.height}:flags=bicubic+accurate_rnd${colours}`,
      `format=${target}`,
      ...(fit.width === width && fit.height === height ? [] : [`pad=${width}:${height}:${x}:${y}`]),
      'buffersink',
    ].join(',');
  }

  private rebuild(description: string): void {
    this.freeChain();
    this.chainFor = description;
    if (description === '') return;
    const graph = new FilterGraph();
    graph.alloc();
    graph.nbThreads = 1;
    try {
      expectOk(graph.parse2(description), 'Setting up the scaler');
      expectOk(graph.configSync(), 'Setting up the scaler');
      const filters = graph.filters ?? [];
      const source = filters.find((filter) => filter.filter?.name === 'buffer');
      const sink = filters.find((filter) => filter.filter?.name === 'buffersink');
      if (!source || !sink) throw new EarshotError('internal_error', 'The scaler has no source or sink');
      this.chain = { graph, source, sink };
    } catch (error) {
      graph.free();
      throw error;
    }
  }

  private freeChain(): void {
    this.chain?.graph.free();
    this.chain = null;
  }

  close(): void {
    this.freeChain();
    this.out.free();
  }
}

/** An encoder for frames of any size and format. */
export class FittingEncoder extends PictureEncoder {
  private readonly fitter: PictureFitter;
  private fitterClosed = false;

  constructor(recipe: EncoderRecipe, options: FitterOptions, globalHeader: boolean, emit: EmitPicture) {
    super(recipe, options.format, globalHeader, emit);
    this.fitter = new PictureFitter(options);
  }

  override encode(frame: Frame, at: bigint, duration: bigint): void {
    super.encode(this.fitter.fit(frame), at, duration);
  }

  override close(): void {
    super.close();
    if (this.fitterClosed) return;
    this.fitterClosed = true;
    this.fitter.close();
  }
}
