// Joins pieces of a second encoder with the copied packets of a stream.

/** One per source. It reads what it needs from the file's head and from the packets while they are indexed. */
export interface Splicer {
  /** Reads a key packet; true when a decoder can start at it. */
  look(data: Buffer): boolean;
  /** Can encoded and copied pictures be joined in this container? Valid once all packets are indexed. */
  fits(muxer: string): boolean;
  /**
   * Are the parameter sets in the file's head, rather than in the packets? null: in both, as the container wants it.
   */
  readonly setsInHead: boolean | null;
  /** The file's head for the packets of both encoders; null: unchanged. @param added head of the encoder's stream */
  head(added: Buffer): Buffer | null;
  /**
   * Rewrites an encoder's packet for the stream.
   * @param carried what `carry` took from the packet of the same picture
   */
  encoded(data: Buffer, isKey: boolean, carried: readonly Buffer[]): Buffer;
  /** The same for a stream that one encoder writes from start to end: adds the source's own metadata. */
  around(data: Buffer, isKey: boolean): Buffer;
  /**
   * Changes the first packet of a copied piece so that a decoder restarts there; null: unchanged.
   * @param behindOthers whether pictures come before it
   */
  restarted(data: Buffer, behindOthers: boolean): Buffer | null;
  /** The metadata in a packet that decoding would lose. */
  carry(data: Buffer): readonly Buffer[];
  /** Can packets of the other follow in the same stream? */
  sameAs(other: Splicer): boolean;
}

/** Containers whose packets have lengths in place of start codes. */
export const lengthPrefixedMuxers: readonly string[] = ['mp4', 'mov', 'matroska', 'flv'];
