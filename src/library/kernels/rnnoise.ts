import { type Handle, nativeKernels } from './load.ts';

/** A layer of RNNoise's network. */
export interface RnnoiseLayer {
  readonly inputs: number;
  readonly outputs: number;
  /** One for each output. */
  readonly bias: Float32Array;
  /** Floats: [input][output]. 8 bits: of each block eight outputs by four inputs. */
  readonly weights: Float32Array | Int8Array;
  /** With 8 bits: for each eight outputs the number of their blocks, and the first input of each. Else empty. */
  readonly blocks: Int32Array;
  /** With 8 bits: by output. Else empty. */
  readonly scale: Float32Array;
  /** Of recurrent layers: [3][inputs], what an output takes from its own input besides. Else empty. */
  readonly diagonal: Float32Array;
}

export interface RnnoiseNetwork {
  readonly handle: Handle;
}

/** One recording on its way through RNNoise. */
export interface Rnnoise {
  /**
   * The next frames of 480 samples at 48 kHz, full scale 1. NaN, infinite and absurd samples count as 0.
   * @param out as many samples, `rnnoiseDelay` behind
   * @param voice probability of a voice in each frame, 0 to 1, as far behind
   */
  process(samples: Float32Array, count: number, out: Float32Array, voice: Float32Array): void;
}

/** Samples in a frame. */
export const rnnoiseFrame = 480;
/** Samples that the output is behind the input. */
export const rnnoiseDelay = 960;

/**
 * @param layers two convolutions, three recurrent units (from the input, then from the state), gains, voice
 * @throws TypeError where a layer has other sizes than RNNoise 0.2's
 */
export function createRnnoiseNetwork(layers: readonly RnnoiseLayer[]): RnnoiseNetwork {
  const native = nativeKernels();
  const handle = native.rnnoiseNetworkCreate();
  for (const [at, { bias, weights, blocks, scale, diagonal }] of layers.entries())
    native.rnnoiseNetworkSetLayer(handle, at, bias, weights, blocks, scale, diagonal);
  return { handle };
}

/**
 * RNNoise 0.2 (Valin, "A Hybrid DSP/Deep Learning Approach to Real-Time Full-Band Speech Enhancement", 2018; its
 * network of 2024) for one recording. Networks can be shared.
 * @throws TypeError where layers are missing, on arrays that are too short
 */
export function createRnnoise(network: RnnoiseNetwork): Rnnoise {
  const native = nativeKernels();
  const handle = native.rnnoiseCreate(network.handle);
  return {
    process: (samples, count, out, voice) => native.rnnoiseProcess(handle, samples, count, out, voice),
  };
}
