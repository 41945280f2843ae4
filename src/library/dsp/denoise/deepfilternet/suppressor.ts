import type { VerifiedModel } from '../../../models/installed.ts';
import { exposeState } from '../../../models/streaming-graph.ts';
import { createStft } from '../../../kernels/stft.ts';
import type { FanOut } from '../../../core/fan-out.ts';
import { createInOrder, release, runPiece } from '../suppressor/pieces.ts';
import { createRumbleFilter } from '../suppressor/rumble.ts';
import { createSampleWindow } from '../suppressor/sample-window.ts';
import {
  type EmitPlanes,
  type Suppressor,
  type SuppressorFactory,
  type SuppressorOptions,
  suppressorRate,
} from '../suppressor/suppressor.ts';
import { vorbisWindow } from '../suppressor/vorbis-window.ts';
import { filterReach, type Spectra } from './apply.ts';
import { bandCount, bins, createFeatureExtractor, filteredBins, frameSamples, hopSamples } from './features.ts';
import {
  type DecoderItem,
  type DecoderResult,
  encoderLookBack,
  type EncoderItem,
  type EncoderResult,
  freshStates,
  lastFrames,
  type NetworkFiles,
  streamingChanges,
  withLookBack,
} from './network-tasks.ts';
import { moduleUrl } from '../../../core/running-files.ts';

/** The network's frame t uses the features of frame t + 2. */
const lookAhead = 2;

/** Enough for the encoder to run ahead while the decoder is busy. */
const piecesUnderWay = 2;

export interface DeepFilterNetOptions {
  /** Transform frames (10 ms) per network call. Does not change the result. Default 50. */
  readonly pieceFrames?: number;
  /**
   * The networks' state is warmed up with the reversed beginning, to protect the very first word. Seconds, default 2.
   */
  readonly primeSeconds?: number;
}

const tasksUrl = moduleUrl('library/dsp/denoise/deepfilternet/network-tasks');

/** In shared memory, once for all threads. */
function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

interface NetworkInput {
  readonly erb: Float32Array<ArrayBuffer>;
  readonly spec: Float32Array<ArrayBuffer>;
  readonly noisy: readonly Spectra[];
  readonly frames: number;
}

/** Takes over its input, which may be moved to another thread. */
type Networks = (input: NetworkInput) => Promise<DecoderResult['sounds']>;

/** The networks in sequence: the encoder may be some pieces ahead of the decoders, on its own thread. */
function createNetworks(files: NetworkFiles, encoders: FanOut, decoders: FanOut): Networks {
  let encoder = Promise.resolve({ states: freshStates(1), c0: null as Float32Array<ArrayBuffer> | null });
  // The first piece waits, or another thread would load them again. A failure is reported when they are needed.
  const prepared =
    decoders === encoders
      ? Promise.resolve()
      : runPiece(decoders, tasksUrl, 'prepare', { files, names: ['erb_dec', 'df_dec'] }).catch(() => undefined);
  let decoder = prepared.then(() => freshStates(4));
  return ({ erb, spec, noisy, frames }) => {
    const encoded = encoder.then(async ({ states, c0: before }) => {
      const result = await runPiece<EncoderItem, EncoderResult>(
        encoders,
        tasksUrl,
        'encode',
        { files, erb, spec, frames, states },
        [erb.buffer, spec.buffer],
      );
      const c0 = withLookBack(result.c0, frames, before);
      // Taken before c0 moves to another thread.
      return { ...result, c0, last: lastFrames(c0, frames) };
    });
    encoder = encoded.then(({ states, last }) => ({ states, c0: last }));
    const decoded = Promise.all([encoded, decoder]).then(([{ e0, e1, e2, e3, emb, c0 }, states]) =>
      runPiece<DecoderItem, DecoderResult>(
        decoders,
        tasksUrl,
        'decode',
        { files, frames, noisy, e0, e1, e2, e3, emb, c0, states },
        [
          ...noisy.flatMap(({ re, im }) => [re.buffer, im.buffer]),
          e0.buffer,
          e1.buffer,
          e2.buffer,
          e3.buffer,
          emb.buffer,
          c0.buffer,
        ],
      ),
    );
    decoder = decoded.then(({ states }) => states);
    // The awaiting code gets failures; these promises only carry states on.
    for (const carried of [encoder, decoder]) carried.catch(() => undefined);
    return decoded.then(({ sounds }) => sounds);
  };
}

/** DeepFilterNet3, streaming: for any pieces the result equals that of the whole recording at once. */
function createSuppressor(
  files: NetworkFiles,
  { channels, runner, here, cores, highPass = true }: SuppressorOptions,
  { pieceFrames = 50, primeSeconds = 2 }: DeepFilterNetOptions,
): Suppressor {
  const stft = createStft({ window: vorbisWindow(frameSamples), hop: hopSamples });
  const features = createFeatureExtractor();
  // On two cores this thread runs the encoder, so that each network is loaded once.
  const networks = createNetworks(files, cores > 2 ? runner : here, cores > 1 ? runner : here);
  const order = createInOrder(cores > 1 ? piecesUnderWay : 0);
  /** The input without rumble, until the priming stretch is complete. */
  const opening = createSampleWindow(channels);
  /** The networks' input: the priming stretch, then the sound. Frame t covers 960 samples from 480 (t - 1) on. */
  const stream = createSampleWindow(channels);
  const primeFrames = Math.round(primeSeconds * suppressorRate);
  let primed: number | null = null;
  let nextFrame = 0;
  /** The end of the last piece's spectra, which starts the next one. */
  let spectraBefore: readonly Spectra[] | null = null;
  let erbBefore = new Float32Array(encoderLookBack * bandCount);
  let specBefore = new Float32Array(2 * encoderLookBack * filteredBins);
  const tails = Array.from({ length: channels }, () => new Float32Array(hopSamples));
  let emitted = -hopSamples;

  const rumble = createRumbleFilter({ channels, highPass }, (planes, frames) => {
    if (primed !== null) stream.append(planes, frames);
    else {
      opening.append(planes, frames);
      if (opening.end >= primeFrames) prime(primeFrames);
    }
  });

  const prime = (frames: number): void => {
    primed = frames;
    const planes = Array.from({ length: channels }, (_, channel) => opening.read(channel, 0, opening.end));
    if (frames > 0)
      stream.append(
        planes.map((plane) => plane.slice(0, frames).toReversed()),
        frames,
      );
    if (opening.end > 0) stream.append(planes, opening.end);
  };

  /** Spectra of frames [first - 2, first + frames + 2), reusing known ones. Frames from `total` on are silent. */
  const spectraFor = (first: number, frames: number, total: number): readonly Spectra[] => {
    const fresh = spectraBefore ? first + filterReach : 0;
    const count = Math.max(0, Math.min(first + frames + filterReach, total) - fresh);
    return Array.from({ length: channels }, (_, channel) => {
      const re = new Float32Array((frames + 2 * filterReach) * bins);
      const im = new Float32Array(re.length);
      const before = spectraBefore?.[channel];
      if (before) {
        re.set(before.re);
        im.set(before.im);
      }
      const start = (fresh - 1) * hopSamples;
      const at = (fresh - first + filterReach) * bins;
      if (count > 0) {
        const samples = stream.read(channel, start, start + (count - 1) * hopSamples + frameSamples);
        stft.forward(samples, count, 1 / frameSamples, re.subarray(at), im.subarray(at));
        release(samples);
      }
      return { re, im };
    });
  };

  /** The spectrum for the networks: the channel's own, or the mean of both. */
  const heard = (planes: readonly Spectra[]): Spectra => {
    const [left, right] = planes as [Spectra, Spectra | undefined];
    if (!right) return left;
    const mean = (a: Float32Array<ArrayBuffer>, b: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> =>
      a.map((x, i) => (x + (b[i] as number)) / 2);
    return { re: mean(left.re, right.re), im: mean(left.im, right.im) };
  };

  const featuresFor = (
    first: number,
    frames: number,
    total: number,
    planes: readonly Spectra[],
  ): { erb: Float32Array<ArrayBuffer>; spec: Float32Array<ArrayBuffer> } => {
    const spectrum = heard(planes);
    const ownMean = planes.length > 1;
    const wide = frames + encoderLookBack;
    const erb = new Float32Array(wide * bandCount);
    const spec = new Float32Array(2 * wide * filteredBins);
    const plane = wide * filteredBins;
    const back = encoderLookBack * filteredBins;
    erb.set(erbBefore);
    spec.set(specBefore.subarray(0, back));
    spec.set(specBefore.subarray(back), plane);
    // The network uses no frame before these, but the running means start with them.
    const skipped = new Float32Array(bandCount + 2 * filteredBins);
    for (let t = first === 0 ? 0 : first + lookAhead; t < Math.min(first + frames + lookAhead, total); t += 1) {
      const at = (t - first + filterReach) * bins;
      const row = t - lookAhead - first + encoderLookBack;
      if (t < lookAhead) features.frame(spectrum.re, spectrum.im, at, skipped, 0, skipped, bandCount, filteredBins);
      else features.frame(spectrum.re, spectrum.im, at, erb, row * bandCount, spec, row * filteredBins, plane);
    }
    if (ownMean) release(spectrum.re, spectrum.im);
    erbBefore = erb.slice(frames * bandCount);
    specBefore = new Float32Array(2 * back);
    specBefore.set(spec.subarray(frames * filteredBins, plane));
    specBefore.set(spec.subarray(plane + frames * filteredBins), back);
    return { erb, spec };
  };

  const handOn = (sounds: DecoderResult['sounds'], frames: number, end: number, emit: EmitPlanes): void => {
    for (const [channel, sound] of sounds.entries()) {
      const tail = tails[channel] as Float32Array;
      for (let i = 0; i < hopSamples; i += 1) sound[i] = (sound[i] as number) + (tail[i] as number);
      tail.set(sound.subarray(frames * hopSamples));
    }
    // Leave out the priming stretch and everything after the end.
    const from = Math.max(0, (primed ?? 0) - emitted);
    const to = Math.min(frames * hopSamples, end - emitted);
    emitted += frames * hopSamples;
    if (to > from)
      emit(
        sounds.map((sound) => sound.subarray(from, to)),
        to - from,
      );
    release(...sounds);
  };

  /**
   * Returns the start of the next piece.
   * @param total frames of the stream's transform, once its end is known
   */
  const begin = async (frames: number, total: number, end: number, emit: EmitPlanes): Promise<number> => {
    const planes = spectraFor(nextFrame, frames, total);
    const { erb, spec } = featuresFor(nextFrame, frames, total, planes);
    spectraBefore = planes.map(({ re, im }) => ({ re: re.slice(frames * bins), im: im.slice(frames * bins) }));
    nextFrame += frames;
    stream.discard((nextFrame + filterReach - 1) * hopSamples);
    await order.add(
      networks({ erb, spec, noisy: planes, frames }).then((sounds) => () => handOn(sounds, frames, end, emit)),
    );
    return nextFrame;
  };

  return {
    async push(planes, frames, emit) {
      rumble.push(planes, frames);
      // The last frame that a piece needs must be inside the received sound.
      const whole = Math.floor(stream.end / hopSamples) - filterReach;
      for (let at = nextFrame; at + pieceFrames <= whole;)
        at = await begin(pieceFrames, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, emit);
    },
    async flush(emit) {
      rumble.flush();
      if (primed === null) prime(opening.end);
      const { end } = stream;
      const total = end === 0 ? 0 : Math.floor((end + frameSamples) / hopSamples);
      for (let at = nextFrame; at < total;) at = await begin(Math.min(pieceFrames, total - at), total, end, emit);
      await order.drain();
    },
  };
}

/** A factory of suppressors for the installed model. */
export function createDeepFilterNet(model: VerifiedModel, options: DeepFilterNetOptions = {}): SuppressorFactory {
  const files: NetworkFiles = {
    key: model.model.files.map(({ sha256 }) => sha256).join(),
    enc: shared(exposeState(model.file('enc.onnx'), streamingChanges.enc)),
    erb_dec: shared(exposeState(model.file('erb_dec.onnx'), streamingChanges.erb_dec)),
    df_dec: shared(exposeState(model.file('df_dec.onnx'), streamingChanges.df_dec)),
  };
  return (suppressor) => createSuppressor(files, suppressor, options);
}
