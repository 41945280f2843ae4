import type { CodedPacket } from './coded-packet.ts';
import { numberOf, type PacketNumber } from './heads.ts';

/** What a codec states of the whole sound in its header, and knows at its end. */
export interface WholeSound {
  /** Takes the packets in order. */
  packet(packet: CodedPacket): void;
  /** Takes the samples in order, as `sampleBytes` gives them. */
  samples(bytes: Uint8Array): void;
  header(): Uint8Array;
}

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
  /** Do encodes have the same packets, wherever they began? Then one in one go is the same file. Default false. */
  readonly exact?: boolean;
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
  /** An exact codec's packet in its place. @param number of packets before it in the whole sound; default: as it is */
  placed?(packet: CodedPacket, number: number): CodedPacket;
  /** @param first the codec's header before there is sound; default: it states nothing of the whole */
  wholeSound?(first: Uint8Array): WholeSound;
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** The number of a packet that is the same where its bytes and its length are. */
export const bytesNumber: PacketNumber = (packets, at) => {
  const { data, duration } = packets[at] as CodedPacket;
  return numberOf(data) ^ duration;
};

/** Of codecs whose packets depend on no other packet. */
export const exactJoiner: Joiner = {
  before: 0,
  after: 0,
  run: 0,
  number: bytesNumber,
  exact: true,
  join: () => [],
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
