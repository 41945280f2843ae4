// Where the packets of a recording lie in its sound, for copies that keep them as they are.
import { avGetCodecName, Packet, type Stream } from 'node-av/lib';
import { AV_PKT_DATA_SKIP_SAMPLES } from 'node-av/constants';
import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { MediaFacts } from '../facts.ts';
import { chooseAudioStream, openInput, type OpenedInput } from '../ffmpeg/ffmpeg.ts';
import { noTimestamp, ticksToSeconds } from '../ffmpeg/ticks.ts';
import { shortfall } from '../read/truncation.ts';
import { readMp3Frame } from '../write/segments/mp3-frame.ts';

/** Codecs by FFmpeg's name, each in one container. */
export const containers = { mp3: 'mp3', aac: 'm4a', opus: 'opus', vorbis: 'ogg', flac: 'flac', alac: 'm4a' } as const;
export type KeptCodec = keyof typeof containers;

/** Codecs whose packets are the samples themselves and stand alone: an edge within one is encoded again as it was. */
export const isLossless = (codec: KeptCodec): codec is 'flac' | 'alac' => codec === 'flac' || codec === 'alac';

/** Where a packet's bytes lie in its file. */
export interface PacketPlace {
  readonly at: number;
  readonly size: number;
}

export interface PacketIndex {
  readonly facts: MediaFacts;
  readonly codec: KeptCodec;
  readonly sampleRate: number;
  readonly channels: number;
  /** The codec's own headers; empty where its packets have all. */
  readonly header: Buffer;
  readonly count: number;
  /**
   * First frame of what each packet decodes to, from the file's zero, and behind the last one the end of that. What is
   * below 0 is not heard.
   */
  readonly starts: Float64Array;
  /** End of the sound: the rest of the last packet is padding. */
  readonly endFrame: number;
  /** Of codecs without loss: where each packet lies. Of others empty. */
  readonly places: readonly PacketPlace[];
  /** May a copy begin or end between this packet and the one before it, beside others? */
  canMeet(at: number): boolean;
  readonly warnings: readonly Warning[];
}

/** Refuses a recording whose packets cannot be kept. */
export const refuseEncoding = (message: string): never => {
  const nextAction = 'Leave out keep_encoding: the sound is encoded again then.';
  throw new EarshotError('wrong_file_type', message, { nextAction });
};

const aacLowComplexity = 1;

/** @throws EarshotError wrong_file_type where packets of the file cannot be kept */
function codecOf(facts: MediaFacts, { codecpar }: Stream): KeptCodec {
  const name = avGetCodecName(codecpar.codecId) ?? 'unknown';
  const codec = (Object.keys(containers) as KeptCodec[]).find((one) => one === name);
  if (facts.hasVideo || codec === undefined || containers[codec] !== facts.format)
    return refuseEncoding(
      `Expected MP3, M4A, Opus, Ogg Vorbis or FLAC to keep its encoding but received ${name} in ${facts.format}` +
        (facts.hasVideo ? ' with a picture' : ''),
    );
  if (codec === 'aac' && (codecpar.profile as number) !== aacLowComplexity)
    return refuseEncoding('Expected AAC of the profile LC to keep its encoding but received another profile');
  return codec;
}

/** Frames of an Opus packet at 48 kHz (RFC 6716, section 3.1). */
function opusFrames(data: Uint8Array): number {
  const [head = 0, second = 0] = data;
  const config = head >> 3;
  const silk = [480, 960, 1920, 2880][config & 3] as number;
  const frame = config < 12 ? silk : config < 16 ? (config & 1 ? 960 : 480) : 120 << (config & 3);
  const count = [1, 2, 2, second & 63][head & 3] as number;
  return frame * count;
}

/** Frames of an ALAC packet: one that is shorter than the others says so in its first element. */
function alacFrames(data: Uint8Array): number {
  const [, , flags = 0, a = 0, b = 0, c = 0, d = 0] = data;
  return flags & 0x10 ? (((flags & 1) << 31) | (a << 23) | (b << 15) | (c << 7) | (d >> 1)) >>> 0 : 4096;
}

/** Frames of a packet; null: it does not say. */
function framesIn(codec: KeptCodec, data: Uint8Array): number | null {
  if (codec === 'opus') return opusFrames(data);
  if (codec === 'aac') return 1024;
  return codec === 'alac' ? alacFrames(data) : null;
}

/** Half of a short and of a long block: what a packet behind one of the same length decodes to (Vorbis I, 4.2.2). */
function halfBlocks(header: Buffer): readonly [short: number, long: number] {
  const at = header.indexOf('\u0001vorbis', 0, 'latin1');
  const powers = at < 0 ? 0 : (header[at + 28] ?? 0);
  return [2 ** (powers & 15) / 2, 2 ** (powers >> 4) / 2];
}

const packetsPerTurn = 1024;
const noBytes = Buffer.alloc(0);

/**
 * Reads where all packets of a file's sound lie. Nothing is decoded; memory grows by 8 bytes a packet.
 * @throws EarshotError wrong_file_type where its packets cannot be kept; file_invalid where some are missing
 */
export async function indexPackets(facts: MediaFacts, signal: AbortSignal): Promise<PacketIndex> {
  const input = openInput(facts.path);
  const packet = new Packet();
  packet.alloc();
  try {
    const stream = chooseAudioStream(input.streams);
    if (!stream) throw new EarshotError('no_audio', 'Expected a file with sound but it has none');
    const codec = codecOf(facts, stream);
    const { codecpar, timeBase, index } = stream;
    const { sampleRate, channels } = codecpar;
    const header = Buffer.from(codecpar.extradata ?? []);
    const [shortFrames, longFrames] = codec === 'vorbis' ? halfBlocks(header) : [0, 0];
    const perTick = (ticksToSeconds(1n, timeBase) ?? 0) * sampleRate;
    // An MP3's clock begins with what its encoder put before the sound, the others' with the sound.
    const zero = stream.startTime === noTimestamp ? 0n : stream.startTime;
    if (codec !== 'mp3' && zero > 0n)
      refuseEncoding('Expected sound from the beginning to keep its encoding but it begins late');
    let starts = new Float64Array(4096);
    const places: PacketPlace[] = [];
    let [count, end, padding] = [0, 0, 0];
    while (input.read(packet) >= 0) {
      const isOurs = packet.streamIndex === index && packet.size > 0;
      if (isOurs) {
        // Taking the bytes is half of this pass; FFmpeg has read the heads of FLAC's frames.
        const data = codec === 'flac' ? noBytes : (packet.data ?? noBytes);
        requireWhole(input, codec, data);
        const stated = Math.round(Number(packet.duration) * perTick);
        const stamp = Math.round(Number(packet.pts - zero) * perTick);
        // FFmpeg takes the block before a page's first, or before a short one, for one of the same length.
        const isMisstated = count > 0 && Math.abs(stamp - end) === (longFrames - shortFrames) / 2;
        const start = isMisstated ? end : stamp;
        if (count > 0 && Math.abs(start - end) > 2)
          throw new EarshotError(
            'file_invalid',
            'Sound is missing in the file, which a copy of the rest would not show',
          );
        if (count + 2 > starts.length) {
          const more = new Float64Array(2 * starts.length);
          more.set(starts);
          starts = more;
        }
        starts[count] = start;
        count += 1;
        if (isLossless(codec)) places.push({ at: Number(packet.pos), size: packet.size });
        const skip = packet.getSideData(AV_PKT_DATA_SKIP_SAMPLES);
        padding = skip ? Buffer.from(skip).readUInt32LE(4) : 0;
        // FFmpeg takes the padding off the last one, but for MP3.
        const whole = codec === 'mp3' ? stated : stated + padding;
        const frames = framesIn(codec, data) ?? whole;
        end = stamp + frames;
        if (codec !== 'mp3' && padding === 0 && stated < frames) padding = frames - stated;
      }
      packet.unref();
      if (count % packetsPerTurn === 0) {
        await turn();
        throwIfAborted(signal);
      }
    }
    requireOneStream(input);
    if (count === 0) throw new EarshotError('file_invalid', 'The file has a sound stream but no sound is in it');
    starts[count] = end;
    const endFrame = end - padding;
    const warning = shortfall(input, facts, stream, {
      seconds: endFrame / sampleRate,
      leadSeconds: 0,
      beginSeconds: 0,
    });
    return {
      facts,
      codec,
      sampleRate,
      channels,
      header,
      count,
      starts,
      endFrame,
      places,
      // Blocks of Vorbis have two lengths, and overlap by the shorter one of each pair.
      canMeet: (at) =>
        codec !== 'vorbis' || (at > 0 && (starts[at + 1] as number) - (starts[at] as number) === longFrames),
      warnings: warning ? [warning] : [],
    };
  } finally {
    packet.free();
    input.close();
  }
}

function requireWhole(input: OpenedInput, codec: KeptCodec, data: Uint8Array): void {
  if (input.lostBefore() !== null)
    throw new EarshotError('file_invalid', 'Sound is missing in the file, which a copy of the rest would not show');
  if (input.beginsLink())
    refuseEncoding('Expected one stream of sound to keep its encoding but several follow each other');
  if (codec === 'mp3' && readMp3Frame(data) === null)
    refuseEncoding('Expected frames of MPEG layer III to keep its encoding but received others');
}

function requireOneStream(input: OpenedInput): void {
  const next = input.nextLink();
  next?.close();
  if (next) refuseEncoding('Expected one stream of sound to keep its encoding but several follow each other');
}
