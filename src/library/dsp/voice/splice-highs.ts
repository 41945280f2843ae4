import type { AudioBlock } from '../../pcm/block.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import { overlapHz } from './extend-bandwidth.ts';
import { binOf, bins, binHz, type SpectrumFrame, spectralStage } from './spectral-stage.ts';

/** An externally restored voice: mono at 48 kHz, in step with the stage's input. */
export interface RestoredVoice {
  /** The next `frames` samples; silence after its end. */
  read(frames: number): Float32Array;
  close(): void;
}

export interface SpliceOptions {
  readonly restored: RestoredVoice;
  /** Highest frequency with real sound of the voice, Hz, 2800 or more. */
  readonly cutoffHz: number;
}

/** Share of the last level that is kept per frame of 5.3 ms: about 0.25 s. */
const memory = 0.98;
/**
 * Greatest gain of the restored voice to match the real one, whose balance may have been raised: too much is worse than
 * too little.
 */
const mostGain = 2;

const powerOf = ({ re, im }: SpectrumFrame, from: number, to: number): number => {
  let sum = 0;
  for (let bin = from; bin < to; bin += 1) sum += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
  return sum;
};

/**
 * Takes a voice's highs from a restored copy: below the cut-off the real sound passes unchanged, above it the copy,
 * with a gain in each channel that matches the real sound in the octave below the cut-off. 48 kHz. Closes `restored`.
 */
export function spliceHighs({ restored, cutoffHz }: SpliceOptions): Stage {
  const [low, start] = [binOf(cutoffHz / 2), binOf(cutoffHz - overlapHz)];
  const weights = Float64Array.from({ length: bins }, (_, bin) =>
    Math.min(1, Math.max(0, (bin * binHz - cutoffHz + overlapHz) / overlapHz)),
  );
  let channels = 1;

  const inner = spectralStage({
    begin(planes) {
      const own = new Float64Array(planes - 1).fill(1e-12);
      let copied = 1e-12;
      return (spectra) => {
        const copy = spectra[planes - 1] as SpectrumFrame;
        copied = memory * copied + (1 - memory) * powerOf(copy, low, start);
        for (let channel = 0; channel < planes - 1; channel += 1) {
          const voice = spectra[channel] as SpectrumFrame;
          own[channel] = memory * (own[channel] as number) + (1 - memory) * powerOf(voice, low, start);
          const gain = Math.min(mostGain, Math.sqrt((own[channel] as number) / copied));
          for (let bin = start; bin < bins; bin += 1) {
            const weight = weights[bin] as number;
            voice.re[bin] = (voice.re[bin] as number) * (1 - weight) + (copy.re[bin] as number) * gain * weight;
            voice.im[bin] = (voice.im[bin] as number) * (1 - weight) + (copy.im[bin] as number) * gain * weight;
          }
        }
        // Not written back.
        copy.re.fill(0);
        copy.im.fill(0);
      };
    },
  });
  const ownOnly =
    (emit: Emit): Emit =>
    ({ planes, frames }) =>
      emit({ planes: planes.slice(0, channels), frames });

  return {
    latencyFrames: inner.latencyFrames,
    open(format) {
      ({ channels } = format);
      inner.open({ ...format, channels: channels + 1 });
      return format;
    },
    process: ({ planes, frames }: AudioBlock, emit) =>
      inner.process({ planes: [...planes, restored.read(frames)], frames }, ownOnly(emit)),
    flush: (emit) => inner.flush(ownOnly(emit)),
    close() {
      inner.close();
      restored.close();
    },
  };
}
