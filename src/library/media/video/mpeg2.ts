// The part of MPEG-1 and MPEG-2 video (ISO/IEC 11172-2, 13818-2, 6.2) needed to join pieces of two encoders.
import type { Splicer } from './splicer.ts';

const code = { picture: 0x00, userData: 0xb2, sequence: 0xb3, extension: 0xb5, group: 0xb8 } as const;

/** Offsets of start codes up to the first picture, with their last bytes. */
function headCodes(data: Buffer): { readonly at: number; readonly code: number }[] {
  const codes: { at: number; code: number }[] = [];
  for (let at = data.indexOf('\0\0\x01', 0, 'latin1'); at >= 0; at = data.indexOf('\0\0\x01', at + 3, 'latin1')) {
    const kind = data[at + 3] ?? 0;
    codes.push({ at, code: kind });
    if (kind === code.picture) break;
  }
  return codes;
}

/** The sequence header with its extensions; null without one. */
function sequenceIn(data: Buffer): Buffer | null {
  const codes = headCodes(data);
  const first = codes.findIndex((one) => one.code === code.sequence);
  if (first < 0) return null;
  const next = codes.slice(first + 1).find((one) => one.code !== code.extension && one.code !== code.userData);
  return Buffer.from(data.subarray(codes[first]?.at, next?.at ?? data.length));
}

/** Width and height, the shape of pixels and the rate: what must not change between pieces. */
const shapeOf = (sequence: Buffer): string => sequence.subarray(4, 8).toString('hex');

/**
 * Joins by a sequence header before each group: an encoded piece brings its own, and the first copied packet after it
 * repeats the source's.
 */
export class Mpeg2Splicer implements Splicer {
  readonly setsInHead = null;
  /** The latest header; those in the packets may have other quantiser matrices. */
  private sequence: Buffer | null;
  private constant = true;

  constructor(extradata: Buffer | null) {
    this.sequence = extradata && sequenceIn(extradata);
  }

  look(data: Buffer): boolean {
    const sequence = sequenceIn(data);
    if (sequence) {
      if (this.sequence && shapeOf(this.sequence) !== shapeOf(sequence)) this.constant = false;
      this.sequence ??= sequence;
    }
    return this.sequence !== null;
  }

  fits(muxer: string): boolean {
    return this.sequence !== null && this.constant && muxer !== 'avi';
  }

  head(): null {
    return null;
  }

  encoded(data: Buffer): Buffer {
    return data;
  }

  around(data: Buffer): Buffer {
    return data;
  }

  /** Adds a sequence header, and marks that pictures before the first one are missing (broken_link). */
  restarted(data: Buffer): Buffer | null {
    const codes = headCodes(data);
    const group = codes.find((one) => one.code === code.group);
    const whole = codes.some((one) => one.code === code.sequence);
    const changed = Buffer.from(data);
    // 25 bits of time code, closed_gop, broken_link.
    if (group && ((data[group.at + 7] ?? 0) & 0x40) === 0)
      changed[group.at + 7] = (data[group.at + 7] as number) | 0x20;
    return whole || !this.sequence ? changed : Buffer.concat([this.sequence, changed]);
  }

  carry(): readonly Buffer[] {
    return [];
  }

  sameAs(other: Splicer): boolean {
    return (
      other instanceof Mpeg2Splicer &&
      this.constant &&
      other.constant &&
      this.sequence !== null &&
      other.sequence !== null &&
      shapeOf(this.sequence) === shapeOf(other.sequence)
    );
  }
}
