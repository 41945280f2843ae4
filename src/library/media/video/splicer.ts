// How pieces of a second encoder come between the copied packets of a stream.

/**
 * One per source; what it needs to know it reads from the file's head and, while the packets are indexed, from them.
 */
export interface Splicer {
  /** Reads a key packet. Answers whether a decoder can start at it. */
  look(data: Buffer): boolean;
  /** Can encoded pictures come between copied ones in this container? To be asked when all packets were read. */
  fits(muxer: string): boolean;
  /**
   * Are the parameter sets in the file's head, rather than in the packets? null: in both, as the container wants it.
   */
  readonly setsInHead: boolean | null;
  /** The file's head for the packets of both; null: it stays as it is. @param added head of the encoder's stream */
  head(added: Buffer): Buffer | null;
  /**
   * What an encoder's packet becomes in the stream.
   * @param carried what `carry` took from the packet of the same picture
   */
  encoded(data: Buffer, isKey: boolean, carried: readonly Buffer[]): Buffer;
  /**
   * The same for a stream that is encoded from its start to its end by one encoder: with what the source said of
   * itself.
   */
  around(data: Buffer, isKey: boolean): Buffer;
  /**
   * The first packet of a copied piece: changed so that a decoder starts anew; null: as it is.
   * @param behindOthers are there pictures before it?
   */
  restarted(data: Buffer, behindOthers: boolean): Buffer | null;
  /** What belongs to a picture and is lost by decoding it, from its packet. */
  carry(data: Buffer): readonly Buffer[];
  /** Can packets of the other follow in the same stream? */
  sameAs(other: Splicer): boolean;
}

/** Containers whose packets have lengths in place of start codes. */
export const lengthPrefixedMuxers: readonly string[] = ['mp4', 'mov', 'matroska', 'flv'];
