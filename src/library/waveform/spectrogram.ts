import { speakersOf, type Speaker } from '../core/channels.ts';
import { createStft, type Stft } from '../kernels/stft.ts';
import type { AudioFormat } from '../pcm/block.ts';
import type { Analyser } from '../pcm/stage.ts';

/** Power over time and frequency. */
export interface Spectrogram {
  readonly sampleRate: number;
  /** Length of the sound. */
  readonly frames: number;
  /** Frequencies of a column: bin k is at k * binHz. */
  readonly bins: number;
  readonly binHz: number;
  readonly columns: number;
  /** Column c is around the frames c * framesPerColumn up to (c + 1) * framesPerColumn. */
  readonly framesPerColumn: number;
  /** One of all channels, the mean of their powers; or one of each. */
  readonly layers: readonly {
    /** null: all channels, or unknown. */
    readonly speaker: Speaker | null;
    /** Mean power, [column][bin]; a sine of full scale is 1. */
    readonly power: Float32Array;
  }[];
}

/** What a spectrogram is made for. */
export interface SpectrogramMeterOptions {
  /** Columns of the picture: at least as many are kept, and up to twice as many, as long as the sound has them. */
  readonly width: number;
  /** Length of the sound if it is known, for a spacing of columns that suits it. */
  readonly expectedFrames: number | null;
  /** A spectrogram for each channel. Default false: one of all. */
  readonly splitChannels?: boolean;
}

/** A transform takes about 50 ms: tones 50 Hz apart are two lines, and syllables do not run into each other. */
const transformSeconds = 0.05;
const leastTransform = 48;
const mostTransform = 16_384;
/** For work: transforms overlap by 15 sixteenths at most, in short sounds. */
const closestHops = 16;

/** Is nothing left of it without 2, 3 and 5, as the transform needs it? */
function isSmooth(length: number): boolean {
  let rest = length;
  for (const factor of [2, 3, 5]) while (rest % factor === 0) rest /= factor;
  return rest === 1;
}

/** The nearest length that can be transformed and divided into hops. */
function transformSize(sampleRate: number): number {
  const wanted = Math.max(leastTransform, Math.min(mostTransform, sampleRate * transformSeconds));
  const first = Math.floor(wanted / closestHops) * closestHops;
  for (let distance = 0; ; distance += closestHops) {
    const fitting = [first - distance, first + distance + closestHops].find(
      (length) => length >= leastTransform && length <= mostTransform && isSmooth(length),
    );
    if (fitting !== undefined) return fitting;
  }
}

/** Sums of power in columns that are merged in pairs when there are too many. */
class Layer {
  /** Samples that no transform has taken yet, of each of its channels. */
  readonly held: Float32Array[];
  readonly sums: Float32Array;
  readonly channels: readonly number[];
  readonly speaker: Speaker | null;
  private readonly bins: number;

  /** @param lead samples of silence before the first */
  constructor(channels: readonly number[], speaker: Speaker | null, mostColumns: number, bins: number, lead: number) {
    this.channels = channels;
    this.speaker = speaker;
    this.bins = bins;
    this.sums = new Float32Array(mostColumns * bins);
    this.held = channels.map(() => new Float32Array(lead));
  }

  add(column: number, re: Float32Array, im: Float32Array, from: number): void {
    const { sums, bins } = this;
    const to = column * bins;
    for (let bin = 0; bin < bins; bin += 1) {
      const [a, b] = [re[from + bin] as number, im[from + bin] as number];
      sums[to + bin] = (sums[to + bin] as number) + a * a + b * b;
    }
  }

  mergePairs(columns: number): void {
    const { sums, bins } = this;
    for (let to = 0; to < columns / 2; to += 1)
      for (let bin = 0; bin < bins; bin += 1)
        sums[to * bins + bin] = (sums[2 * to * bins + bin] as number) + (sums[(2 * to + 1) * bins + bin] as number);
    sums.fill(0, (columns / 2) * bins, columns * bins);
  }
}

/** Transforms what comes, in the order of its frames. */
class Transformer {
  readonly layers: readonly Layer[];
  /** Of all columns but the last, which may have fewer. */
  perColumn = 1;
  transforms = 0;
  readonly size: number;
  readonly hop: number;
  private readonly mostColumns: number;
  private readonly stft: Stft;
  private re = new Float32Array(0);
  private im = new Float32Array(0);

  constructor({ sampleRate, channels, layout }: AudioFormat, options: SpectrogramMeterOptions) {
    const { width, expectedFrames, splitChannels } = options;
    const size = transformSize(sampleRate);
    const wanted = expectedFrames === null ? size / 4 : Math.floor(expectedFrames / width);
    this.size = size;
    this.hop = Math.max(size / closestHops, Math.min(size / 2, wanted));
    this.mostColumns = 2 * width;
    const window = Float32Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
    this.stft = createStft({ window, hop: this.hop });
    const layer = (members: readonly number[], speaker: Speaker | null): Layer =>
      new Layer(members, speaker, this.mostColumns, this.stft.bins, size / 2);
    const all = Array.from({ length: channels }, (_, channel) => channel);
    const speakers = speakersOf(layout, channels);
    this.layers = splitChannels
      ? all.map((channel) => layer([channel], speakers[channel] ?? null))
      : [layer(all, null)];
  }

  take(planes: readonly Float32Array[], count: number): void {
    for (const { channels, held } of this.layers)
      for (const [index, channel] of channels.entries()) {
        const before = held[index] as Float32Array;
        const joined = new Float32Array(before.length + count);
        joined.set(before);
        joined.set((planes[channel] as Float32Array).subarray(0, count), before.length);
        held[index] = joined;
      }
    const available = this.layers[0]?.held[0]?.length ?? 0;
    let left = available < this.size ? 0 : Math.floor((available - this.size) / this.hop) + 1;
    while (left > 0) {
      const part = Math.min(left, this.mostColumns * this.perColumn - this.transforms);
      if (part > 0) this.transform(part);
      else {
        for (const layer of this.layers) layer.mergePairs(this.mostColumns);
        this.perColumn *= 2;
      }
      left -= part;
    }
  }

  private transform(count: number): void {
    const { bins } = this.stft;
    if (this.re.length < count * bins) {
      this.re = new Float32Array(count * bins);
      this.im = new Float32Array(count * bins);
    }
    for (const layer of this.layers)
      for (const [index, samples] of layer.held.entries()) {
        // The window's mean is a half: the line of a full-scale sine has the magnitude 1.
        this.stft.forward(samples, count, 4 / this.size, this.re, this.im);
        for (let t = 0; t < count; t += 1)
          layer.add(Math.floor((this.transforms + t) / this.perColumn), this.re, this.im, t * bins);
        layer.held[index] = samples.slice(count * this.hop);
      }
    this.transforms += count;
  }
}

/**
 * Power of the sound that passes over time and frequency: Hann windows of about 50 ms that overlap by half or more, the
 * first one centred on the first frame, so that nothing is left out. Memory does not grow with the length.
 */
export function meterSpectrogram(options: SpectrogramMeterOptions): Analyser<Spectrogram> {
  let sampleRate = 1;
  let frames = 0;
  let transformer: Transformer | null = null;
  return {
    latencyFrames: 0,
    open(format) {
      ({ sampleRate } = format);
      transformer = new Transformer(format, options);
      return format;
    },
    process(block, emit) {
      frames += block.frames;
      transformer?.take(block.planes, block.frames);
      emit(block);
    },
    flush() {
      if (!transformer || frames === 0) return;
      // The last transform is centred on a frame near the end.
      const silence = new Float32Array(transformer.size / 2);
      const channels = transformer.layers.flatMap((layer) => layer.channels);
      transformer.take(
        channels.map(() => silence),
        silence.length,
      );
    },
    close: () => undefined,
    result() {
      if (!transformer) throw new TypeError('Expected open before result');
      const { size, hop, layers, transforms, perColumn } = transformer;
      const bins = size / 2 + 1;
      const columns = Math.ceil(transforms / perColumn);
      const last = transforms - (columns - 1) * perColumn;
      return {
        sampleRate,
        frames,
        bins,
        binHz: sampleRate / size,
        columns,
        framesPerColumn: hop * perColumn,
        layers: layers.map(({ sums, speaker, channels }) => {
          const power = sums.slice(0, columns * bins);
          for (let column = 0; column < columns; column += 1) {
            const share = 1 / ((column === columns - 1 ? last : perColumn) * channels.length);
            for (let at = column * bins; at < (column + 1) * bins; at += 1) power[at] = (power[at] as number) * share;
          }
          return { speaker, power };
        }),
      };
    },
  };
}
