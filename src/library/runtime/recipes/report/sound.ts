import { EarshotError } from '../../../core/errors/errors.ts';
import { meterLevels, type LevelReading } from '../../../dsp/loudness/level-meter.ts';
import { meterLoudness, type LoudnessReading } from '../../../dsp/loudness/loudness-meter.ts';
import { probe } from '../../../media/read/probe.ts';
import type { MediaFacts } from '../../../media/facts.ts';
import { meterOutline, type Outline } from '../../../waveform/outline.ts';
import { readOnce } from '../../../waveform/peaks.ts';
import { renderSpectrogram } from '../../../waveform/render-spectrogram.ts';
import { meterSpectrogram } from '../../../waveform/spectrogram.ts';

/** What a report shows of a recording. */
export interface ReportedSound {
  /** Its name, without folder. */
  readonly name: string;
  readonly facts: MediaFacts;
  readonly seconds: number;
  readonly outline: Outline;
  readonly loudness: LoudnessReading;
  readonly levels: LevelReading;
  /** A WebP without axes; null where sharp is not installed. */
  readonly spectrogram: Buffer | null;
}

/** Pixels of the pictures; their heights on the page are given there. */
const spectrogramSize = { width: 1000, height: 256 } as const;
/** The frequency axis of all reports, Hz: what is heard, also where one of two files has fewer highs. */
export const frequencies = { lowHz: 50, highHz: 20_000 } as const;
/** The levels of all spectrograms, dB. */
export const heat = { topDb: -10, rangeDb: 90 } as const;
/** As photographs on web pages: a tenth of the size without losses. */
const webpQuality = 82;

/** Reads a recording once. null: it has no sound. @throws EarshotError as `probe`; AbortError */
export async function readSound(
  path: string,
  name: string,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<ReportedSound | null> {
  const facts = probe(path);
  if (!facts.hasAudio) return null;
  const { width } = spectrogramSize;
  const [outline, shown, loudness, levels] = await readOnce(
    facts,
    (expectedFrames) =>
      [meterOutline(), meterSpectrogram({ width, expectedFrames }), meterLoudness(), meterLevels()] as const,
    { signal, onProgress: ({ progress }) => onProgress(progress) },
  );
  const drawn = outline.result();
  return {
    name,
    facts,
    seconds: drawn.frames / drawn.sampleRate,
    outline: drawn,
    loudness: loudness.result(),
    levels: levels.result(),
    spectrogram: await picture(shown.result(), drawn.sampleRate),
  };
}

/** Frequencies that the recording does not have stay dark. */
async function picture(shown: Parameters<typeof renderSpectrogram>[0], sampleRate: number): Promise<Buffer | null> {
  const highHz = Math.min(frequencies.highHz, sampleRate / 2);
  const height = Math.max(16, Math.round(spectrogramSize.height * heightShare(sampleRate)));
  const look = { ...frequencies, ...heat, highHz, height, width: spectrogramSize.width, axis: false };
  try {
    return await renderSpectrogram(shown, { ...look, format: 'webp' }, webpQuality);
  } catch (thrown) {
    if (EarshotError.from(thrown).code === 'tool_unavailable') return null;
    throw thrown;
  }
}

/** How much of the axis's height a recording of this rate fills. */
export const heightShare = (sampleRate: number): number =>
  shareOf(Math.min(frequencies.highHz, Math.max(2 * frequencies.lowHz, sampleRate / 2)));

/** Where a frequency is on the axis, from its bottom, 0 to 1. */
export const shareOf = (hertz: number): number =>
  Math.log(hertz / frequencies.lowHz) / Math.log(frequencies.highHz / frequencies.lowHz);
