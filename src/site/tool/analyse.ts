// Decodes sound in the browser, to draw and to measure it.
import { type Measured, measure } from '../loudness.ts';
import { type Peaks, peaksOf } from '../peaks.ts';

export interface Analysed {
  readonly peaks: Peaks;
  readonly measured: Measured;
}

/** Decoding takes 8 bytes a sample and channel of memory: longer ones are only played. */
const mostBytes = 60_000_000;
const mostSeconds = 20 * 60;
const bins = 1600;

/** null when it is too large, or the browser does not support the codec. */
export async function analyse(bytes: Blob): Promise<Analysed | null> {
  if (bytes.size > mostBytes) return null;
  const context = new OfflineAudioContext(1, 1, 48_000);
  let sound: AudioBuffer;
  try {
    sound = await context.decodeAudioData(await bytes.arrayBuffer());
  } catch {
    return null;
  }
  if (sound.duration > mostSeconds) return null;
  const channels = Array.from({ length: sound.numberOfChannels }, (_, index) => sound.getChannelData(index));
  return { peaks: peaksOf(channels, bins), measured: measure(channels, sound.sampleRate) };
}
