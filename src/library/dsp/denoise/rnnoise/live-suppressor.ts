// RNNoise over sound as it arrives: the network runs on from frame to frame, and nothing is done twice.
import {
  createRnnoise,
  type Rnnoise,
  rnnoiseDelay,
  rnnoiseFrame,
  type RnnoiseNetwork,
} from '../../../kernels/rnnoise.ts';
import { createSampleWindow } from '../suppressor/sample-window.ts';
import type { EmitPlanes, Suppressor, SuppressorOptions } from '../suppressor/suppressor.ts';
import { openRnnoiseNetwork } from './open-rnnoise.ts';
import { createVoiceGuard } from './voice-guard.ts';

/** Frames by which it is behind, before the last of its own frame has come. */
const delayFrames = rnnoiseDelay / rnnoiseFrame;

let loaded: RnnoiseNetwork | undefined;

interface Channel {
  readonly rnnoise: Rnnoise;
  readonly guard: ReturnType<typeof createVoiceGuard>;
}

/**
 * Each channel by itself, without a filter below voices: within the first 40 s the sound of `createRnnoiseSuppressor`
 * without `highPass`, bit for bit; later that one begins anew, and this one does not.
 */
export function createLiveRnnoise({ channels }: Pick<SuppressorOptions, 'channels'>): Suppressor {
  const network = (loaded ??= openRnnoiseNetwork());
  const input = createSampleWindow(channels);
  const each: readonly Channel[] = Array.from({ length: channels }, () => ({
    rnnoise: createRnnoise(network),
    guard: createVoiceGuard(),
  }));
  /** Frames that the networks have had. */
  let heard = 0;
  const out = new Float32Array(rnnoiseFrame);
  const voice = new Float32Array(1);

  /** @param end of the sound, samples */
  const step = (emit: EmitPlanes, end: number): void => {
    const at = (heard - delayFrames) * rnnoiseFrame;
    const planes = each.map(({ rnnoise, guard }, channel) => {
      const samples = input.read(channel, heard * rnnoiseFrame, (heard + 1) * rnnoiseFrame);
      rnnoise.process(samples, 1, out, voice);
      if (at < 0) return samples;
      const result = out.slice();
      guard(input.read(channel, at, at + rnnoiseFrame), result, voice[0] as number);
      return result;
    });
    const frames = Math.min(rnnoiseFrame, end - at);
    if (at < 0 || frames <= 0) return;
    input.discard(at + rnnoiseFrame);
    emit(
      planes.map((plane) => plane.subarray(0, frames)),
      frames,
    );
  };

  return {
    push(planes, frames, emit) {
      input.append(planes, frames);
      for (; (heard + 1) * rnnoiseFrame <= input.end; heard += 1) step(emit, Number.POSITIVE_INFINITY);
      return Promise.resolve();
    },
    flush(emit) {
      const { end } = input;
      for (; (heard - delayFrames) * rnnoiseFrame < end; heard += 1) step(emit, end);
      return Promise.resolve();
    },
  };
}
