// A video that gives its picture: opened, probed, its pictures indexed, and read once more from its start.
import type { Stream } from 'node-av/lib';
import { EarshotError } from '../../core/errors/errors.ts';
import type { MediaFacts } from '../facts.ts';
import { chooseAudioStream, isVideoStream, openInput, type OpenedInput, zeroOf } from '../ffmpeg/ffmpeg.ts';
import { indexPictures, type PictureIndex } from './picture-index.ts';
import type { ToSeconds } from './plan.ts';

export interface PictureSource {
  readonly path: string;
  /** Read to its end; closed by the caller. */
  readonly input: OpenedInput;
  readonly facts: MediaFacts;
  /** The picture; readable while `input` is open. */
  readonly stream: Stream;
  readonly streamIndex: number;
  /** The sound that players choose, or null; readable while `input` is open. */
  readonly sound: Stream | null;
  readonly index: PictureIndex;
  /** Seconds per tick of the picture's timestamps, as a ratio. */
  readonly timeBase: { readonly num: number; readonly den: number };
  /** Pictures per second, as a ratio. */
  readonly rate: { readonly num: number; readonly den: number };
  /** Usual time between pictures. */
  readonly frameSeconds: number;
  /** The file's zero on the timestamps' clock. */
  readonly zeroSeconds: number;
}

/** Where the file states no rate. */
const usualFrameSeconds = 0.04;

/**
 * Opens a file and indexes its pictures.
 * @param expected what the message says for a file without a picture
 * @throws EarshotError as `probe`, and bad_request when there is no picture; AbortError
 */
export async function openPictureSource(
  facts: MediaFacts,
  expected: string,
  signal: AbortSignal | undefined,
): Promise<PictureSource> {
  const { path } = facts;
  const input = openInput(path);
  try {
    const stream = input.streams.find(isVideoStream);
    if (!stream) throw new EarshotError('bad_request', `Expected ${expected} but the file has no moving picture`);
    const { num, den } = stream.avgFrameRate.num > 0 ? stream.avgFrameRate : stream.rFrameRate;
    return {
      path,
      input,
      facts,
      stream,
      streamIndex: stream.index,
      sound: chooseAudioStream(input.streams),
      index: await indexPictures(input, stream, signal),
      timeBase: { num: stream.timeBase.num, den: stream.timeBase.den },
      rate: { num, den },
      frameSeconds: num > 0 && den > 0 ? den / num : usualFrameSeconds,
      zeroSeconds: zeroOf(input.streams),
    };
  } catch (error) {
    input.close();
    throw error;
  }
}

/** Ticks of the picture to seconds from the file's zero. */
export function onFileClock({ timeBase: { num, den }, zeroSeconds }: PictureSource): ToSeconds {
  return (ticks) => (ticks * num) / den - zeroSeconds;
}

/** Opens the source again, at its start. */
export function reopen({ path, streamIndex }: PictureSource): { input: OpenedInput; stream: Stream } {
  const input = openInput(path);
  const stream = input.streams[streamIndex];
  if (stream) return { input, stream };
  input.close();
  throw new EarshotError('file_invalid', 'The file changed while it was read');
}
