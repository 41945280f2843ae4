import { nativeKernels } from './load.ts';

export interface LogMel {
  readonly bands: number;
  /**
   * Spectra of a sound at 16 kHz, 100 per second, frame t centred at 160 t; silence after the end of the sound.
   * @param samples those beyond 160 `frames` are ignored
   * @returns [bands][frames], about -1 to 1.5: decimal logarithm of power, the upper 80 dB, (x + 4) / 4
   */
  process(samples: Float32Array, frames: number): Float32Array<ArrayBuffer>;
}

/**
 * Log-mel spectra as Whisper's input (Radford et al. 2022; Slaney's mel bands with equal areas), equal to OpenAI's
 * within 1e-4.
 * @param bands 1 to 256: Whisper has 80, since large-v3 128
 * @throws TypeError on a bad number of bands
 */
export function createLogMel(bands: number): LogMel {
  const native = nativeKernels();
  const handle = native.logMelCreate(bands);
  return {
    bands,
    process(samples, frames) {
      const out = new Float32Array(bands * frames);
      native.logMelProcess(handle, samples, frames, out);
      return out;
    },
  };
}
