import type { CodedPacket } from './coded-packet.ts';
import { numberOf, type PacketNumber } from './heads.ts';

/** Finds where two encodes of the same sound, of which the later began later, can be joined. One for each codec. */
export interface Joiner {
  /** Packets before a joint that it reads or changes: they are held back until the joint is found. */
  readonly before: number;
  /** Packets from the joint on that it reads. */
  readonly after: number;
  /** Packets that are the same in both encodes around every joint; 0: no packets are. */
  readonly run: number;
  /** Packets with the same number are the same. */
  readonly number: PacketNumber;
  /**
   * Can the earlier encode's packets go up to `earlierAt` and the later's on from `laterAt`? Both are at the same time,
   * and have `after` packets behind. Where more packets in front are needed than there are, the answer is no.
   * @returns the packets right before the joint in the form that they take there (most often none, for unchanged);
   *   null: not here
   */
  join(
    earlier: readonly CodedPacket[],
    earlierAt: number,
    later: readonly CodedPacket[],
    laterAt: number,
  ): readonly CodedPacket[] | null;
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** The number of a packet that is the same where its bytes and its length are. */
export const bytesNumber: PacketNumber = (packets, at) => {
  const { data, duration } = packets[at] as CodedPacket;
  return numberOf(data) ^ duration;
};

/** Are the packets at these places the same, and of the same time? */
export function samePackets(one: CodedPacket | undefined, other: CodedPacket | undefined): boolean {
  return (
    one !== undefined &&
    other !== undefined &&
    one.pts === other.pts &&
    one.duration === other.duration &&
    sameBytes(one.data, other.data)
  );
}
