// Units of H.264 and HEVC: their framing in packets, and the bits inside them (ITU-T H.264 and H.265, 7.3.1, 9.2, annex
// B).

/** Units after start codes. */
export function splitAnnexB(data: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let start = -1;
  for (let at = 0; at + 2 < data.length; at += 1) {
    if ((data[at + 2] as number) > 1) {
      at += 2;
      continue;
    }
    if (data[at] !== 0 || data[at + 1] !== 0 || data[at + 2] !== 1) continue;
    if (start >= 0) units.push(trimZeros(data.subarray(start, at)));
    start = at + 3;
    at += 2;
  }
  if (start >= 0) units.push(trimZeros(data.subarray(start)));
  return units.filter((unit) => unit.length > 0);
}

/** A unit never ends in a zero byte; zeros there belong to the next start code or are padding. */
function trimZeros(unit: Buffer): Buffer {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end -= 1;
  return unit.subarray(0, end);
}

/** Units after 4-byte lengths; a unit beyond the end is left out. */
function splitLengthPrefixed(data: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + 4 < data.length;) {
    const end = at + 4 + data.readUInt32BE(at);
    if (end > data.length) break;
    if (end > at + 4) units.push(data.subarray(at + 4, end));
    at = end;
  }
  return units;
}

/** Units framed by 4-byte lengths, or by start codes. */
export const splitUnits = (data: Buffer, lengthPrefixed: boolean): Buffer[] =>
  lengthPrefixed ? splitLengthPrefixed(data) : splitAnnexB(data);

const startCode = Buffer.from([0, 0, 0, 1]);

/** Units as the content of a packet. */
export function joinUnits(units: readonly Buffer[], lengthPrefixed: boolean): Buffer {
  const parts: Buffer[] = [];
  for (const unit of units) {
    if (lengthPrefixed) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(unit.length);
      parts.push(length, unit);
    } else {
      parts.push(startCode, unit);
    }
  }
  return Buffer.concat(parts);
}

/** Lists of units after 2-byte lengths, as in file headers. */
export const listedUnits = (units: readonly Buffer[]): Buffer[] =>
  units.flatMap((unit) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(unit.length);
    return [length, unit];
  });

export const sameUnits = (a: readonly Buffer[], b: readonly Buffer[]): boolean =>
  a.length === b.length && a.every((unit, at) => unit.equals(b[at] as Buffer));

/** A unit's bytes without emulation prevention, from a byte on. */
export function withoutStuffing(unit: Buffer, from: number): Buffer {
  const out = Buffer.alloc(unit.length);
  let length = 0;
  let zeros = 0;
  for (let at = from; at < unit.length; at += 1) {
    const byte = unit[at] as number;
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    out[length] = byte;
    length += 1;
  }
  return out.subarray(0, length);
}

/** The bytes with emulation prevention. */
export function withStuffing(payload: Buffer): Buffer {
  const out: number[] = [];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3);
      zeros = 0;
    }
    out.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(out);
}

/** Exp-Golomb reader over a unit's payload, emulation prevention bytes removed. */
export class Bits {
  private readonly data: Buffer;
  private at = 0;

  constructor(unit: Buffer, from: number) {
    this.data = withoutStuffing(unit, from);
  }

  /** Bits read so far. */
  get position(): number {
    return this.at;
  }

  skip(count: number): void {
    this.at += count;
  }

  bit(): number {
    const byte = this.data[this.at >> 3];
    if (byte === undefined) throw new RangeError('The parameter set ends too early');
    const bit = (byte >> (7 - (this.at & 7))) & 1;
    this.at += 1;
    return bit;
  }

  bits(count: number): number {
    let value = 0;
    for (let n = 0; n < count; n += 1) value = value * 2 + this.bit();
    return value;
  }

  unsigned(): number {
    let zeros = 0;
    while (this.bit() === 0) {
      zeros += 1;
      if (zeros > 31) throw new RangeError('Not an Exp-Golomb code');
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  signed(): number {
    const code = this.unsigned();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}

/**
 * A unit with some of its bits replaced; the bits after them are shifted. The unit ends in a stop bit and zeros, as
 * parameter sets do.
 * @param header bytes before the payload
 * @param from first replaced bit of the payload, `to` the one after the last
 */
export function replaceBits(unit: Buffer, header: number, from: number, to: number, bits: string): Buffer {
  const payload = withoutStuffing(unit, header);
  const all = Array.from(payload, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const changed = (all.slice(0, from) + bits + all.slice(to)).replace(/(?<!0)0+$/u, '');
  const bytes = changed.padEnd(Math.ceil(changed.length / 8) * 8, '0').match(/.{8}/gu) ?? [];
  const content = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  return withStuffing(Buffer.concat([unit.subarray(0, header), content]));
}

/** A number's Exp-Golomb code. */
export function golomb(value: number): string {
  const code = (value + 1).toString(2);
  return '0'.repeat(code.length - 1) + code;
}
