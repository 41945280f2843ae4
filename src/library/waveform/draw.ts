import { probe } from '../media/read/probe.ts';
import { meterOutline } from './outline.ts';
import { meterPeaks, type WaveformPeaks } from './meter-peaks.ts';
import { readOnce, type PeaksOptions } from './peaks.ts';
import { checkWaveformOptions, renderOutline, type WaveformPictureOptions } from './render.ts';
import {
  checkSpectrogramOptions,
  renderSpectrogram,
  spectrogramSize,
  type SpectrogramOptions,
} from './render-spectrogram.ts';
import { meterSpectrogram } from './spectrogram.ts';

/** How a waveform is drawn, and how its file is read. */
export interface DrawWaveformOptions extends WaveformPictureOptions, PeaksOptions {}

/** How a spectrogram is drawn, and how its file is read. */
export interface DrawSpectrogramOptions extends SpectrogramOptions, PeaksOptions {}

/** What is drawn of a file, each left out where it is not wanted, and how the file is read. */
interface DrawAllOptions extends PeaksOptions {
  readonly waveform?: WaveformPictureOptions;
  readonly spectrogram?: SpectrogramOptions;
}

/** Peaks and pictures of a file in one decoding pass. @throws EarshotError as `drawWaveform` and `drawSpectrogram` */
export async function drawAll(
  path: string,
  { waveform, spectrogram, ...control }: DrawAllOptions,
): Promise<{ readonly peaks: WaveformPeaks; readonly waveform?: Buffer; readonly spectrogram?: Buffer }> {
  if (waveform) checkWaveformOptions(waveform);
  if (spectrogram) checkSpectrogramOptions(spectrogram);
  const outline = waveform && meterOutline();
  const size = spectrogram && spectrogramSize(spectrogram);
  const [peaks, heat] = await readOnce(
    probe(path),
    (expectedFrames) => {
      const bins = meterPeaks(expectedFrames);
      const { splitChannels = false } = spectrogram ?? {};
      const shown = size && meterSpectrogram({ width: size.width, expectedFrames, splitChannels });
      return [bins, shown, outline] as const;
    },
    control,
  );
  return {
    peaks: peaks.result(),
    ...(outline === undefined ? {} : { waveform: await renderOutline(outline.result(), waveform) }),
    ...(heat === undefined ? {} : { spectrogram: await renderSpectrogram(heat.result(), spectrogram) }),
  };
}

/**
 * Draws the waveform of a media file's sound: peaks around a body of root mean square, 1600 x 320 pixels unless told
 * otherwise, on a transparent background. One decoding pass; memory does not grow with the length. The same file gives
 * the same bytes.
 * @returns an encoded PNG or WebP
 * @throws EarshotError as `probe`, and no_audio; bad_request on a size or colour out of range; tool_unavailable where
 *   sharp is not installed; AbortError
 */
export async function drawWaveform(path: string, options: DrawWaveformOptions = {}): Promise<Buffer> {
  checkWaveformOptions(options);
  const outline = meterOutline();
  await readOnce(probe(path), () => [outline], options);
  return renderOutline(outline.result(), options);
}

/**
 * Draws the spectrogram of a media file's sound, 1600 x 640 pixels unless told otherwise: short-time Fourier transforms
 * of about 50 ms (Hann window), levels from 0 dB (a sine of full scale) to -100 dB. Where a pixel spans many
 * transforms, it shows the mean of their powers, and of several frequencies the strongest, so that a tone is seen at
 * any size. One decoding pass; memory does not grow with the length. The same file gives the same bytes.
 * @returns an encoded PNG or WebP
 * @throws EarshotError as `probe`, and no_audio; bad_request on a size, colour, level or frequency out of range;
 *   tool_unavailable where sharp is not installed; AbortError
 */
export async function drawSpectrogram(path: string, options: DrawSpectrogramOptions = {}): Promise<Buffer> {
  checkSpectrogramOptions(options);
  const { width } = spectrogramSize(options);
  const { splitChannels = false } = options;
  const [spectrogram] = await readOnce(
    probe(path),
    (expectedFrames) => [meterSpectrogram({ width, expectedFrames, splitChannels })] as const,
    options,
  );
  return renderSpectrogram(spectrogram.result(), options);
}
