import type { VerifiedModel } from '../../../models/installed.ts';
import { exposeState } from '../../../models/streaming-graph.ts';
import type { FanOut } from '../../../core/machine/fan-out.ts';
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
import { filterReach, type Spectra } from './apply.ts';
import { frameSamples, hopSamples } from './features.ts';
import {
  type DecoderItem,
  type DecoderResult,
  type EncoderItem,
  type EncoderResult,
  freshStates,
  lastFrames,
  type NetworkFiles,
  streamingChanges,
  withLookBack,
} from './network-tasks.ts';
import { PieceFeatures, PieceSpectra } from './piece-input.ts';
import { moduleUrl } from '../../../core/running-files.ts';

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
class DeepFilterNet implements Suppressor {
  private readonly channels: number;
  private readonly pieceFrames: number;
  private readonly primeFrames: number;
  private readonly networks: Networks;
  private readonly order: ReturnType<typeof createInOrder>;
  private readonly rumble: ReturnType<typeof createRumbleFilter>;
  /** The input without rumble, until the priming stretch is complete. */
  private readonly opening: ReturnType<typeof createSampleWindow>;
  /** The networks' input: the priming stretch, then the sound. */
  private readonly stream: ReturnType<typeof createSampleWindow>;
  private readonly spectra: PieceSpectra;
  private readonly features = new PieceFeatures();
  /** Length of the priming stretch, samples; null: not complete. */
  private primed: number | null = null;
  private nextFrame = 0;
  /** By channel: the part of the last output that overlaps with the next. */
  private readonly tails: readonly Float32Array[];
  private emitted = -hopSamples;

  constructor(
    files: NetworkFiles,
    { channels, runner, here, cores, highPass = true }: SuppressorOptions,
    { pieceFrames = 50, primeSeconds = 2 }: DeepFilterNetOptions,
  ) {
    this.channels = channels;
    this.pieceFrames = pieceFrames;
    this.primeFrames = Math.round(primeSeconds * suppressorRate);
    // On two cores this thread runs the encoder, so that each network is loaded once.
    this.networks = createNetworks(files, cores > 2 ? runner : here, cores > 1 ? runner : here);
    this.order = createInOrder(cores > 1 ? piecesUnderWay : 0);
    this.opening = createSampleWindow(channels);
    this.stream = createSampleWindow(channels);
    this.spectra = new PieceSpectra(channels, this.stream);
    this.tails = Array.from({ length: channels }, () => new Float32Array(hopSamples));
    this.rumble = createRumbleFilter({ channels, highPass }, (planes, frames) => this.take(planes, frames));
  }

  async push(planes: readonly Float32Array[], frames: number, emit: EmitPlanes): Promise<void> {
    this.rumble.push(planes, frames);
    // The last frame that a piece needs must be inside the received sound.
    const whole = Math.floor(this.stream.end / hopSamples) - filterReach;
    while (this.nextFrame + this.pieceFrames <= whole)
      await this.begin(this.pieceFrames, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, emit);
  }

  async flush(emit: EmitPlanes): Promise<void> {
    this.rumble.flush();
    if (this.primed === null) this.prime(this.opening.end);
    const { end } = this.stream;
    const total = end === 0 ? 0 : Math.floor((end + frameSamples) / hopSamples);
    while (this.nextFrame < total)
      await this.begin(Math.min(this.pieceFrames, total - this.nextFrame), total, end, emit);
    await this.order.drain();
  }

  private take(planes: readonly Float32Array[], frames: number): void {
    if (this.primed !== null) this.stream.append(planes, frames);
    else {
      this.opening.append(planes, frames);
      if (this.opening.end >= this.primeFrames) this.prime(this.primeFrames);
    }
  }

  private prime(frames: number): void {
    const { opening, stream } = this;
    this.primed = frames;
    const planes = Array.from({ length: this.channels }, (_, channel) => opening.read(channel, 0, opening.end));
    if (frames > 0)
      stream.append(
        planes.map((plane) => plane.slice(0, frames).toReversed()),
        frames,
      );
    if (opening.end > 0) stream.append(planes, opening.end);
  }

  /** Starts the next piece. @param total frames of the stream's transform, once its end is known */
  private async begin(frames: number, total: number, end: number, emit: EmitPlanes): Promise<void> {
    const noisy = this.spectra.next(this.nextFrame, frames, total);
    const { erb, spec } = this.features.next(this.nextFrame, frames, total, noisy);
    this.nextFrame += frames;
    this.stream.discard((this.nextFrame + filterReach - 1) * hopSamples);
    await this.order.add(
      this.networks({ erb, spec, noisy, frames }).then((sounds) => () => this.handOn(sounds, frames, end, emit)),
    );
  }

  private handOn(sounds: DecoderResult['sounds'], frames: number, end: number, emit: EmitPlanes): void {
    for (const [channel, sound] of sounds.entries()) {
      const tail = this.tails[channel] as Float32Array;
      for (let i = 0; i < hopSamples; i += 1) sound[i] = (sound[i] as number) + (tail[i] as number);
      tail.set(sound.subarray(frames * hopSamples));
    }
    // Leave out the priming stretch and everything after the end.
    const from = Math.max(0, (this.primed ?? 0) - this.emitted);
    const to = Math.min(frames * hopSamples, end - this.emitted);
    this.emitted += frames * hopSamples;
    if (to > from)
      emit(
        sounds.map((sound) => sound.subarray(from, to)),
        to - from,
      );
    release(...sounds);
  }
}

/** A factory of suppressors for the installed model. */
export function createDeepFilterNet(model: VerifiedModel, options: DeepFilterNetOptions = {}): SuppressorFactory {
  const files: NetworkFiles = {
    key: model.model.files.map(({ sha256 }) => sha256).join(),
    enc: shared(exposeState(model.file('enc.onnx'), streamingChanges.enc)),
    erb_dec: shared(exposeState(model.file('erb_dec.onnx'), streamingChanges.erb_dec)),
    df_dec: shared(exposeState(model.file('df_dec.onnx'), streamingChanges.df_dec)),
  };
  return (suppressor) => new DeepFilterNet(files, suppressor, options);
}
