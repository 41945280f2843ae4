import { afterFinish, nativeKernels } from './load.ts';

export interface EnvelopeOptions {
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. */
  readonly channels: number;
  /** Seconds from one value to the next, from one frame to 3600. Default 0.01, or a frame where that is longer. */
  readonly hopSeconds?: number;
}

export interface EnvelopeResult {
  readonly hopSeconds: number;
  /**
   * Mean of the squared samples of each hop over all channels; 10 * log10 of it is dBFS (a full-scale square wave is
   * 0).
   */
  readonly meanSquare: Float32Array;
}

export interface Envelope {
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane. NaN, infinite and absurd samples count as
   * 0.
   */
  push(planes: readonly Float32Array[], frames?: number): void;
  /** Closes the last, partial hop (mean over what there is) and answers. Ends the stream; may be called again. */
  finish(): EnvelopeResult;
}

/**
 * Level envelope. Hop k covers the frames from round(k * hopSeconds * sampleRate) up to the next hop's first: no drift.
 * @throws TypeError on a bad option, on another number of planes, on a plane that is too short.
 */
export function createEnvelope({
  sampleRate,
  channels,
  hopSeconds = Math.max(0.01, 1 / sampleRate),
}: EnvelopeOptions): Envelope {
  const native = nativeKernels();
  const handle = native.envelopeCreate(sampleRate, channels, hopSeconds);
  let result: EnvelopeResult | undefined;
  return {
    push(planes, frames) {
      if (result) afterFinish('envelope');
      native.envelopePush(handle, planes, frames);
    },
    finish: () => (result ??= { hopSeconds, meanSquare: native.envelopeFinish(handle) }),
  };
}
