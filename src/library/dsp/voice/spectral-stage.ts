import { createStft, type Stft } from '../../kernels/stft.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';

/** All processing of voices uses this rate. */
export const voiceRate = 48_000;
/** 21.3 ms: shorter than parts of a syllable, long enough to resolve harmonics of a voice. */
export const frameSamples = 1024;
/** 5.3 ms */
const hopSamples = 256;
export const bins = frameSamples / 2 + 1;
export const binHz = voiceRate / frameSamples;
export const hopSeconds = hopSamples / voiceRate;
/** Frames transformed at a time. */
const batch = 96;

export const binOf = (hz: number): number => Math.min(bins - 1, Math.max(0, Math.round(hz / binHz)));

/** Square root of a periodic Hann window; with a hop of a quarter, the squares add up to 2. */
const window = Float32Array.from({ length: frameSamples }, (_, i) => Math.sin((Math.PI * i) / frameSamples));
const forwardScale = 1 / frameSamples;
const inverseScale = 0.5;
/** The sum of a spectrum's powers times this is the mean square under the window (one-sided). */
export const powerScale = 4;

function createVoiceStft(): Stft {
  return createStft({ window, hop: hopSamples });
}

/** The spectrum of one channel at one time: `bins` real and imaginary parts, scaled by 1 / frame. */
export interface SpectrumFrame {
  readonly re: Float32Array;
  readonly im: Float32Array;
}

/** The work on one frame: `channels[c]` may be changed in place. Called for every frame in order. */
export type FrameWork = (channels: readonly SpectrumFrame[]) => void;

interface Transformer {
  /** Takes samples; calls back for every complete batch of spectra. */
  push(planes: readonly Float32Array[], frames: number): void;
}

/**
 * Divides a stream into overlapping frames, transforms them and passes them on in batches: frame t covers [t * hop -
 * (frame - hop), t * hop + hop).
 */
function createTransformer(
  channels: number,
  stft: Stft,
  work: (re: Float32Array[], im: Float32Array[], count: number) => void,
): Transformer {
  const capacity = frameSamples + batch * hopSamples;
  const held = Array.from({ length: channels }, () => new Float32Array(capacity));
  const re = held.map(() => new Float32Array(batch * bins));
  const im = held.map(() => new Float32Array(batch * bins));
  let filled = frameSamples - hopSamples;
  return {
    push(planes, frames) {
      for (let at = 0; at < frames;) {
        const length = Math.min(frames - at, capacity - filled);
        for (const [channel, buffer] of held.entries())
          buffer.set((planes[channel] as Float32Array).subarray(at, at + length), filled);
        filled += length;
        at += length;
        const count = Math.min(batch, Math.floor((filled - frameSamples) / hopSamples) + 1);
        if (count <= 0) continue;
        for (const [channel, buffer] of held.entries())
          stft.forward(buffer, count, forwardScale, re[channel] as Float32Array, im[channel] as Float32Array);
        work(re, im, count);
        for (const buffer of held) buffer.copyWithin(0, count * hopSamples, filled);
        filled -= count * hopSamples;
      }
    },
  };
}

const framesOf = (re: readonly Float32Array[], im: readonly Float32Array[], index: number): SpectrumFrame[] =>
  re.map((plane, channel) => ({
    re: plane.subarray(index * bins, (index + 1) * bins),
    im: (im[channel] as Float32Array).subarray(index * bins, (index + 1) * bins),
  }));

/** Reads the spectra of a stream without changing it. */
export function createSpectrumReader(channels: number, look: FrameWork): Transformer['push'] {
  return createTransformer(channels, createVoiceStft(), (re, im, count) => {
    for (let index = 0; index < count; index += 1) look(framesOf(re, im, index));
  }).push;
}

/**
 * Reads the spectra of a stream and passes it on unchanged; behind its end there is a frame of silence.
 * @param begin called at `open`; returns the work for each frame
 */
export function readSpectra(begin: (channels: number) => FrameWork): Stage {
  let push: Transformer['push'] | null = null;
  let silence: Float32Array[] = [];
  return {
    latencyFrames: 0,
    open(format) {
      silence = Array.from({ length: format.channels }, () => new Float32Array(frameSamples));
      push = createSpectrumReader(format.channels, begin(format.channels));
      return format;
    },
    process(block, emit) {
      push?.(block.planes, block.frames);
      emit(block);
    },
    flush: () => push?.(silence, frameSamples),
    close: () => (push = null),
  };
}

export interface SpectralStageOptions {
  /** Called at `open`; returns the work for each frame. Frame t is centred on sample t * hop - 256. */
  begin(channels: number): FrameWork;
}

function expectRate({ sampleRate }: AudioFormat): void {
  if (sampleRate !== voiceRate) throw new TypeError(`Expected sound at ${voiceRate} Hz but received ${sampleRate}`);
}

/**
 * A stage that works on short-time spectra, by real gains or by addition: it has zero phase, so its output may be mixed
 * with its input. Weighted overlap-add (Crochiere 1980), 1024 samples, hop 256, square root of Hann on both sides;
 * without changes the output equals the input within -130 dB.
 */
export function spectralStage({ begin }: SpectralStageOptions): Stage {
  const latencyFrames = frameSamples - hopSamples;
  let opened: { channels: number; push: Transformer['push'] } | null = null;
  let out: Float32Array[] = [];
  let sink: Emit = () => undefined;
  let taken = 0;
  let given = 0;
  /** Once the input has ended: the total length of the output. */
  let most = Number.POSITIVE_INFINITY;

  return {
    latencyFrames,
    open(format) {
      expectRate(format);
      const work = begin(format.channels);
      const stft = createVoiceStft();
      out = Array.from({ length: format.channels }, () => new Float32Array(frameSamples + batch * hopSamples));
      const transformer = createTransformer(format.channels, stft, (re, im, count) => {
        for (let index = 0; index < count; index += 1) work(framesOf(re, im, index));
        const ready = count * hopSamples;
        for (const [channel, buffer] of out.entries())
          stft.inverse(re[channel] as Float32Array, im[channel] as Float32Array, count, inverseScale, buffer);
        const frames = Math.min(ready, most - given);
        if (frames > 0) sink({ planes: out.map((buffer) => buffer.slice(0, frames)), frames });
        given += frames;
        for (const buffer of out) {
          buffer.copyWithin(0, ready, ready + frameSamples);
          buffer.fill(0, frameSamples);
        }
      });
      opened = { channels: format.channels, push: transformer.push };
      return format;
    },
    process({ planes, frames }: AudioBlock, emit) {
      sink = emit;
      taken += frames;
      opened?.push(planes, frames);
    },
    flush(emit) {
      if (!opened) return;
      sink = emit;
      most = taken + latencyFrames;
      // A frame of silence after the end flushes the rest, and less than a hop too much, which is cut off.
      opened.push(
        Array.from({ length: opened.channels }, () => new Float32Array(frameSamples)),
        frameSamples,
      );
    },
    close() {
      opened = null;
      out = [];
    },
  };
}
