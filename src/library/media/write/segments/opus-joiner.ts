import type { CodedPacket } from './coded-packet.ts';
import { bytesNumber, type Joiner, samePackets } from './joiner.ts';

/** Configurations from this one on are CELT alone (RFC 6716, section 3.1). */
const firstCelt = 16;

const isCelt = (packet: CodedPacket | undefined): boolean => (packet?.data[0] ?? 0) >> 3 >= firstCelt;

/**
 * Opus in CELT: its decoder forgets what was before within a few packets. In SILK and in both at once it does not: four
 * packets around the joint must be CELT, and the same in both encodes.
 */
export const opusJoiner: Joiner = {
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
