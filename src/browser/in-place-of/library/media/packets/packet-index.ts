// In place of media/packets/packet-index.ts: packets are not read.
import { notHere } from '../../../../media/not-here.ts';

export function indexPackets(): never {
  throw notHere('Packets are not kept as they are');
}
