// Frames of MPEG audio layer III (ISO/IEC 11172-3 and 13818-3, section 2.4.1): what is in a packet, and where its
// sound is.
import { bitsAt } from './bits.ts';
import type { CodedPacket } from './coded-packet.ts';

export interface Mp3Frame {
  /** Header and side information. */
  readonly headBytes: number;
  /** Bytes before the end of this frame's head, heads of other frames not counted, where its sound begins. */
  readonly mainDataBegin: number;
  /** Length of its sound. */
  readonly mainDataBits: number;
  /** Bits of `mainDataBegin` in the head, which says where and not what. */
  readonly pointer: readonly [from: number, bits: number];
}

const headerBytes = 4;
const checksumBytes = 2;

/** null: not a frame of layer III. */
export function readMp3Frame(data: Uint8Array): Mp3Frame | null {
  if (bitsAt(data, 0, 11) !== 0x7ff || bitsAt(data, 13, 2) !== 1) return null;
  const isFirst = bitsAt(data, 11, 2) === 3;
  const hasChecksum = bitsAt(data, 15, 1) === 0;
  const channels = bitsAt(data, 24, 2) === 3 ? 1 : 2;
  const side = headerBytes + (hasChecksum ? checksumBytes : 0);
  const sideBytes = isFirst ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
  const pointerBits = isFirst ? 9 : 8;
  const privateBits = isFirst ? (channels === 1 ? 5 : 3) : channels;
  const granuleBits = isFirst ? 59 : 63;
  const granules = (isFirst ? 2 : 1) * channels;
  const first = side * 8 + pointerBits + privateBits + (isFirst ? 4 * channels : 0);
  let mainDataBits = 0;
  for (let granule = 0; granule < granules; granule += 1)
    mainDataBits += bitsAt(data, first + granule * granuleBits, 12);
  return {
    headBytes: side + sideBytes,
    mainDataBegin: bitsAt(data, side * 8, pointerBits),
    mainDataBits,
    pointer: [side * 8, pointerBits],
  };
}

/** What a frame decodes to, wherever its bytes lie: its head without the pointer, and its sound. */
export interface LogicalFrame {
  readonly head: Uint8Array;
  readonly mainData: Uint8Array;
  readonly mainDataBegin: number;
}

/** The bytes of frames in front of one that its sound reaches back into; null: they are not all there. */
export function bytesBefore(packets: readonly CodedPacket[], at: number, count: number): Uint8Array | null {
  const bytes = new Uint8Array(count);
  let left = count;
  for (let index = at - 1; left > 0; index -= 1) {
    const data = packets[index]?.data;
    const frame = data && readMp3Frame(data);
    if (!data || !frame) return null;
    const taken = Math.min(left, data.length - frame.headBytes);
    bytes.set(data.subarray(data.length - taken), left - taken);
    left -= taken;
  }
  return bytes;
}

/** A frame's content; null where it is not a frame, or reaches back beyond the first packet. */
export function logicalFrame(packets: readonly CodedPacket[], at: number): LogicalFrame | null {
  const data = packets[at]?.data;
  const frame = data && readMp3Frame(data);
  if (!data || !frame) return null;
  const { headBytes, mainDataBegin, mainDataBits, pointer } = frame;
  const before = bytesBefore(packets, at, mainDataBegin);
  if (before === null) return null;
  const mainData = new Uint8Array(Math.ceil(mainDataBits / 8));
  mainData.set(before.subarray(0, mainData.length));
  const rest = mainData.length - before.length;
  if (rest > 0) mainData.set(data.subarray(headBytes, headBytes + rest), before.length);
  // LAME fills the last byte, and all that is left over, with a pattern of its own.
  const spare = mainData.length * 8 - mainDataBits;
  if (mainData.length > 0) mainData[mainData.length - 1] = (mainData.at(-1) as number) & (0xff << spare);
  const head = data.slice(0, headBytes);
  const [from, bits] = pointer;
  for (let bit = from; bit < from + bits; bit += 1) head[bit >> 3] = (head[bit >> 3] as number) & ~(0x80 >> (bit & 7));
  return { head, mainData, mainDataBegin };
}
