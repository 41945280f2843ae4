// What the networks get of each piece: spectra with their neighbours, and the features that follow from them.
import { createStft } from '../../../kernels/stft.ts';
import { meanOfTwo } from '../../series/elementwise.ts';
import { release } from '../suppressor/pieces.ts';
import type { createSampleWindow } from '../suppressor/sample-window.ts';
import { vorbisWindow } from '../suppressor/vorbis-window.ts';
import { filterReach, type Spectra } from './apply.ts';
import { bandCount, bins, createFeatureExtractor, filteredBins, frameSamples, hopSamples } from './features.ts';
import { encoderLookBack } from './network-tasks.ts';

type Samples = ReturnType<typeof createSampleWindow>;

/** The network's frame t uses the features of frame t + 2. */
const lookAhead = 2;

/** Spectra piece by piece. */
export class PieceSpectra {
  private readonly channels: number;
  private readonly stream: Samples;
  private readonly stft = createStft({ window: vorbisWindow(frameSamples), hop: hopSamples });
  /** The end of the last piece's spectra, which starts the next one. */
  private before: readonly Spectra[] | null = null;

  /** @param stream the networks' input; frame t covers 960 samples from 480 (t - 1) on */
  constructor(channels: number, stream: Samples) {
    this.channels = channels;
    this.stream = stream;
  }

  /** Spectra of frames [first - 2, first + frames + 2), reusing known ones. Frames from `total` on are silent. */
  next(first: number, frames: number, total: number): readonly Spectra[] {
    const fresh = this.before ? first + filterReach : 0;
    const count = Math.max(0, Math.min(first + frames + filterReach, total) - fresh);
    const planes = Array.from({ length: this.channels }, (_, channel) => {
      const re = new Float32Array((frames + 2 * filterReach) * bins);
      const im = new Float32Array(re.length);
      const before = this.before?.[channel];
      if (before) {
        re.set(before.re);
        im.set(before.im);
      }
      const start = (fresh - 1) * hopSamples;
      const at = (fresh - first + filterReach) * bins;
      if (count > 0) {
        const samples = this.stream.read(channel, start, start + (count - 1) * hopSamples + frameSamples);
        this.stft.forward(samples, count, 1 / frameSamples, re.subarray(at), im.subarray(at));
        release(samples);
      }
      return { re, im };
    });
    this.before = planes.map(({ re, im }) => ({ re: re.slice(frames * bins), im: im.slice(frames * bins) }));
    return planes;
  }
}

/** The spectrum for the networks: the channel's own, or the mean of both. */
function heard(planes: readonly Spectra[]): Spectra {
  const [left, right] = planes as [Spectra, Spectra | undefined];
  if (!right) return left;
  return { re: meanOfTwo(left.re, right.re), im: meanOfTwo(left.im, right.im) };
}

/** Features piece by piece. */
export class PieceFeatures {
  private readonly features = createFeatureExtractor();
  private erbBefore = new Float32Array(encoderLookBack * bandCount);
  private specBefore = new Float32Array(2 * encoderLookBack * filteredBins);

  /** @param planes the piece's spectra */
  next(
    first: number,
    frames: number,
    total: number,
    planes: readonly Spectra[],
  ): { erb: Float32Array<ArrayBuffer>; spec: Float32Array<ArrayBuffer> } {
    const { features } = this;
    const spectrum = heard(planes);
    const ownMean = planes.length > 1;
    const wide = frames + encoderLookBack;
    const erb = new Float32Array(wide * bandCount);
    const spec = new Float32Array(2 * wide * filteredBins);
    const plane = wide * filteredBins;
    const back = encoderLookBack * filteredBins;
    erb.set(this.erbBefore);
    spec.set(this.specBefore.subarray(0, back));
    spec.set(this.specBefore.subarray(back), plane);
    // The network uses no frame before these, but the running means start with them.
    const skipped = new Float32Array(bandCount + 2 * filteredBins);
    for (let t = first === 0 ? 0 : first + lookAhead; t < Math.min(first + frames + lookAhead, total); t += 1) {
      const at = (t - first + filterReach) * bins;
      const row = t - lookAhead - first + encoderLookBack;
      if (t < lookAhead) features.frame(spectrum.re, spectrum.im, at, skipped, 0, skipped, bandCount, filteredBins);
      else features.frame(spectrum.re, spectrum.im, at, erb, row * bandCount, spec, row * filteredBins, plane);
    }
    if (ownMean) release(spectrum.re, spectrum.im);
    this.erbBefore = erb.slice(frames * bandCount);
    this.specBefore = new Float32Array(2 * back);
    this.specBefore.set(spec.subarray(frames * filteredBins, plane));
    this.specBefore.set(spec.subarray(plane + frames * filteredBins), back);
    return { erb, spec };
  }
}
