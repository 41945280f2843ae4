// The part of AV1 (bitstream specification, 5.3 to 5.9; AV1 in ISOBMFF, 2.3) needed to join pieces of two encoders.
import type { Splicer } from './splicer.ts';

const unitType = { sequence: 1, delimiter: 2, frameHeader: 3, metadata: 5, frame: 6 } as const;
/** Content light level and mastering display: once for the stream. HDR10+ and captions: of each picture. */
const metadataType = { light: 1, mastering: 2, registered: 4 } as const;

interface Unit {
  readonly type: number;
  /** With its header. */
  readonly bytes: Buffer;
  readonly payload: Buffer;
}

/** Reads a leb128 number; null beyond the end. */
function leb128(data: Buffer, from: number): { value: number; next: number } | null {
  let value = 0;
  for (let at = 0; at < 8; at += 1) {
    const byte = data[from + at];
    if (byte === undefined) return null;
    value += (byte & 127) * 2 ** (7 * at);
    if (byte < 128) return { value, next: from + at + 1 };
  }
  return null;
}

/** A packet's units (OBUs). A unit that exceeds the packet is left out; the last one may lack its size field. */
function unitsOf(data: Buffer): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < data.length;) {
    const head = data[at] as number;
    const from = at + ((head & 4) === 0 ? 1 : 2);
    const size = (head & 2) === 0 ? { value: data.length - from, next: from } : leb128(data, from);
    if (size === null || size.next + size.value > data.length) break;
    const end = size.next + size.value;
    units.push({ type: (head >> 3) & 15, bytes: data.subarray(at, end), payload: data.subarray(size.next, end) });
    at = end;
  }
  return units;
}

/** A shown key frame: it resets the decoder (7.20). */
function startsAnew(units: readonly Unit[]): boolean {
  const picture = units.find(({ type }) => type === unitType.frame || type === unitType.frameHeader);
  // show_existing_frame 0, frame_type KEY_FRAME (two bits 0), show_frame 1.
  return picture !== undefined && ((picture.payload[0] ?? 0xff) & 0xf0) === 0x10;
}

const sequenceOf = (units: readonly Unit[]): Buffer | null =>
  units.find(({ type }) => type === unitType.sequence)?.bytes ?? null;

/** More than one operating point: resolutions or rates in layers. */
function isLayered(sequence: Buffer): boolean {
  const [first = 0, second = 0] = unitsOf(sequence)[0]?.payload ?? [];
  const timed = (first & 4) !== 0;
  return !timed && (((first & 1) << 4) | (second >> 4)) > 0;
}

const isMetadata = ({ type, payload }: Unit, kinds: readonly number[]): boolean =>
  type === unitType.metadata && kinds.includes(payload[0] ?? 0);

/**
 * Joins by a sequence header before each key frame: an encoded piece brings its own, and the first copied packet after
 * it repeats the source's.
 */
export class Av1Splicer implements Splicer {
  readonly setsInHead = null;
  private readonly inHead: Buffer | null;
  /** Encoders may write a different header into the file's head than into their packets; the packets' one counts. */
  private inPackets: Buffer | null = null;
  private messages: readonly Buffer[] = [];
  private constant = true;

  constructor(extradata: Buffer | null) {
    this.inHead = extradata?.[0] === 0x81 ? sequenceOf(unitsOf(extradata.subarray(4))) : null;
  }

  look(data: Buffer): boolean {
    const units = unitsOf(data);
    const sequence = sequenceOf(units);
    const expected = this.inPackets ?? (sequence ? null : this.inHead);
    if (sequence) this.inPackets ??= Buffer.from(sequence);
    // A packet without a header gets that of the file's head.
    const own = sequence ?? this.inHead;
    if (own === null || (expected !== null && !expected.equals(own))) this.constant = false;
    if (this.messages.length === 0)
      this.messages = units
        .filter((unit) => isMetadata(unit, [metadataType.light, metadataType.mastering]))
        .map(({ bytes }) => Buffer.from(bytes));
    return startsAnew(units);
  }

  private get sequence(): Buffer | null {
    return this.inPackets ?? this.inHead;
  }

  fits(muxer: string): boolean {
    const { sequence } = this;
    return sequence !== null && this.constant && !isLayered(sequence) && ['mp4', 'matroska', 'webm'].includes(muxer);
  }

  head(): null {
    return null;
  }

  encoded(data: Buffer, isKey: boolean, carried: readonly Buffer[]): Buffer {
    const before = [...(isKey ? this.messages : []), ...carried];
    if (before.length === 0) return data;
    const units = unitsOf(data);
    const first = units.findIndex(({ type }) => type === unitType.frame || type === unitType.frameHeader);
    const bytes = units.map((unit) => unit.bytes);
    return Buffer.concat([...bytes.slice(0, first), ...before, ...bytes.slice(first)]);
  }

  around(data: Buffer, isKey: boolean): Buffer {
    return this.encoded(data, isKey, []);
  }

  restarted(data: Buffer): Buffer | null {
    const units = unitsOf(data);
    if (this.sequence === null || units.some(({ type }) => type === unitType.sequence)) return null;
    return Buffer.concat([this.sequence, data]);
  }

  carry(data: Buffer): readonly Buffer[] {
    return unitsOf(data)
      .filter((unit) => isMetadata(unit, [metadataType.registered]))
      .map(({ bytes }) => Buffer.from(bytes));
  }

  sameAs(other: Splicer): boolean {
    if (!(other instanceof Av1Splicer)) return false;
    const [own, others] = [this.sequence, other.sequence];
    return this.constant && other.constant && own !== null && others !== null && own.equals(others);
  }
}
