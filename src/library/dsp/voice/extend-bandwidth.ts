import { dbToGain, powerToDb } from '../../core/levels.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import { createHighBandEstimator, highBands, highCentres, highWidths } from './high-band-envelope.ts';
import { binHz, binOf, bins, type SpectrumFrame, spectralStage, voiceRate } from './spectral-stage.ts';

export interface ExtendOptions {
  /** Mean square of the speech over the channels, dBFS. */
  readonly activeDb: number;
  /** Highest frequency with real sound of the voice, Hz, 2800 or more. */
  readonly cutoffHz: number;
}

/** Range in which restored highs fade out, Hz. */
const fadeFromHz = 12_500;
const topHz = 14_500;
/** Width of the crossfade from real to restored sound below the cut-off, Hz. */
export const overlapHz = 250;
/** Restored highs are this much weaker than estimated, dB: too much is worse than too little (Nilsson, Kleijn 2001). */
const cautionDb = 2;
/** Share of the last level that is kept while a level rises or falls. */
const rise = 0.3;
const fall = 0.7;

/**
 * Second-order Butterworth high-pass (Bristow-Johnson). Its phase does not matter: only its output's envelope is used.
 */
function createHighPass(cutoffHz: number): (x: number) => number {
  const w = (2 * Math.PI * cutoffHz) / voiceRate;
  const alpha = Math.sin(w) * Math.SQRT1_2;
  const cos = Math.cos(w);
  const a0 = 1 + alpha;
  const [b0, b1, a1, a2] = [(1 + cos) / 2 / a0, -(1 + cos) / a0, (-2 * cos) / a0, (1 - alpha) / a0];
  let [z1, z2] = [0, 0];
  return (x) => {
    const y = b0 * x + z1;
    z1 = b1 * x - a1 * y + z2;
    z2 = b0 * x - a2 * y;
    if (Math.abs(z1) < 1e-30) z1 = 0;
    if (Math.abs(z2) < 1e-30) z2 = 0;
    return y;
  };
}

/**
 * Two excitation signals for the highs of one channel, from its upper band (from 1500 Hz on): the rectified band, whose
 * corners contain harmonics of the voice's pitch at high frequencies (Makhoul, Berouti 1979), and noise with the band's
 * envelope, which follows every pulse of the glottis (Unno, McCree 2005).
 */
function createExciter(
  seed: number,
): (plane: Float32Array, frames: number, harmonic: Float32Array, hiss: Float32Array) => void {
  const highPass = createHighPass(1500);
  /** 600 Hz: follows the pulses of any voice. */
  const smoothing = 1 - Math.exp((-2 * Math.PI * 600) / voiceRate);
  let envelope = 0;
  let last = 0;
  let state = seed >>> 0;
  return (plane, frames, harmonic, hiss) => {
    for (let i = 0; i < frames; i += 1) {
      const sample = plane[i] as number;
      const x = Math.abs(highPass(Number.isFinite(sample) ? sample : 0));
      envelope += smoothing * (x - envelope);
      // The difference: flat where the rectified band falls off.
      harmonic[i] = x - last;
      last = x;
      // xorshift32 (Marsaglia 2003)
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      hiss[i] = envelope * (state / 2_147_483_648);
    }
  };
}

/** Levels of bands to levels of bins, interpolated between the middles of the bands. */
const places = Float64Array.from({ length: bins }, (_, bin) => {
  let band = 0;
  while (band < highBands - 2 && bin > (highCentres[band + 1] as number)) band += 1;
  const share =
    (bin - (highCentres[band] as number)) / ((highCentres[band + 1] as number) - (highCentres[band] as number));
  return band + Math.min(1, Math.max(0, share));
});
const bandStarts = Int32Array.from({ length: highBands }, (_, band) =>
  Math.round((highCentres[band] as number) - (highWidths[band] as number) / 2),
);

/** Mean power of a bin in each high band, dB, over all channels. */
function bandLevels(channels: readonly SpectrumFrame[], out: Float64Array): void {
  for (let band = 0; band < highBands; band += 1) {
    const from = bandStarts[band] as number;
    const to = Math.min(bins, from + (highWidths[band] as number));
    let sum = 1e-20;
    for (const { re, im } of channels)
      for (let bin = from; bin < to; bin += 1) sum += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
    out[band] = powerToDb(sum / (to - from));
  }
}

/** Bins at 300, 1000, 2000 and 3100 Hz. */
const [bassFrom, bassTo, presenceFrom, presenceTo] = [300, 1000, 2000, 3100].map(binOf) as [
  number,
  number,
  number,
  number,
];

/** A level between those of the bands, at a bin. */
function levelAt(levels: Float64Array, bin: number): number {
  const place = places[bin] as number;
  const band = Math.floor(place);
  const level = levels[band] as number;
  return level + (place - band) * ((levels[Math.min(highBands - 1, band + 1)] as number) - level);
}

/** Fills the highs of one sound, frame by frame. */
class HighsFiller {
  private readonly count: number;
  private readonly startBin: number;
  /** The share of restored sound in a bin. */
  private readonly weights: Float64Array;
  private readonly estimator: ReturnType<typeof createHighBandEstimator>;
  /** The sound's power by bin, mean over the channels. */
  private readonly power = new Float64Array(bins);
  private readonly wanted = new Float64Array(highBands);
  /** Levels of the bands, dB: wanted over time, and of the two excitations. */
  private readonly target = new Float64Array(highBands).fill(-200);
  private readonly harmonicLevels = new Float64Array(highBands);
  private readonly hissLevels = new Float64Array(highBands);

  /** @param count channels */
  constructor({ activeDb, cutoffHz }: ExtendOptions, count: number) {
    this.count = count;
    this.startBin = binOf(cutoffHz - overlapHz);
    this.estimator = createHighBandEstimator(activeDb);
    this.weights = Float64Array.from({ length: bins }, (_, bin) => {
      const hz = bin * binHz;
      const in_ = Math.min(1, Math.max(0, (hz - cutoffHz + overlapHz) / overlapHz));
      const out = Math.min(1, Math.max(0, (topHz - hz) / (topHz - fadeFromHz)));
      return in_ * out;
    });
  }

  /** @param spectra the channels' own, which are changed; their harmonics; their hiss */
  fill(spectra: readonly SpectrumFrame[]): void {
    const { count } = this;
    const own = spectra.slice(0, count);
    const harmonic = spectra.slice(count, 2 * count);
    const hiss = spectra.slice(2 * count);
    const low = this.estimate(own);
    // Voices have their power in the bass, sibilants above.
    const voiced = Math.min(1, Math.max(0, this.bassAbovePresenceDb() / 10));
    bandLevels(harmonic, this.harmonicLevels);
    bandLevels(hiss, this.hissLevels);
    this.moveTarget(powerToDb(low * count + 1e-20) - cautionDb);
    this.add(own, harmonic, hiss, voiced);
    // Excitation spectra are not written back.
    for (const { re, im } of [...harmonic, ...hiss]) {
      re.fill(0);
      im.fill(0);
    }
  }

  /** Sets `power` and `wanted`. @returns power of the band below 3100 Hz, as the estimator's */
  private estimate(own: readonly SpectrumFrame[]): number {
    const { power, count } = this;
    power.fill(0);
    for (const { re, im } of own)
      for (let bin = 0; bin < presenceTo + 4; bin += 1)
        power[bin] = (power[bin] as number) + ((re[bin] as number) ** 2 + (im[bin] as number) ** 2) / count;
    return this.estimator.estimate(power, this.wanted);
  }

  private bassAbovePresenceDb(): number {
    const { power } = this;
    let [bass, presence] = [1e-16, 1e-16];
    for (let bin = bassFrom; bin < bassTo; bin += 1) bass += power[bin] as number;
    for (let bin = presenceFrom; bin < presenceTo; bin += 1) presence += power[bin] as number;
    return powerToDb(bass / presence);
  }

  private moveTarget(lowDb: number): void {
    const { target, wanted } = this;
    for (let band = 0; band < highBands; band += 1) {
      const level = lowDb + (wanted[band] as number) - powerToDb(highWidths[band] as number);
      const last = target[band] as number;
      target[band] = level + (level > last ? rise : fall) * (last - level);
    }
  }

  private add(
    own: readonly SpectrumFrame[],
    harmonic: readonly SpectrumFrame[],
    hiss: readonly SpectrumFrame[],
    voiced: number,
  ): void {
    const { count, weights, target, harmonicLevels, hissLevels } = this;
    const endBin = binOf(topHz);
    for (let bin = this.startBin; bin <= endBin; bin += 1) {
      const level = levelAt(target, bin);
      let present = 0;
      for (const { re, im } of own) present += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
      // Only what is missing is added.
      const missing = Math.max(0, 1 - present / 10 ** (level / 10));
      const gain = dbToGain(level) * Math.sqrt(missing) * (weights[bin] as number);
      if (gain < 1e-9) continue;
      const harmonics = voiced * Math.min(0.8, Math.max(0, (9000 - bin * binHz) / 6000));
      const harmonicGain = gain * Math.sqrt(harmonics) * Math.min(1e4, dbToGain(-levelAt(harmonicLevels, bin)));
      const hissGain = gain * Math.sqrt(1 - harmonics) * Math.min(1e4, dbToGain(-levelAt(hissLevels, bin)));
      for (let channel = 0; channel < count; channel += 1) {
        const { re, im } = own[channel] as SpectrumFrame;
        const [a, b] = [harmonic[channel] as SpectrumFrame, hiss[channel] as SpectrumFrame];
        re[bin] = (re[bin] as number) + harmonicGain * (a.re[bin] as number) + hissGain * (b.re[bin] as number);
        im[bin] = (im[bin] as number) + harmonicGain * (a.im[bin] as number) + hissGain * (b.im[bin] as number);
      }
    }
  }
}

/**
 * Restores highs that a telephone, a codec or a dull microphone removed: a source-filter extension (Jax, Vary, "On
 * artificial bandwidth extension of telephone speech", Signal Processing 83, 2003). The level of each band above the
 * cut-off is estimated frame by frame from the band below 3100 Hz (high-band-envelope.ts); it is filled with harmonics
 * where the frame is voiced, fewer at higher frequencies, and with noise elsewhere. Only missing sound is added: sound
 * below the cut-off is unchanged, without phase shift. The same gains for all channels, each with its own excitation,
 * so that the stereo image is kept. 48 kHz.
 */
export function extendBandwidth(options: ExtendOptions): Stage {
  let channels = 1;
  let exciters: ReturnType<typeof createExciter>[] = [];
  const inner = spectralStage({
    begin(planes) {
      const filler = new HighsFiller(options, planes / 3);
      return (spectra) => filler.fill(spectra);
    },
  });

  const withMaterial = ({ planes, frames }: AudioBlock): AudioBlock => {
    const harmonic = planes.map(() => new Float32Array(frames));
    const hiss = planes.map(() => new Float32Array(frames));
    for (const [channel, excite] of exciters.entries())
      excite(planes[channel] as Float32Array, frames, harmonic[channel] as Float32Array, hiss[channel] as Float32Array);
    return { planes: [...planes, ...harmonic, ...hiss], frames };
  };
  const ownOnly =
    (emit: Emit): Emit =>
    ({ planes, frames }) =>
      emit({ planes: planes.slice(0, channels), frames });

  return {
    latencyFrames: inner.latencyFrames,
    open(format) {
      ({ channels } = format);
      // The same noise under each channel's envelope: one source in the room rather than one at each ear.
      exciters = Array.from({ length: channels }, () => createExciter(0x9e37_79b9));
      inner.open({ ...format, channels: 3 * channels });
      return format;
    },
    process: (block, emit) => inner.process(withMaterial(block), ownOnly(emit)),
    flush: (emit) => inner.flush(ownOnly(emit)),
    close() {
      inner.close();
      exciters = [];
    },
  };
}
