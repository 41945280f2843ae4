import { throwIfAborted } from '../core/abort.ts';
import { createProgressMeter, type OnProgress } from '../core/progress/progress.ts';
import type { MediaFacts } from '../media/facts.ts';
import { openAudio } from '../media/read/decode.ts';
import { discard, drive } from '../media/read/drive.ts';
import { probe } from '../media/read/probe.ts';
import type { Analyser } from '../pcm/stage.ts';
import { meterPeaks, type WaveformPeaks } from './meter-peaks.ts';

/** Options for reading a file's peaks. */
export interface PeaksOptions {
  /** Aborts the reading; its promise rejects with an AbortError. Default: none. */
  readonly signal?: AbortSignal;
  /** Called with the share of the file that is read, 0 to 1. Default: none. */
  readonly onProgress?: OnProgress;
}

/**
 * Reads a file's sound once, in constant memory, for all analysers together.
 * @param analysersFor makes them; it gets the length that the file declares, in frames, null where it declares none
 * @throws EarshotError as `probe`, and no_audio; AbortError
 */
export async function readOnce<Analysers extends readonly (Analyser<unknown> | undefined)[]>(
  facts: MediaFacts,
  analysersFor: (expectedFrames: number | null) => Analysers,
  { signal, onProgress }: PeaksOptions,
): Promise<Analysers> {
  throwIfAborted(signal);
  const source = openAudio(facts);
  try {
    const analysers = analysersFor(source.expectedFrames);
    const meter = createProgressMeter();
    const wanted = analysers.filter((each) => each !== undefined);
    await drive(source, wanted, discard, {
      signal,
      onProgress: (fraction) => onProgress?.(meter(fraction, 'drawing')),
    });
    return analysers;
  } finally {
    source.close();
  }
}

/**
 * Waveform peaks of a media file's sound, all channels together, in one decoding pass and constant memory apart from
 * the bins (3.3 MB per hour).
 * @throws EarshotError as `probe`, and no_audio; AbortError
 */
export async function peaks(path: string, options: PeaksOptions = {}): Promise<WaveformPeaks> {
  const [meter] = await readOnce(probe(path), (expectedFrames) => [meterPeaks(expectedFrames)] as const, options);
  return meter.result();
}
