import { bytesNumber, type Joiner, samePackets } from './joiner.ts';

/**
 * Vorbis: a packet decodes with the one before it alone, so the joint is between two that are the same in both encodes.
 * Short blocks move the grid of the packets that follow, so their times and lengths count, too.
 */
export const vorbisJoiner: Joiner = {
  before: 2,
  after: 1,
  run: 4,
  number: bytesNumber,
  join(earlier, earlierAt, later, laterAt) {
    const same = (offset: number): boolean => samePackets(earlier[earlierAt + offset], later[laterAt + offset]);
    return same(-1) && same(0) ? [] : null;
  },
};
