import { setImmediate as turn } from 'node:timers/promises';
import { Packet, type Stream } from 'node-av/lib';
import { AVDISCARD_ALL } from 'node-av/constants';
import { throwIfAborted } from '../../core/abort.ts';
import { openAudio } from './decode.ts';
import type { MediaFacts } from '../facts.ts';
import { chooseAudioStream, isVideoStream, noTimestamp, openInput, ticksToSeconds } from '../ffmpeg/ffmpeg.ts';

export interface Length {
  readonly frames: number;
  readonly facts: MediaFacts;
}

/** Formats whose header counts frames of sound that is coded without loss, so that decoding finds as many. */
const countedFormats = new Set(['wav', 'flac']);

/**
 * Number of frames that a file's header counts; null where headers of its kind round or estimate. True of every sound
 * file, but a file may be cut off or lie: whoever relies on it must see what reading it comes to.
 * @throws EarshotError as `openAudio`
 */
export function declaredLength(path: string): Length | null {
  const { expectedFrames, facts, close } = openAudio(path);
  close();
  if (
    expectedFrames === null ||
    expectedFrames === 0 ||
    !countedFormats.has(facts.format) ||
    facts.audio?.bitsPerSample === null
  )
    return null;
  return { frames: expectedFrames, facts };
}

/**
 * Exact number of frames in a file's sound, by decoding it once: containers round, estimate or lie.
 * Costs what decoding costs; memory is constant.
 */
export async function countFrames(
  path: string,
  options: { signal?: AbortSignal; onProgress?: (fraction: number) => void } = {},
): Promise<Length> {
  const source = openAudio(path);
  try {
    let frames = 0;
    for (let block = source.next(); block; block = source.next()) {
      frames += block.frames;
      options.onProgress?.(source.expectedFrames ? Math.min(1, frames / source.expectedFrames) : 0);
      await turn();
      throwIfAborted(options.signal);
    }
    return { frames, facts: source.facts };
  } finally {
    source.close();
  }
}

/**
 * Formats without a length in the header, or with one that may be missing: FFmpeg then guesses by the bit rate of the
 * first packets.
 */
const guessedFormats = new Set(['mp3', 'aac', 'ac3', 'eac3', 'dts', 'amr', 'gsm', 'mpc', 'h264', 'hevc', 'm4v']);

export const isGuessed = ({ format, durationSeconds }: MediaFacts): boolean =>
  durationSeconds === null || guessedFormats.has(format);

/**
 * Length of a file's sound (of its picture where there is none) by the clock of its packets, without decoding: about
 * 0.35 s for an hour of MP3. Null when no packet tells.
 * @throws EarshotError as `probe`; AbortError
 */
export const secondsByPackets = (path: string, options: { signal?: AbortSignal } = {}): Promise<number | null> =>
  measurePackets(path, (streams) => chooseAudioStream(streams) ?? streams.find(isVideoStream), options.signal);

/**
 * Length of a file's picture by the clock of its packets, for recordings that were cut off or never ended (live
 * Matroska) and do not say how long they are. Null when no packet tells.
 * @throws EarshotError as `probe`; AbortError
 */
export const pictureSecondsByPackets = (path: string, signal?: AbortSignal): Promise<number | null> =>
  measurePackets(path, (streams) => streams.find(isVideoStream), signal);

async function measurePackets(
  path: string,
  choose: (streams: readonly Stream[]) => Stream | undefined,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const input = openInput(path);
  const packet = new Packet();
  packet.alloc();
  try {
    const stream = choose(input.streams);
    if (!stream) return null;
    for (const other of input.streams) if (other !== stream) other.discard = AVDISCARD_ALL;
    const { index, timeBase } = stream;
    let first: bigint | null = null;
    let end = 0n;
    for (let count = 1; input.context.readFrameSync(packet) >= 0; count += 1) {
      const at = packet.pts === noTimestamp ? packet.dts : packet.pts;
      if (packet.streamIndex === index && at !== noTimestamp) {
        first ??= at;
        if (at + packet.duration > end) end = at + packet.duration;
      }
      packet.unref();
      if (count % 1024 === 0) {
        await turn();
        throwIfAborted(signal);
      }
    }
    return first === null ? null : ticksToSeconds(end - first, timeBase);
  } finally {
    packet.free();
    input.close();
  }
}
