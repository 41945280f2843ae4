import { EarshotError } from '../core/errors/errors.ts';
import { lacking } from '../core/errors/machine-lacks.ts';
import { nativeAddon, webAssembly } from './addon.ts';

/** A kernel's state inside the addon. Freed when nothing refers to it any more. */
export type Handle = object & { readonly earshotHandle: never };

/**
 * Planar float32, full scale 1. In every kernel a sample that is NaN, infinite or absurd (magnitude above 2^32, 190 dB
 * over full scale) counts as 0, so that broken input does not spread. The stateless operations of ops.ts pass it
 * through.
 */
export type Planes = readonly Float32Array[];

/** Fills a part of a network's weights: a vector, or a matrix of 8 bits. */
type SetVector = (handle: Handle, weights: Uint8Array, index: number, values: Float32Array) => void;
type SetMatrix = (handle: Handle, weights: Uint8Array, index: number, table: Uint8Array, scales: Float32Array) => void;

/** What earshot.node computes on samples and rows of numbers. Every function throws a TypeError on a bad argument. */
export interface NativeKernels {
  /**
   * The instruction set in use: the processor's best, or "baseline" with EARSHOT_SIMD=scalar in the environment; arm64
   * has dotprod or i8mm, and with EARSHOT_SIMD=dotprod that one. "avx2" includes AVX-512's products of 8 bits where
   * there are any; EARSHOT_SIMD=avx2 does without them. "wasm": WebAssembly's vectors of 128 bits.
   */
  readonly simd: 'avx2' | 'dotprod' | 'i8mm' | 'baseline' | 'wasm';

  peaksCreate(sampleRate: number, channels: number, expectedFrames: number): Handle;
  peaksPush(handle: Handle, planes: Planes, frames: number | undefined): void;
  peaksFinish(handle: Handle): { peak: number; level500: Int8Array; level50: Int8Array; level5: Int8Array };

  loudnessCreate(sampleRate: number, weights: readonly number[]): Handle;
  loudnessPush(handle: Handle, planes: Planes, frames: number | undefined): void;
  loudnessResult(
    handle: Handle,
  ): Record<
    | 'integratedLufs'
    | 'loudnessRangeLu'
    | 'maxMomentaryLufs'
    | 'maxShortTermLufs'
    | 'momentaryLufs'
    | 'shortTermLufs'
    | 'gatedBlocks',
    number
  >;
  loudnessSeries(handle: Handle): Float32Array;
  kWeightingFilter(sampleRate: number): Float64Array;

  truePeakCreate(sampleRate: number, channels: number): Handle;
  truePeakPush(handle: Handle, planes: Planes, frames: number | undefined): void;
  truePeakFinish(handle: Handle): Float64Array;

  statsCreate(channels: number): Handle;
  statsPush(handle: Handle, planes: Planes, frames: number | undefined): void;
  statsResult(handle: Handle): { frames: number; unusable: number; correlation: number; channels: Float64Array };

  envelopeCreate(sampleRate: number, channels: number, hopSeconds: number): Handle;
  envelopePush(handle: Handle, planes: Planes, frames: number | undefined): void;
  envelopeFinish(handle: Handle): Float32Array;

  spectrumCreate(sampleRate: number, channels: number, size: number, everySeconds: number): Handle;
  spectrumPush(handle: Handle, planes: Planes, frames: number | undefined): void;
  spectrumResult(handle: Handle): { frames: number; power: Float64Array; maxPower: Float64Array };

  limiterCreate(
    sampleRate: number,
    channels: number,
    ceilingDbtp: number,
    gainDb: number,
    lookaheadMs: number,
    releaseMs: number,
  ): Handle;
  limiterLatency(handle: Handle): number;
  limiterProcess(handle: Handle, planes: Planes, out: Planes, frames: number | undefined): void;
  limiterMaxReduction(handle: Handle): number;

  firCreate(channels: number, taps: Float32Array): Handle;
  firLatency(handle: Handle): number;
  firProcess(handle: Handle, planes: Planes, out: Planes, frames: number | undefined): void;

  declipCreate(frame: number): Handle;
  declipRestore(
    handle: Handle,
    samples: Float32Array,
    count: number,
    lowest: number,
    highest: number,
    mostRounds: number,
    out: Float32Array,
  ): number;

  stftCreate(window: Float32Array, hop: number): Handle;
  stftForward(
    handle: Handle,
    samples: Float32Array,
    count: number,
    scale: number,
    re: Float32Array,
    im: Float32Array,
  ): void;
  stftInverse(
    handle: Handle,
    re: Float32Array,
    im: Float32Array,
    count: number,
    scale: number,
    out: Float32Array,
  ): void;

  rateConverterCreate(fromRate: number, toRate: number, channels: number): Handle;
  rateConverterReady(handle: Handle, frames: number): number;
  rateConverterRest(handle: Handle): number;
  rateConverterProcess(handle: Handle, planes: Planes, out: Planes, frames: number | undefined): void;
  rateConverterFlush(handle: Handle, out: Planes): void;
  rateConverterClose(handle: Handle): void;

  resample(samples: Float32Array, start: number, step: number, out: Float32Array, count: number): void;

  rnnoiseNetworkCreate(): Handle;
  rnnoiseNetworkSetLayer(
    handle: Handle,
    layer: number,
    bias: Float32Array,
    weights: Float32Array | Int8Array,
    blocks?: Int32Array,
    scale?: Float32Array,
    diagonal?: Float32Array,
  ): void;
  rnnoiseCreate(network: Handle): Handle;
  rnnoiseProcess(handle: Handle, samples: Float32Array, count: number, out: Float32Array, voice: Float32Array): void;

  logMelCreate(bands: number): Handle;
  logMelProcess(handle: Handle, samples: Float32Array, frames: number, out: Float32Array): void;

  scoreTokens(logits: Float32Array, from: number, to: number): { best: number; most: number; logSum: number };
  likeliestTokens(logits: Float32Array, most: number): number[];
  tokenTimes(attention: Float32Array, tokens: number, heads: number, positions: number): Float64Array;
  alignmentCreate(
    dimensions: number,
    reference: Float32Array,
    wordStarts: Int32Array,
    gapEntry: Float32Array,
    earliestStart: Int32Array,
    latestStart: Int32Array,
    earliestEnd: Int32Array,
    latestEnd: Int32Array,
    frames: number,
    scale: number,
  ): Handle;
  alignmentPush(handle: Handle, features: Float32Array, gapCosts: Float32Array, frames: number): void;
  alignmentTrace(handle: Handle): boolean;
  alignmentResult(handle: Handle): { starts: Int32Array; ends: Int32Array; costs: Float32Array } | null;

  fbankCreate(bands: number, lowHz: number, highHz: number, form: number): Handle;
  fbankRows(handle: Handle, samples: Float32Array, count: number, rows: Float32Array): void;

  holdsCodedSound(bytes: Uint8Array): boolean;

  whisperDecoderCreate(
    layers: number,
    heads: number,
    headWidth: number,
    feedWidth: number,
    vocabulary: number,
    mostTokens: number,
  ): Handle;
  whisperDecoderSizes(handle: Handle): { weightBytes: number; ownLength: number };
  whisperDecoderSetMatrix: SetMatrix;
  whisperDecoderSetVector: SetVector;
  whisperDecoderCrossLength(handle: Handle, positions: number): number;
  whisperDecoderOpen(
    handle: Handle,
    weights: Uint8Array,
    heard: Float32Array,
    positions: number,
    cross: Float32Array,
  ): void;
  whisperDecoderStep(
    handle: Handle,
    weights: Uint8Array,
    rows: number,
    count: number,
    past: number,
    tokens: Int32Array,
    positions: Int32Array,
    cross: readonly Float32Array[],
    own: readonly Float32Array[],
    aligned: Int32Array,
    logits: Float32Array,
    attention: Float32Array,
  ): void;

  whisperEncoderCreate(
    bands: number,
    frames: number,
    layers: number,
    heads: number,
    headWidth: number,
    feedWidth: number,
  ): Handle;
  whisperEncoderWeightBytes(handle: Handle): number;
  whisperEncoderSetMatrix: SetMatrix;
  whisperEncoderSetVector: SetVector;
  whisperEncoderSetConvolution: SetVector;
  whisperEncoderEncode(
    handle: Handle,
    weights: Uint8Array,
    spectrum: Float32Array,
    frames: number,
    out: Float32Array,
  ): void;

  nearestRow(rows: Float32Array, length: number, count: number, item: number, preferred: number): number;

  /** Is an ONNX Runtime loaded in this process that the addon can call? */
  networkRuntimeFound(): boolean;
  /** See `openSharedNetwork`. */
  networkOpen(key: string, source: string | Uint8Array, keepsMemory: boolean): Handle | undefined;
  networkInputs(handle: Handle): NetworkPort[];
  networkOutputs(handle: Handle): NetworkPort[];
  /** @returns for each output without data its own tensor, else null */
  networkRun(
    handle: Handle,
    inputs: readonly PlacedTensor[],
    outputs: readonly (PlacedTensor | { name: string; type: 0; dims: []; data: undefined })[],
  ): ({ type: number; dims: number[]; buffer: ArrayBuffer } | null)[];
  networkClose(handle: Handle): void;

  applyGain(planes: Planes, gain: number, frames: number | undefined): void;
  mixInto(target: Planes, source: Planes, gain: number, frames: number | undefined): void;
  crossfade(
    outgoing: Planes,
    incoming: Planes,
    out: Planes,
    equalPower: boolean,
    position: number,
    total: number,
    frames: number,
  ): void;
  tileRanges(plane: Float32Array, tileFrames: number, out: Float32Array): void;
  toPcm16(
    planes: Planes,
    frames: number | undefined,
    dithered: boolean,
    firstFrame: number,
    isPlanar: boolean,
    out: Int16Array,
  ): void;
}

/** An input or output of a network. */
export interface NetworkPort {
  readonly name: string;
  /** TensorProto.DataType of ONNX; 0: no tensor. */
  readonly type: number;
  /** A name: any length. */
  readonly dims: readonly (number | string)[];
}

/** A tensor with its elements. */
export interface PlacedTensor {
  readonly name: string;
  /** TensorProto.DataType of ONNX. */
  readonly type: number;
  readonly dims: readonly number[];
  readonly data: Float32Array | BigInt64Array | Int32Array | Uint8Array | Uint16Array;
}

let loaded: NativeKernels | undefined;

function load(): NativeKernels {
  let addon: NativeKernels | null = null;
  let failure: unknown;
  try {
    addon = nativeAddon() as NativeKernels;
  } catch (thrown) {
    failure = thrown;
  }
  const choice = process.env['EARSHOT_KERNELS'];
  if (addon !== null && choice !== 'wasm') return addon;
  const portable = choice === 'native' ? null : (webAssembly() as NativeKernels | null);
  if (portable === null) throw failure ?? lacksWasm();
  if (addon === null) return portable;
  // Networks that threads share stay the addon's.
  const { networkRuntimeFound, networkOpen, networkInputs, networkOutputs, networkRun, networkClose } = addon;
  return { ...portable, networkRuntimeFound, networkOpen, networkInputs, networkOutputs, networkRun, networkClose };
}

const lacksWasm = (): EarshotError =>
  new EarshotError('tool_unavailable', 'EARSHOT_KERNELS asks for WebAssembly, which is not installed', {
    nextAction: 'Run `npm install earshot-wasm32` in the project; in a checkout of Earshot `npm run build:wasm`.',
    details: lacking('installation'),
  });

/**
 * The kernels: the addon's, or WebAssembly's where there is no addon for this system, and everywhere with
 * EARSHOT_KERNELS=wasm in the environment (EARSHOT_KERNELS=native: the addon's or none). Loaded on first use, once per
 * thread.
 * @throws EarshotError as `nativeAddon`
 */
export const nativeKernels = (): NativeKernels => (loaded ??= load());

/** Guards one-shot kernels: nothing may follow after `finish`. */
export function afterFinish(kernel: string): never {
  throw new TypeError(`Expected no push after finish of ${kernel}: make a new one for another stream`);
}
