import { createHash } from 'node:crypto';
import { exactJoiner, type Joiner, type WholeSound } from './joiner.ts';
import { numberedFrame } from './flac-frame.ts';

/** Places in STREAMINFO (RFC 9639, section 8.2), bytes. */
const places = { sizes: 4, total: 13, md5: 18 } as const;

/** What only the whole sound's end knows of it: the sizes of the smallest and largest frame, their sum, its MD5. */
function streamInfo(first: Uint8Array): WholeSound {
  const header = Buffer.from(first);
  const md5 = createHash('md5');
  // Before there is sound, the largest is the largest possible.
  let smallest = header.readUIntBE(places.sizes + 3, 3);
  let [largest, frames] = [0, 0];
  return {
    packet({ data, duration }) {
      smallest = Math.min(smallest, data.length);
      largest = Math.max(largest, data.length);
      frames += duration;
    },
    samples: (bytes) => void md5.update(bytes),
    header() {
      header.writeUIntBE(smallest, places.sizes, 3);
      header.writeUIntBE(largest, places.sizes + 3, 3);
      // 36 bits, behind 4 others.
      header[places.total] = (header.readUInt8(places.total) & 0xf0) | Math.floor(frames / 2 ** 32);
      header.writeUInt32BE(frames % 2 ** 32, places.total + 1);
      md5.digest().copy(header, places.md5);
      return header;
    },
  };
}

/** A frame depends on those before it by its number alone. */
export const flacJoiner: Joiner = {
  ...exactJoiner,
  placed: (packet, number) => ({ ...packet, data: numberedFrame(packet.data, number) }),
  wholeSound: streamInfo,
};
