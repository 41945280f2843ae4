// In place of media/packets/keep-packets.ts: packets are not read.
import { notHere } from '../../../../media/not-here.ts';

export function keepPackets(): never {
  throw notHere('Packets are not kept as they are');
}
