import { bytesNumber, type Joiner } from './joiner.ts';

/** ALAC: a packet knows nothing of those before it. */
export const alacJoiner: Joiner = {
  before: 0,
  after: 0,
  run: 0,
  number: bytesNumber,
  exact: true,
  join: () => [],
};
