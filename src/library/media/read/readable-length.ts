import { setImmediate as turn } from 'node:timers/promises';
import { avGetAudioFrameDuration2, Packet, type Stream } from 'node-av/lib';
import { AV_PKT_FLAG_CORRUPT, AV_PKT_FLAG_DISCARD, AVDISCARD_ALL } from 'node-av/constants';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { chooseAudioStream, isVideoStream, openInput, type OpenedInput, zeroOf } from '../ffmpeg/ffmpeg.ts';
import { ownSecondsOf } from '../ffmpeg/packet-seconds.ts';
import { noTimestamp, ticksToSeconds } from '../ffmpeg/ticks.ts';
import { createSoundClock } from './sound-clock.ts';
import { statedSeconds } from './truncation.ts';

/** Measures one stream by its packets. */
interface PacketMeter {
  readonly stream: Stream;
  /** @param lost were packets before it lost? */
  add(packet: Packet, lost: boolean): void;
  /**
   * The stream's start on its clock, and its length; null when no packet states it.
   * @param zero of the file, on the same clock
   */
  result(zero: number): { readonly startSeconds: number; readonly seconds: number } | null;
}

const isCorrupt = ({ flags }: Packet): boolean => (flags & AV_PKT_FLAG_CORRUPT) !== 0;

function timeOf(packet: Packet): bigint {
  const { pts } = packet;
  return pts === noTimestamp ? packet.dts : pts;
}

/**
 * The length that decoding will give: the sum of the packets' own lengths, with silence where the decoder would insert
 * it. Timestamps alone could be wrong: packets are decoded one after the other, however close their times are.
 */
function meterSound(stream: Stream, demuxer: string, pictureSeconds: number): PacketMeter {
  const { codecpar, timeBase, startTime, duration } = stream;
  const { sampleRate } = codecpar;
  const clock = createSoundClock(demuxer, sampleRate, pictureSeconds);
  const ownSeconds = ownSecondsOf(demuxer);
  const framesPerTick = (ticksToSeconds(1n, timeBase) ?? 0) * sampleRate;
  const startTicks = startTime === noTimestamp ? 0n : startTime;
  let position = 0;
  /** Silence before the first packet counts as sound; frames. */
  let lead = 0;
  let first: bigint | null = null;
  let begin: bigint | null = null;
  let end = 0n;
  let unknown = false;
  let lastFrames = 0;
  /**
   * Of a last packet that is longer or shorter than the one before it: bytes that look like one, and decode to none.
   */
  let otherFrames = 0;
  /** Does the file end within the last packet? Then no decoder gives it (TTA: a second). */
  let endsCut = false;
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
    add(packet, lost) {
      const at = timeOf(packet);
      const { duration: packetTicks } = packet;
      // The packet's own length, then the codec's, then the container's: the first is what the decoder outputs.
      const own = ownSeconds?.(packet) ?? null;
      const frames = own === null ? codedFrames(packet.size) || Number(packetTicks) * framesPerTick : own * sampleRate;
      if (at !== noTimestamp) {
        if (at + packetTicks > end) end = at + packetTicks;
        // Where the first sound is lost, the clock has begun before.
        begin ??= lost ? 0n : at;
        const zero = clock.beginsWithSound ? begin : startTicks;
        if (clock.fillsGaps || lost)
          position += clock.silenceBefore(Math.round(Number(at - zero) * framesPerTick), position, lost);
        if (first === null) {
          first = at;
          lead = position;
        }
      }
      if (frames > 0) position += frames;
      else unknown = true;
      otherFrames = own !== null && lastFrames > 0 && frames !== lastFrames ? frames : 0;
      lastFrames = frames;
      // Half the bytes of plain samples are half of them.
      endsCut = isCorrupt(packet) && codedFrames(packet.size) === codedFrames(2 * packet.size);
    },
    result(zero) {
      const stated = (ticksToSeconds(first ?? startTicks, timeBase) ?? 0) - lead / sampleRate;
      // As the decoder: a start that no clock can mean is the file's zero.
      const late = (stated - zero) * sampleRate;
      const startSeconds = clock.isGap(late, late) ? stated : zero;
      position -= endsCut ? lastFrames : otherFrames;
      // Without any stated length, only the times are left.
      const byClock = first === null ? 0 : (ticksToSeconds(end - first, timeBase) ?? 0);
      // The last packet of some codecs (TTA) does not say that it is shorter.
      const statedFrames = Number(duration) * framesPerTick;
      if (!clock.fillsGaps && statedFrames > position - lastFrames) position = Math.min(position, statedFrames);
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

/** What cannot be read is said by what decodes. */
function nextOf(input: OpenedInput): OpenedInput | null {
  try {
    return input.nextLink();
  } catch (thrown) {
    if (thrown instanceof EarshotError) return null;
    throw thrown;
  }
}

/** The lengths by a file's packets. */
export interface ReadableLength {
  /** From the earlier start of sound and picture to the later end. */
  readonly seconds: number;
  /** End of the picture, seconds from the file's zero; null without sound or without a picture. */
  readonly pictureEndSeconds: number | null;
}

/**
 * The real length of a file's sound and picture, by reading all its packets without decoding: headers may be wrong, and
 * files truncated. About 1 GB/s for FLAC, 3 GB/s for WAV from memory. null when no packet states it.
 * @throws EarshotError as `probe`; AbortError
 */
export const readableLength = (path: string, signal?: AbortSignal): Promise<ReadableLength | null> =>
  measurePackets(path, ['sound', 'picture'], signal);

/**
 * The same for the picture alone, for recordings that were truncated or never finished (live Matroska) and state no
 * length.
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
  let seconds = 0;
  let length: ReadableLength | null = null;
  for (let input: OpenedInput | null = openInput(path); input !== null;) {
    let next: OpenedInput | null = null;
    try {
      const measured = await measureInput(input, wanted, signal);
      seconds += measured?.seconds ?? 0;
      length ??= measured;
      next = nextOf(input);
    } finally {
      input.close();
    }
    input = next;
  }
  return length && { ...length, seconds };
}

async function measureInput(
  input: OpenedInput,
  wanted: readonly ('sound' | 'picture')[],
  signal: AbortSignal | undefined,
): Promise<ReadableLength | null> {
  const packet = new Packet();
  packet.alloc();
  try {
    const demuxer = input.context.iformat?.name ?? '';
    const sound = wanted.includes('sound') ? chooseAudioStream(input.streams) : null;
    const picture = input.streams.find(isVideoStream);
    // The decoder's clock knows the picture's length from the header.
    const pictureSeconds = (picture && statedSeconds(picture)) ?? 0;
    const meters = [
      ...(sound ? [meterSound(sound, demuxer, pictureSeconds)] : []),
      ...(picture ? [meterPicture(picture)] : []),
    ];
    const byIndex = new Map(meters.map((meter) => [meter.stream.index, meter]));
    for (const other of input.streams) if (!byIndex.has(other.index)) other.discard = AVDISCARD_ALL;
    for (let count = 1; input.read(packet) >= 0; count += 1) {
      const meter = byIndex.get(packet.streamIndex);
      // Packets outside an edit list are decoded as references and discarded.
      if (meter && (packet.flags & AV_PKT_FLAG_DISCARD) === 0) meter.add(packet, input.lostBefore() !== null);
      packet.unref();
      if (count % 1024 === 0) {
        await turn();
        throwIfAborted(signal);
      }
    }
    const zero = zeroOf(input.streams);
    const results = meters.map((meter) => meter.result(zero)).filter((result) => result !== null);
    if (results.length === 0) return null;
    const start = Math.min(...results.map(({ startSeconds }) => startSeconds));
    const resultOf = (stream: Stream | null | undefined): ReturnType<PacketMeter['result']> =>
      (stream && byIndex.get(stream.index)?.result(zero)) ?? null;
    const [heard, seen] = [resultOf(sound), resultOf(picture)];
    return {
      seconds: Math.max(...results.map(({ startSeconds, seconds }) => startSeconds - start + seconds)),
      pictureEndSeconds: heard && seen ? seen.startSeconds + seen.seconds - zero : null,
    };
  } finally {
    packet.free();
  }
}
