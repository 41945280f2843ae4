// In place of edit/keep-encoding.ts: packets are not read.
import type * as node from '../../../../library/edit/keep-encoding.ts';
import { notHere } from '../../../media/not-here.ts';

const refused = (): never => {
  throw notHere('Packets are not kept as they are');
};

export const writeKeepingEncoding: typeof node.writeKeepingEncoding = refused;
export const keepOne: typeof node.keepOne = refused;
