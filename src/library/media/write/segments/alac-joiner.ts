import { exactJoiner, type Joiner } from './joiner.ts';

export const alacJoiner: Joiner = exactJoiner;
