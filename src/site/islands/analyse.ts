// Looks at a result: its sound, to draw and to measure it, or its words. Loaded by a tool's page with the result.
export { draw } from '../waveform.ts';
import { ask } from '../account/requests.ts';
import { directionOf } from '../direction.ts';
import { type Measured, measure } from '../loudness.ts';
import { type Peaks, peaksOf } from '../peaks.ts';

export interface Analysed {
  readonly peaks: Peaks;
  /** null: too long to be measured here. */
  readonly measured: Measured | null;
}

/** A sound that the service has. */
export interface Heard {
  readonly url: string;
  readonly bytes: number;
  /** Address of its peaks, for a file of the account; null: there are none. */
  readonly peaks: string | null;
}

/** Decoding takes 8 bytes a sample and channel of memory: longer ones are only played. */
const mostBytes = 60_000_000;
const mostSeconds = 20 * 60;
const bins = 1600;

/** @returns null when it cannot be drawn */
export async function analyse(sound: Blob | Heard): Promise<Analysed | null> {
  if (sound instanceof Blob) return decode(sound);
  const { url, bytes, peaks } = sound;
  const decoded = bytes > mostBytes ? null : await decode(await (await fetch(url)).blob());
  if (decoded !== null || peaks === null) return decoded;
  const made = await peaksOfService(peaks);
  return made === null ? null : { peaks: made, measured: null };
}

/** null when it is too large, or the browser does not support the codec. */
async function decode(bytes: Blob): Promise<Analysed | null> {
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

interface ServicePeaks {
  readonly status: 'processing' | 'ready' | 'none';
  readonly levels: readonly { readonly perSecond: number; readonly count: number }[];
  readonly bins: { readonly data: string } | null;
}

/** Most bins of one answer. */
const window = 16_384;

/** The coarsest level of the service's peaks. null: there is no sound. */
async function peaksOfService(url: string): Promise<Peaks | null> {
  const look = (query: string): Promise<ServicePeaks> => ask<ServicePeaks>(`${url}?${query}`);
  let found = await look('wait=20');
  while (found.status === 'processing') found = await look('wait=40');
  const [coarsest] = found.levels;
  if (found.status === 'none' || coarsest === undefined) return null;
  const peaks = new Float32Array(2 * coarsest.count);
  for (let first = 0; first < coarsest.count; first += window) {
    const answer = await look(`level=${coarsest.perSecond}&first=${first}&count=${window}`);
    const bytes = Int8Array.from(atob(answer.bins?.data ?? ''), (letter) => letter.charCodeAt(0));
    for (const [at, value] of bytes.entries()) peaks[2 * first + at] = value / 127;
  }
  return peaks;
}

/** A transcript as it is read. */
export interface Written {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly sentences: readonly {
    readonly startSeconds: number;
    readonly speaker: number | null;
    readonly text: string;
  }[];
}

const mostTextBytes = 20_000_000;

/** null: it is another kind of JSON, too large to be read here, or empty. */
export async function readTranscript(url: string, bytes: number): Promise<Written | null> {
  if (bytes > mostTextBytes) return null;
  const { format, ...found } = await ask<Omit<Written, 'direction'> & { readonly format?: string }>(url);
  if (format !== 'earshot-transcript' || found.sentences.length === 0) return null;
  return { ...found, direction: directionOf(found.sentences.slice(0, 50).map(({ text }) => text)) };
}
