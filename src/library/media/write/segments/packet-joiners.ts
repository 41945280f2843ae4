// Joiners by codec. Those here are of codecs whose packets go into the file as they are: Opus, Vorbis, AAC.
import { bitsAt } from './bits.ts';
import type { CodedPacket } from './coded-packet.ts';
import { bytesNumber, type Joiner, samePackets } from './joiner.ts';
import { mp3Joiner } from './mp3-joiner.ts';

/** Configurations from this one on are CELT alone (RFC 6716, section 3.1). */
const firstCelt = 16;

const isCelt = (packet: CodedPacket | undefined): boolean => (packet?.data[0] ?? 0) >> 3 >= firstCelt;

/**
 * Opus in CELT: its decoder forgets what was before within a few packets. In SILK and in both at once it does not: four
 * packets around the joint must be CELT, and the same in both encodes.
 */
const opusJoiner: Joiner = {
  before: 2,
  after: 1,
  run: 5,
  number: bytesNumber,
  join(earlier, earlierAt, later, laterAt) {
    for (const offset of [-2, -1, 0, 1]) {
      const packet = earlier[earlierAt + offset];
      if (!isCelt(packet) || !samePackets(packet, later[laterAt + offset])) return null;
    }
    return [];
  },
};

/**
 * Vorbis: a packet decodes with the one before it alone, so the joint is between two that are the same in both encodes.
 * Short blocks move the grid of the packets that follow, so their times and lengths count, too.
 */
const vorbisJoiner: Joiner = {
  before: 2,
  after: 1,
  run: 4,
  number: bytesNumber,
  join(earlier, earlierAt, later, laterAt) {
    const same = (offset: number): boolean => samePackets(earlier[earlierAt + offset], later[laterAt + offset]);
    return same(-1) && same(0) ? [] : null;
  },
};

const singleChannel = 0;
const channelPair = 1;

/**
 * Window sequence and shape of a frame's first element (ISO/IEC 14496-3, tables 4.3 to 4.6) as one number; null where
 * two channels have windows of their own, or something else comes first.
 */
function windowOf(packet: CodedPacket | undefined): number | null {
  if (!packet) return null;
  const { data } = packet;
  const element = bitsAt(data, 0, 3);
  // Element, its number, then the gain of a single channel or the note that a pair has one window; a reserved bit.
  if (element === singleChannel) return bitsAt(data, 3 + 4 + 8 + 1, 3);
  if (element !== channelPair || bitsAt(data, 3 + 4, 1) === 0) return null;
  return bitsAt(data, 3 + 4 + 1 + 1, 3);
}

/**
 * AAC: FFmpeg's rate control never forgets, so that no two encodes are the same. The decoder only needs halves of
 * windows that fit each other: those of both encodes are the same on both sides of the joint.
 */
const aacJoiner: Joiner = {
  before: 2,
  after: 1,
  run: 0,
  number: bytesNumber,
  join(earlier, earlierAt, later, laterAt) {
    for (const offset of [-1, 0]) {
      const window = windowOf(earlier[earlierAt + offset]);
      if (window === null || window !== windowOf(later[laterAt + offset])) return null;
    }
    return [];
  },
};

/** FFmpeg's encoders. */
export type JoinerName = 'libmp3lame' | 'aac' | 'libopus' | 'libvorbis';

export const joiners: Readonly<Record<JoinerName, Joiner>> = {
  libmp3lame: mp3Joiner,
  libopus: opusJoiner,
  libvorbis: vorbisJoiner,
  aac: aacJoiner,
};
