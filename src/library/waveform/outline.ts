import { speakersOf, type Speaker } from '../core/channels.ts';
import { withoutBroken } from '../pcm/broken-samples.ts';
import type { AudioBlock } from '../pcm/block.ts';
import type { Analyser } from '../pcm/stage.ts';

/** What a channel does in each bin. */
export interface ChannelOutline {
  /** null where the layout does not say. */
  readonly speaker: Speaker | null;
  /** Least and greatest sample of each bin, full scale 1. */
  readonly least: Float32Array;
  readonly greatest: Float32Array;
  /** Mean of the squared samples of each bin. */
  readonly meanSquare: Float32Array;
}

/** A sound in at most 65536 bins of equal length, whatever its length: enough for a column of the widest picture. */
export interface Outline {
  readonly sampleRate: number;
  /** Length of the sound. */
  readonly frames: number;
  /** Length of a bin; the last one may be shorter. */
  readonly framesPerBin: number;
  readonly bins: number;
  readonly channels: readonly ChannelOutline[];
}

const mostBins = 65_536;
/** A third of a millisecond at 48 kHz, until bins are merged in pairs. */
const framesOfFirstBins = 16;

/** The bins of a channel while they grow. */
class Bins {
  readonly least = new Float32Array(mostBins);
  readonly greatest = new Float32Array(mostBins);
  /** Sums of squares: a mean would have to be weighed when bins are merged. */
  readonly squares = new Float64Array(mostBins);

  add(plane: Float32Array, from: number, end: number, bin: number, isNew: boolean): void {
    let least = isNew ? Infinity : (this.least[bin] as number);
    let greatest = isNew ? -Infinity : (this.greatest[bin] as number);
    let squares = isNew ? 0 : (this.squares[bin] as number);
    for (let i = from; i < end; i += 1) {
      const sample = plane[i] as number;
      if (sample < least) least = sample;
      if (sample > greatest) greatest = sample;
      squares += sample * sample;
    }
    this.least[bin] = least;
    this.greatest[bin] = greatest;
    this.squares[bin] = squares;
  }

  mergePairs(): void {
    const { least, greatest, squares } = this;
    for (let to = 0; to < mostBins / 2; to += 1) {
      const [a, b] = [2 * to, 2 * to + 1];
      least[to] = Math.min(least[a] as number, least[b] as number);
      greatest[to] = Math.max(greatest[a] as number, greatest[b] as number);
      squares[to] = (squares[a] as number) + (squares[b] as number);
    }
  }

  outline(speaker: Speaker | null, frames: number, framesPerBin: number): ChannelOutline {
    const bins = Math.ceil(frames / framesPerBin);
    const meanSquare = Float32Array.from({ length: bins }, (_, bin) => {
      const length = Math.min(framesPerBin, frames - bin * framesPerBin);
      return (this.squares[bin] as number) / length;
    });
    return { speaker, least: this.least.slice(0, bins), greatest: this.greatest.slice(0, bins), meanSquare };
  }
}

/** Outlines the sound that passes, in memory that does not grow with its length: 1 MiB a channel. */
export function meterOutline(): Analyser<Outline> {
  let sampleRate = 0;
  let speakers: readonly (Speaker | null)[] = [];
  let channels: Bins[] = [];
  let framesPerBin = framesOfFirstBins;
  let frames = 0;
  const take = ({ planes, frames: count }: AudioBlock): void => {
    for (let at = 0; at < count;) {
      let bin = Math.floor(frames / framesPerBin);
      if (bin === mostBins) {
        for (const bins of channels) bins.mergePairs();
        framesPerBin *= 2;
        bin /= 2;
      }
      const begin = bin * framesPerBin;
      const length = Math.min(count - at, begin + framesPerBin - frames);
      for (const [index, bins] of channels.entries())
        bins.add(planes[index] as Float32Array, at, at + length, bin, frames === begin);
      frames += length;
      at += length;
    }
  };
  return {
    latencyFrames: 0,
    open(format) {
      ({ sampleRate } = format);
      speakers = speakersOf(format.layout, format.channels);
      channels = Array.from({ length: format.channels }, () => new Bins());
      return format;
    },
    process(block, emit) {
      take(withoutBroken(block));
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
    result: () => ({
      sampleRate,
      frames,
      framesPerBin,
      bins: Math.ceil(frames / framesPerBin),
      channels: channels.map((bins, index) => bins.outline(speakers[index] ?? null, frames, framesPerBin)),
    }),
  };
}

/** What is drawn in each column of a picture, full scale 1. */
export interface Columns {
  readonly low: Float32Array;
  readonly high: Float32Array;
  /** Root mean square; null where only peaks are known. */
  readonly rms: Float32Array | null;
}

/** Columns over an outline, of these channels together. A column is of every bin that it touches. */
export function columnsOf(
  { frames, framesPerBin, bins }: Outline,
  channels: readonly ChannelOutline[],
  width: number,
): Columns {
  const low = new Float32Array(width);
  const high = new Float32Array(width);
  const rms = new Float32Array(width);
  const framesPerColumn = frames / width;
  for (let x = 0; x < width; x += 1) {
    const first = Math.min(bins - 1, Math.floor((x * framesPerColumn) / framesPerBin));
    const end = Math.max(first + 1, Math.min(bins, Math.ceil(((x + 1) * framesPerColumn) / framesPerBin)));
    let [least, greatest, squares] = [Infinity, -Infinity, 0];
    for (const channel of channels)
      for (let bin = first; bin < end; bin += 1) {
        least = Math.min(least, channel.least[bin] ?? 0);
        greatest = Math.max(greatest, channel.greatest[bin] ?? 0);
        squares += channel.meanSquare[bin] ?? 0;
      }
    low[x] = least;
    high[x] = greatest;
    rms[x] = Math.sqrt(squares / (channels.length * (end - first)));
  }
  return { low, high, rms };
}
