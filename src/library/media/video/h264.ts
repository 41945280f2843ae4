// The part of H.264 (ITU-T H.264, 7.3; ISO/IEC 14496-15, 5.3) needed to join pieces of two encoders.

export const nalType = { idr: 5, sps: 7, pps: 8 } as const;

/** Parameter sets, and the framing of units in packets. */
export interface H264Config {
  /** true: units after 4-byte lengths (mp4, mkv, flv). false: after start codes (ts). */
  readonly lengthPrefixed: boolean;
  readonly sps: readonly Buffer[];
  readonly pps: readonly Buffer[];
}

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
export function splitLengthPrefixed(data: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + 4 < data.length;) {
    const end = at + 4 + data.readUInt32BE(at);
    if (end > data.length) break;
    if (end > at + 4) units.push(data.subarray(at + 4, end));
    at = end;
  }
  return units;
}

export const typeOf = (unit: Buffer): number => (unit[0] as number) & 31;

/** Replaces start codes by lengths, without the given unit types. */
export function toLengthPrefixed(data: Buffer, without: readonly number[] = []): Buffer {
  const parts: Buffer[] = [];
  for (const unit of splitAnnexB(data)) {
    if (without.includes(typeOf(unit))) continue;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    parts.push(length, unit);
  }
  return Buffer.concat(parts);
}

/** Reads a codec's extradata; null when it cannot be joined (no parameter sets, lengths other than 4 bytes). */
export function readConfig(extradata: Buffer): H264Config | null {
  if (extradata.length < 7) return null;
  if (extradata[0] !== 1) {
    const units = splitAnnexB(extradata);
    const sps = units.filter((unit) => typeOf(unit) === nalType.sps);
    const pps = units.filter((unit) => typeOf(unit) === nalType.pps);
    return sps.length > 0 && pps.length > 0 ? { lengthPrefixed: false, sps, pps } : null;
  }
  if (((extradata[4] as number) & 3) !== 3) return null;
  let at = 5;
  const read = (mask: number): Buffer[] | null => {
    const count = (extradata[at] ?? 0) & mask;
    at += 1;
    const units: Buffer[] = [];
    for (let n = 0; n < count; n += 1) {
      if (at + 2 > extradata.length) return null;
      const end = at + 2 + extradata.readUInt16BE(at);
      if (end > extradata.length) return null;
      units.push(extradata.subarray(at + 2, end));
      at = end;
    }
    return units;
  };
  const sps = read(31);
  const pps = sps && read(255);
  return sps && pps && sps.length > 0 && pps.length > 0 ? { lengthPrefixed: true, sps, pps } : null;
}

/** Both configurations as the extradata for the first one's packets. */
export function joinConfigs(source: H264Config, added: H264Config): Buffer {
  const sps = [...source.sps, ...added.sps];
  const pps = [...source.pps, ...added.pps];
  if (!source.lengthPrefixed)
    return Buffer.concat([...sps, ...pps].flatMap((unit) => [Buffer.from([0, 0, 0, 1]), unit]));
  const listed = (units: readonly Buffer[]): Buffer[] =>
    units.flatMap((unit) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(unit.length);
      return [length, unit];
    });
  const first = sps[0] as Buffer;
  const profile = Math.max(...sps.map((unit) => unit[1] ?? 0));
  const level = Math.max(...sps.map((unit) => unit[3] ?? 0));
  // A constraint may be declared only when all parameter sets keep it.
  const constraints = sps.reduce((all, unit) => all & (unit[2] ?? 0), 0xff);
  const head = Buffer.from([1, profile, profile === first[1] ? constraints : 0, level, 0xff, 0xe0 | sps.length]);
  // Only 4:2:0 with 8 bits is joined, so the tail of the high profiles is constant.
  const tail = [100, 110, 122, 144].includes(profile) ? Buffer.from([0xfd, 0xf8, 0xf8, 0]) : Buffer.alloc(0);
  return Buffer.concat([head, ...listed(sps), Buffer.from([pps.length]), ...listed(pps), tail]);
}

/** Exp-Golomb reader over a unit's payload, emulation prevention bytes removed. */
class Bits {
  private readonly data: number[] = [];
  private at = 0;

  constructor(unit: Buffer, from: number) {
    for (let index = from; index < unit.length; index += 1) {
      const stuffed = index >= from + 2 && unit[index] === 3 && unit[index - 1] === 0 && unit[index - 2] === 0;
      if (!stuffed) this.data.push(unit[index] as number);
    }
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

export interface SpsFacts {
  readonly id: number;
  readonly profile: number;
  readonly level: number;
  /** Progressive, 4:2:0, 8 bits. */
  readonly plain: boolean;
}

/** @throws RangeError on a damaged set */
export function readSps(unit: Buffer): SpsFacts {
  const profile = unit[1] ?? 0;
  const level = unit[3] ?? 0;
  const bits = new Bits(unit, 4);
  const id = bits.unsigned();
  let plain = true;
  if ([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].includes(profile)) {
    const chroma = bits.unsigned();
    if (chroma === 3) bits.bit();
    const luma = bits.unsigned();
    const chromaDepth = bits.unsigned();
    const bypass = bits.bit();
    plain = chroma === 1 && luma === 0 && chromaDepth === 0 && bypass === 0;
    if (bits.bit() === 1) {
      for (let list = 0; list < (chroma === 3 ? 12 : 8); list += 1)
        if (bits.bit() === 1) skipScalingList(bits, list < 6 ? 16 : 64);
    }
  } else if (![66, 77, 88].includes(profile)) {
    plain = false;
  }
  bits.unsigned(); // log2_max_frame_num
  const order = bits.unsigned();
  if (order === 0) {
    bits.unsigned();
  } else if (order === 1) {
    bits.bit();
    bits.signed();
    bits.signed();
    for (let left = bits.unsigned(); left > 0; left -= 1) bits.signed();
  }
  bits.unsigned(); // references
  bits.bit(); // gaps
  bits.unsigned(); // width
  bits.unsigned(); // height
  return { id, profile, level, plain: plain && bits.bit() === 1 };
}

function skipScalingList(bits: Bits, size: number): void {
  let last = 8;
  let next = 8;
  for (let at = 0; at < size; at += 1) {
    if (next !== 0) next = (last + bits.signed() + 256) % 256;
    if (next !== 0) last = next;
  }
}

/** @throws RangeError on a damaged set */
export const ppsId = (unit: Buffer): number => new Bits(unit, 1).unsigned();
