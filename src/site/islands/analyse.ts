// Looks at a result: its sound, to draw and to measure it, or its words. Loaded by a tool's page with the result.
export { draw } from '../waveform.ts';
import { ask } from '../account/requests.ts';
import { directionOf } from '../direction.ts';
import { measure } from '../loudness.ts';
import { type Peaks, peaksOf } from '../peaks.ts';
import type { Analysed } from '../bench-data.ts';

/** A sound that the service has. */
export interface Heard {
  readonly url: string;
  readonly bytes: number;
  /** Address of its peaks, for a file of the account; null: there are none. */
  readonly peaks: string | null;
}

/** Decoding takes 8 bytes a sample and channel of memory: longer ones are only played. */
export const mostBytes = 60_000_000;
const mostSeconds = 20 * 60;
export const bins = 1600;

/** @param stretch only so many seconds from the start, null: all of it. @returns null when it cannot be drawn */
export async function analyse(sound: Blob | Heard, stretch: number | null): Promise<Analysed | null> {
  const { size, first, peaks } = sourceOf(sound);
  const whole = async (): Promise<Analysed | null> => (size > mostBytes ? null : decode(await first(size), stretch));
  const wanted = stretch === null ? size : await bytesOf(sound, size, stretch);
  const part = wanted < size && wanted <= mostBytes ? await decode(await first(wanted), stretch) : null;
  // The bytes of the stretch were too few: a container that is read from its end, an uneven bit rate.
  const isShort = part === null || (part.measured?.seconds ?? 0) < (stretch ?? 0) - 0.05;
  const decoded = isShort ? await whole() : part;
  if (decoded !== null || peaks === null) return decoded;
  const made = await peaksOfService(peaks, stretch);
  return made === null ? null : { peaks: made, measured: null };
}

interface Bytes {
  readonly size: number;
  readonly peaks: string | null;
  first(bytes: number): Promise<Blob>;
}

const sourceOf = (sound: Blob | Heard): Bytes =>
  sound instanceof Blob
    ? { size: sound.size, peaks: null, first: async (bytes) => sound.slice(0, bytes) }
    : {
        size: sound.bytes,
        peaks: sound.peaks,
        async first(bytes) {
          const headers = { range: `bytes=0-${bytes - 1}` };
          return (await fetch(sound.url, bytes < sound.bytes ? { headers } : {})).blob();
        },
      };

/** About the bytes of a stretch, by its share of the length that the browser's player finds. */
async function bytesOf(sound: Blob | Heard, size: number, stretch: number): Promise<number> {
  const url = sound instanceof Blob ? URL.createObjectURL(sound) : sound.url;
  const seconds = await secondsOf(url);
  if (sound instanceof Blob) URL.revokeObjectURL(url);
  return seconds !== null && seconds > stretch
    ? Math.min(size, Math.ceil(((size * stretch) / seconds) * 1.1) + 500_000)
    : size;
}

/** The length that the browser's player finds; null: it finds none. */
export async function secondsOf(url: string): Promise<number | null> {
  const element = new Audio();
  element.preload = 'metadata';
  const seconds = await new Promise<number>((resolve) => {
    element.addEventListener('loadedmetadata', () => resolve(element.duration));
    element.addEventListener('error', () => resolve(Number.NaN));
    // Some browsers load nothing before a person has pressed something.
    setTimeout(() => resolve(Number.NaN), 5000);
    element.src = url;
  });
  element.removeAttribute('src');
  return Number.isFinite(seconds) ? seconds : null;
}

/** null when the browser does not support the codec, or it is too long. */
async function decode(bytes: Blob, stretch: number | null): Promise<Analysed | null> {
  const context = new OfflineAudioContext(1, 1, 48_000);
  let sound: AudioBuffer;
  try {
    sound = await context.decodeAudioData(await bytes.arrayBuffer());
  } catch {
    return null;
  }
  const frames = stretch === null ? sound.length : Math.min(sound.length, Math.round(stretch * sound.sampleRate));
  if (frames > mostSeconds * sound.sampleRate) return null;
  const channels = Array.from({ length: sound.numberOfChannels }, (_, index) =>
    sound.getChannelData(index).subarray(0, frames),
  );
  return { peaks: peaksOf(channels, bins), measured: measure(channels, sound.sampleRate) };
}

interface ServicePeaks {
  readonly status: 'processing' | 'ready' | 'none';
  readonly levels: readonly { readonly perSecond: number; readonly count: number }[];
  readonly bins: { readonly data: string } | null;
}

/** Most bins of one answer. */
const window = 16_384;

/** The coarsest level of the service's peaks, of a stretch. null: there is no sound. */
async function peaksOfService(url: string, stretch: number | null): Promise<Peaks | null> {
  const look = (query: string): Promise<ServicePeaks> => ask<ServicePeaks>(`${url}?${query}`);
  let found = await look('wait=20');
  while (found.status === 'processing') found = await look('wait=40');
  const [coarsest] = found.levels;
  if (found.status === 'none' || coarsest === undefined) return null;
  const count = Math.min(coarsest.count, Math.ceil((stretch ?? Infinity) * coarsest.perSecond));
  const peaks = new Float32Array(2 * count);
  for (let first = 0; first < count; first += window) {
    const answer = await look(`level=${coarsest.perSecond}&first=${first}&count=${Math.min(window, count - first)}`);
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
