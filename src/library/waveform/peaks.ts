import { throwIfAborted } from '../core/abort.ts';
import { createProgressMeter, type OnProgress } from '../core/progress.ts';
import { createPeaks, type PeakLevel } from '../kernels/peaks.ts';
import { openAudio } from '../media/read/decode.ts';
import { drive } from '../media/read/drive.ts';

/** The lowest and highest samples of a file in bins of equal length, at several resolutions. */
export interface WaveformPeaks {
  /** Length of the decoded sound, seconds. */
  readonly durationSeconds: number;
  /** Loudest sample, 0 to 1. */
  readonly peak: number;
  /**
   * 500, 50 and 5 bins a second; `data` holds `count` pairs of signed bytes, minimum then maximum, 127 is full scale.
   */
  readonly levels: readonly PeakLevel[];
}

/** Options for reading a file's peaks. */
export interface PeaksOptions {
  /** Aborts the reading; its promise rejects with an AbortError. Default: none. */
  readonly signal?: AbortSignal;
  /** Called with the share of the file that is read, 0 to 1. Default: none. */
  readonly onProgress?: OnProgress;
}

/**
 * Waveform peaks of a media file's sound, all channels together, in one decoding pass and constant memory apart from
 * the bins (3.3 MB per hour).
 * @throws EarshotError as `probe`, and no_audio; AbortError
 */
export async function peaks(path: string, options: PeaksOptions = {}): Promise<WaveformPeaks> {
  throwIfAborted(options.signal);
  const source = openAudio(path);
  try {
    const { sampleRate, channels } = source.format;
    const kernel = createPeaks({
      sampleRate,
      channels,
      ...(source.expectedFrames === null ? {} : { expectedFrames: source.expectedFrames }),
    });
    const meter = createProgressMeter();
    const frames = await drive(source, [], (block) => kernel.push(block.planes, block.frames), {
      signal: options.signal,
      onProgress: (fraction) => options.onProgress?.(meter(fraction, 'drawing')),
    });
    return { durationSeconds: frames / sampleRate, ...kernel.finish() };
  } finally {
    source.close();
  }
}
