import type { CodedPacket } from './coded-packet.ts';
import { numberOf } from './heads.ts';
import { type Joiner, sameBytes } from './joiner.ts';
import { bytesBefore, logicalFrame, type LogicalFrame, readMp3Frame } from './mp3-frame.ts';

/**
 * Frames before and after a joint that are the same in both encodes. LAME's state has then become the same: no encode
 * of the bench differed again.
 */
const same = 3;

/** Frames that sound can reach back into, at the lowest bit rates: 255 bytes of 13 each in MPEG-2. */
const reach = 21;

const sameFrame = (one: LogicalFrame | null, other: LogicalFrame | null): boolean =>
  one !== null &&
  other !== null &&
  one.mainDataBegin === other.mainDataBegin &&
  sameBytes(one.head, other.head) &&
  sameBytes(one.mainData, other.mainData);

/**
 * Puts bytes at the end of the room that the last packets have for sound.
 * @returns the packets that changed, the last of `packets` among them
 */
export function layBefore(packets: readonly CodedPacket[], bytes: Uint8Array): CodedPacket[] {
  const changed: CodedPacket[] = [];
  let left = bytes.length;
  for (let index = packets.length - 1; left > 0; index -= 1) {
    const packet = packets[index] as CodedPacket;
    const head = readMp3Frame(packet.data)?.headBytes ?? packet.data.length;
    const taken = Math.min(left, packet.data.length - head);
    const data = packet.data.slice();
    data.set(bytes.subarray(left - taken, left), data.length - taken);
    changed.unshift({ ...packet, data });
    left -= taken;
  }
  return changed;
}

/**
 * MP3: the sound of a frame lies in part in frames before it (the bit reservoir). At a joint some frames before and
 * after it decode to the same in both encodes, and reach back as far: what of the later one's sound lies before the
 * joint is laid into the earlier one's frames.
 */
export const mp3Joiner: Joiner = {
  before: reach + same,
  after: same - 1,
  run: 2 * same + 2,
  number(packets, at) {
    const frame = logicalFrame(packets, at);
    return frame && numberOf(frame.head, frame.mainData) ^ frame.mainDataBegin;
  },
  join(earlier, earlierAt, later, laterAt) {
    for (let offset = -same; offset < same; offset += 1)
      if (!sameFrame(logicalFrame(earlier, earlierAt + offset), logicalFrame(later, laterAt + offset))) return null;
    const { mainDataBegin } = logicalFrame(later, laterAt) as LogicalFrame;
    const reservoir = bytesBefore(later, laterAt, mainDataBegin);
    return reservoir && layBefore(earlier.slice(Math.max(0, earlierAt - reach), earlierAt), reservoir);
  },
};
