// Which sound is decoded in segments, each by a decoder of its own that begins a little before it.
import { avGetCodecName, type Stream } from 'node-av/lib';
import { AV_PROFILE_AAC_LOW } from 'node-av/constants';

/** Longer segments repeat less, and need more memory. */
export const usualSegmentSeconds = 60;
/** Starting threads costs more than they gain in shorter sound. */
export const leastSeconds = 600;

export interface DecodingRules {
  /** Frames before a segment that its decoder gets, to arrive in the state of one that has decoded all of them. */
  readonly preroll: number;
  /** In so many packets at least. */
  readonly packets: number;
  /** In so many bytes at least. */
  readonly bytes: number;
  /** Are the samples those of one decoder that decodes it all? */
  readonly exact: boolean;
  /** Must the packets before a segment be Opus in CELT? */
  readonly celt: boolean;
}

const plain = { packets: 0, bytes: 0, exact: true, celt: false } as const;

/**
 * MP3: a frame takes bits from frames before it, 511 bytes of sound back, and the overlap of two more. Vorbis: the
 * overlap with one packet of up to 8192 frames. Opus: predictions fade within 40 packets. AAC: the overlap, but its
 * noise comes from a generator that never forgets: other noise, equally loud.
 */
const rulesOf: Readonly<Record<string, DecodingRules>> = {
  mp3: { ...plain, preroll: 20 * 1152, packets: 20, bytes: 20 * 36 + 511 },
  aac: { ...plain, preroll: 2 * 1024, packets: 2, exact: false },
  opus: { ...plain, preroll: 48_000, packets: 50, celt: true },
  vorbis: { ...plain, preroll: 16_384, packets: 2 },
  flac: { ...plain, preroll: 0 },
};

/** Demuxers that find a time to the packet. Matroska and others count milliseconds. */
const exactDemuxers = /^(mp3|aac|flac|ogg|mov)/;

/** null: in one go. */
export function decodingRules({ codecpar, timeBase }: Stream, demuxer: string): DecodingRules | null {
  const codec = avGetCodecName(codecpar.codecId) ?? '';
  if (!exactDemuxers.test(demuxer) || timeBase.den === 0) return null;
  // High-efficiency profiles carry more from packet to packet.
  if (codec === 'aac' && codecpar.profile !== AV_PROFILE_AAC_LOW) return null;
  return rulesOf[codec] ?? null;
}
