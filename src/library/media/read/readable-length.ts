import { setImmediate as turn } from 'node:timers/promises';
import { avGetAudioFrameDuration2, Packet, type Stream } from 'node-av/lib';
import { AV_PKT_FLAG_DISCARD, AVDISCARD_ALL } from 'node-av/constants';
import { throwIfAborted } from '../../core/abort.ts';
import { chooseAudioStream, isVideoStream, noTimestamp, openInput, ticksToSeconds } from '../ffmpeg/ffmpeg.ts';
import { ownSecondsOf } from './packet-seconds.ts';
import { createSoundClock } from './sound-clock.ts';

/** Measures one stream by its packets. */
interface PacketMeter {
  readonly stream: Stream;
  add(packet: Packet): void;
  /** Where the stream begins by its clock, and how long it is; null when no packet tells. */
  result(): { readonly startSeconds: number; readonly seconds: number } | null;
}

function timeOf(packet: Packet): bigint {
  const { pts } = packet;
  return pts === noTimestamp ? packet.dts : pts;
}

/**
 * How much sound decoding will come to: the packets' own lengths in a row, with silence where the decoder would put it.
 * Timestamps alone would let a file lie: packets are decoded one behind the other, however close their times are.
 */
function meterSound(stream: Stream, demuxer: string, pictureSeconds: number): PacketMeter {
  const { codecpar, timeBase, startTime } = stream;
  const { sampleRate } = codecpar;
  const clock = createSoundClock(demuxer, sampleRate, pictureSeconds);
  const ownSeconds = ownSecondsOf(demuxer);
  const framesPerTick = (ticksToSeconds(1n, timeBase) ?? 0) * sampleRate;
  const startTicks = startTime === noTimestamp ? 0n : startTime;
  let position = 0;
  /** Silence before the first packet, which counts as sound; frames. */
  let lead = 0;
  let first: bigint | null = null;
  let end = 0n;
  let unknown = false;
  // There are millions of packets and few sizes.
  const framesBySize = new Map<number, number>();
  const codedFrames = (bytes: number): number => {
    let frames = framesBySize.get(bytes);
    if (frames === undefined) {
      frames = avGetAudioFrameDuration2(codecpar, bytes);
      framesBySize.set(bytes, frames);
    }
    return frames;
  };
  return {
    stream,
    add(packet) {
      const at = timeOf(packet);
      const { duration } = packet;
      // The packet's own word before the codec's, and that before the container's: it is what comes out of the decoder.
      const own = ownSeconds?.(packet) ?? null;
      const frames = own === null ? codedFrames(packet.size) || Number(duration) * framesPerTick : own * sampleRate;
      if (at !== noTimestamp) {
        if (at + duration > end) end = at + duration;
        if (clock.fillsGaps)
          position += clock.silenceBefore(Math.round(Number(at - startTicks) * framesPerTick), position);
        if (first === null) {
          first = at;
          lead = position;
        }
      }
      if (frames > 0) position += frames;
      else unknown = true;
    },
    result() {
      const startSeconds = (ticksToSeconds(first ?? startTicks, timeBase) ?? 0) - lead / sampleRate;
      // Where neither says how long a packet is, only their times are left.
      const byClock = first === null ? 0 : (ticksToSeconds(end - first, timeBase) ?? 0);
      const seconds = unknown ? Math.max(byClock, position / sampleRate) : position / sampleRate;
      return seconds > 0 ? { startSeconds, seconds } : null;
    },
  };
}

function meterPicture(stream: Stream): PacketMeter {
  let first: bigint | null = null;
  let end = 0n;
  return {
    stream,
    add(packet) {
      const at = timeOf(packet);
      if (at === noTimestamp) return;
      if (first === null || at < first) first = at;
      if (at + packet.duration > end) end = at + packet.duration;
    },
    result() {
      if (first === null) return null;
      const startSeconds = ticksToSeconds(first, stream.timeBase);
      const seconds = ticksToSeconds(end - first, stream.timeBase);
      return startSeconds === null || seconds === null ? null : { startSeconds, seconds };
    },
  };
}

/** What a file's packets come to. */
export interface ReadableLength {
  /** From the beginning of whichever of sound and picture begins first to the end of the one that ends last. */
  readonly seconds: number;
  /** Where the picture ends, seconds from the first sample of sound; null without sound or without a picture. */
  readonly pictureEndSeconds: number | null;
}

/**
 * How long a file's sound and picture really are, by reading all of its packets without decoding them: headers lie, and
 * files end early. About 1 GB/s for FLAC, 3 GB/s for WAV from memory. Null when no packet tells.
 * @throws EarshotError as `probe`; AbortError
 */
export const readableLength = (path: string, signal?: AbortSignal): Promise<ReadableLength | null> =>
  measurePackets(path, ['sound', 'picture'], signal);

/** The same as seconds alone. */
export const readableSeconds = async (path: string, options: { signal?: AbortSignal } = {}): Promise<number | null> =>
  (await readableLength(path, options.signal))?.seconds ?? null;

/**
 * The same of the picture alone, for recordings that were cut off or never ended (live Matroska) and do not say how
 * long they are.
 * @throws EarshotError as `probe`; AbortError
 */
export const readablePictureSeconds = async (
  path: string,
  options: { signal?: AbortSignal } = {},
): Promise<number | null> => (await measurePackets(path, ['picture'], options.signal))?.seconds ?? null;

async function measurePackets(
  path: string,
  wanted: readonly ('sound' | 'picture')[],
  signal: AbortSignal | undefined,
): Promise<ReadableLength | null> {
  const input = openInput(path);
  const packet = new Packet();
  packet.alloc();
  try {
    const demuxer = input.context.iformat?.name ?? '';
    const sound = wanted.includes('sound') ? chooseAudioStream(input.streams) : null;
    const picture = input.streams.find(isVideoStream);
    // The decoder's clock knows of the picture what the header says.
    const pictureSeconds = picture ? (ticksToSeconds(picture.duration, picture.timeBase) ?? 0) : 0;
    const meters = [
      ...(sound ? [meterSound(sound, demuxer, pictureSeconds)] : []),
      ...(picture ? [meterPicture(picture)] : []),
    ];
    const byIndex = new Map(meters.map((meter) => [meter.stream.index, meter]));
    for (const other of input.streams) if (!byIndex.has(other.index)) other.discard = AVDISCARD_ALL;
    for (let count = 1; input.context.readFrameSync(packet) >= 0; count += 1) {
      const meter = byIndex.get(packet.streamIndex);
      // What an edit list leaves out is decoded for what follows it, and thrown away.
      if (meter && (packet.flags & AV_PKT_FLAG_DISCARD) === 0) meter.add(packet);
      packet.unref();
      if (count % 1024 === 0) {
        await turn();
        throwIfAborted(signal);
      }
    }
    const results = meters.map((meter) => meter.result()).filter((result) => result !== null);
    if (results.length === 0) return null;
    const start = Math.min(...results.map(({ startSeconds }) => startSeconds));
    const resultOf = (stream: Stream | null | undefined): ReturnType<PacketMeter['result']> =>
      (stream && byIndex.get(stream.index)?.result()) ?? null;
    const [heard, seen] = [resultOf(sound), resultOf(picture)];
    return {
      seconds: Math.max(...results.map(({ startSeconds, seconds }) => startSeconds - start + seconds)),
      pictureEndSeconds: heard && seen ? seen.startSeconds + seen.seconds - heard.startSeconds : null,
    };
  } finally {
    packet.free();
    input.close();
  }
}
