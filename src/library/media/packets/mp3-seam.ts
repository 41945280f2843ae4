// Frames of MP3 that meet others: the sound of a frame lies in part in frames before it (the bit reservoir), which are
// not the same any more. See `segments/mp3-joiner.ts`, for frames that are the same in two encodes.
import { EarshotError } from '../../core/errors/errors.ts';
import { bitsAt } from '../write/segments/bits.ts';
import type { CodedPacket } from '../write/segments/coded-packet.ts';
import { layBefore } from '../write/segments/mp3-joiner.ts';
import { type Mp3Frame, readMp3Frame } from '../write/segments/mp3-frame.ts';

/** kbit/s by the four bits of a header: MPEG-1, and MPEG-2 and 2.5 (ISO/IEC 11172-3 2.4.2.3, 13818-3). */
const firstKbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const secondKbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const baseRates = [44_100, 48_000, 32_000];

const frameOf = (data: Uint8Array): Mp3Frame => {
  const frame = readMp3Frame(data);
  if (frame === null) throw new EarshotError('file_invalid', 'Expected a frame of MP3 but found other bytes');
  return frame;
};

/** Bytes of a frame with this header at each bit rate. */
function sizesOf(data: Uint8Array): readonly number[] {
  const version = bitsAt(data, 11, 2);
  const rate = (baseRates[bitsAt(data, 20, 2)] ?? 44_100) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const bytesPerKbit = (version === 3 ? 144_000 : 72_000) / rate;
  return (version === 3 ? firstKbps : secondKbps).map((kbps) => Math.floor(kbps * bytesPerKbit) + bitsAt(data, 22, 1));
}

/** Of the header's last two bytes and the side information (ISO/IEC 11172-3, section 2.4.3.1). */
function writeChecksum(data: Uint8Array, headBytes: number): void {
  if (bitsAt(data, 15, 1) === 1) return;
  let crc = 0xffff;
  for (const [at, byte] of data.subarray(0, headBytes).entries()) {
    if (at < 2 || at === 4 || at === 5) continue;
    for (let bit = 7; bit >= 0; bit -= 1) {
      const top = ((crc >> 15) ^ (byte >> bit)) & 1;
      crc = ((crc << 1) & 0xffff) ^ (top ? 0x8005 : 0);
    }
  }
  data[4] = crc >> 8;
  data[5] = crc & 0xff;
}

/** The same frame with more room behind its sound; null: no bit rate has so much. */
function withRoom(packet: CodedPacket, bytes: number): CodedPacket | null {
  if (bytes <= 0) return packet;
  const rate = sizesOf(packet.data).findIndex((size) => size >= packet.data.length + bytes);
  if (rate < 1) return null;
  const data = new Uint8Array(sizesOf(packet.data)[rate] as number);
  data.set(packet.data);
  data[2] = ((data[2] as number) & 0x0f) | (rate << 4);
  writeChecksum(data, frameOf(packet.data).headBytes);
  return { ...packet, data };
}

/** Bytes before a frame that its sound reaches back into. */
export const reachOf = (packet: CodedPacket): number => frameOf(packet.data).mainDataBegin;

/**
 * A frame of silence in the form of another.
 * @param reservoir put at its end, for frames behind it
 */
export function silentFrame({ data: like, ...packet }: CodedPacket, reservoir: Uint8Array): CodedPacket {
  const head = Buffer.from(like.subarray(0, 4));
  // No checksum, no padding.
  head[1] = (head[1] as number) | 1;
  head[2] = (head[2] as number) & 0xfd;
  const whole = new Uint8Array(Math.max(64, like.length));
  whole.set(head);
  const { headBytes } = frameOf(whole);
  const sizes = sizesOf(head);
  const rate = sizes.findIndex((size, at) => at > 0 && size >= headBytes + reservoir.length);
  const data = new Uint8Array(sizes[rate] as number);
  head[2] = (head[2] & 0x0f) | (rate << 4);
  data.set(head);
  data.set(reservoir, data.length - reservoir.length);
  return { ...packet, data };
}

/** Bytes up to a frame's end that are not of its sound, nor of sound before it. */
function freeBytes({ data }: CodedPacket): number {
  const { headBytes, mainDataBegin, mainDataBits } = frameOf(data);
  return Math.max(0, mainDataBegin + data.length - headBytes - Math.ceil(mainDataBits / 8));
}

/**
 * Lays what a frame reaches back into where it is looked for now.
 * @param before the last frames in front of it, which are rewritten where they have to be
 * @returns frames in place of the last of `before`; null: there is no room
 */
export function layReservoir(before: readonly CodedPacket[], reservoir: Uint8Array): readonly CodedPacket[] | null {
  const last = before.at(-1);
  const roomy = last && withRoom(last, reservoir.length - freeBytes(last));
  if (!roomy) return null;
  const changed = layBefore([...before.slice(0, -1), roomy], reservoir);
  return changed.length === 0 ? [roomy] : changed;
}
