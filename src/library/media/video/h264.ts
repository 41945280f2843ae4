// The part of H.264 (ITU-T H.264, 7.3; ISO/IEC 14496-15, 5.3) needed to join pieces of two encoders.
import { Bits, joinUnits, listedUnits, sameUnits, splitAnnexB, splitUnits } from './nal.ts';
import { lengthPrefixedMuxers, type Splicer } from './splicer.ts';

const nalType = { idr: 5, sps: 7, pps: 8 } as const;

/** Parameter sets, and the framing of units in packets. */
export interface H264Config {
  /** true: units after 4-byte lengths (mp4, mkv, flv). false: after start codes (ts). */
  readonly lengthPrefixed: boolean;
  readonly sps: readonly Buffer[];
  readonly pps: readonly Buffer[];
}

const typeOf = (unit: Buffer): number => (unit[0] as number) & 31;

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
  if (!source.lengthPrefixed) return joinUnits([...sps, ...pps], false);
  const first = sps[0] as Buffer;
  const profile = Math.max(...sps.map((unit) => unit[1] ?? 0));
  const level = Math.max(...sps.map((unit) => unit[3] ?? 0));
  // A constraint may be declared only when all parameter sets keep it.
  const constraints = sps.reduce((all, unit) => all & (unit[2] ?? 0), 0xff);
  const head = Buffer.from([1, profile, profile === first[1] ? constraints : 0, level, 0xff, 0xe0 | sps.length]);
  // Only sets of the same kind of samples are joined.
  const tail = tailProfiles.includes(profile) ? tailOf(first) : Buffer.alloc(0);
  return Buffer.concat([head, ...listedUnits(sps), Buffer.from([pps.length]), ...listedUnits(pps), tail]);
}

/** The kind of samples. */
interface Samples {
  /** chroma_format_idc: 0 to 3 for gray, 4:2:0, 4:2:2 and 4:4:4. */
  readonly chroma: number;
  readonly lumaBits: number;
  readonly chromaBits: number;
}

export interface SpsFacts extends Samples {
  readonly id: number;
  readonly profile: number;
  readonly level: number;
  /** Progressive, lossy, of a profile that x264 writes. */
  readonly plain: boolean;
}

/** Profiles whose configuration in mp4 and mkv says the kind of samples, and how. */
const tailProfiles: readonly number[] = [100, 110, 122, 144, 244];
function tailOf(sps: Buffer): Buffer {
  const bits = new Bits(sps, 4);
  bits.unsigned(); // id
  const { chroma, lumaBits, chromaBits } = saysSamples(sps) ? readSamples(bits) : plainSamples;
  return Buffer.from([0xfc | chroma, 0xf8 | (lumaBits - 8), 0xf8 | (chromaBits - 8), 0]);
}

/** Of sets that do not say it: 4:2:0 of 8 bits. */
const plainSamples = { chroma: 1, lumaBits: 8, chromaBits: 8, isApart: false } as const;
const saysSamples = (sps: Buffer): boolean =>
  [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].includes(sps[1] ?? 0);

function readSamples(bits: Bits): Samples & { readonly isApart: boolean } {
  const chroma = bits.unsigned();
  const isApart = chroma === 3 && bits.bit() === 1;
  return { chroma, isApart, lumaBits: 8 + bits.unsigned(), chromaBits: 8 + bits.unsigned() };
}

/** @throws RangeError on a damaged set */
export function readSps(unit: Buffer): SpsFacts {
  const profile = unit[1] ?? 0;
  const level = unit[3] ?? 0;
  const bits = new Bits(unit, 4);
  const id = bits.unsigned();
  let plain = true;
  const { isApart, ...samples } = saysSamples(unit) ? readSamples(bits) : plainSamples;
  if (saysSamples(unit)) {
    const bypass = bits.bit();
    // Three planes that are coded apart: x264 does not write them.
    plain = !isApart && bypass === 0;
    if (bits.bit() === 1) {
      for (let list = 0; list < (samples.chroma === 3 ? 12 : 8); list += 1)
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
  return { id, profile, level, ...samples, plain: plain && bits.bit() === 1 };
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
const ppsId = (unit: Buffer): number => new Bits(unit, 1).unsigned();

const profileNames: Readonly<Record<number, string>> = {
  66: 'baseline',
  77: 'main',
  88: 'main',
  100: 'high',
  110: 'high10',
  122: 'high422',
  244: 'high444',
};

const sameSamples = (one: Samples, other: Samples): boolean =>
  one.chroma === other.chroma && one.lumaBits === other.lumaBits && one.chromaBits === other.chromaBits;

/** Parameter sets that can coexist with a second encoder's: its profile, and a free id; null when they cannot. */
function joinable(config: H264Config): { id: number; profile: string } | null {
  try {
    const sets = config.sps.map(readSps);
    const profile = profileNames[Math.max(...sets.map((set) => set.profile))];
    if (profile === undefined || sets.some((set) => !set.plain || !sameSamples(set, sets[0] as SpsFacts))) return null;
    const taken = new Set([...sets.map((set) => set.id), ...config.pps.map(ppsId)]);
    // x264 gives both of its sets the same id; 31 is the highest id of a sequence set.
    for (let id = 1; id < 32; id += 1) if (!taken.has(id)) return { id, profile };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return null;
}

/** Joins by adding parameter sets under another id, and restarts at instantaneous refreshes (IDR). */
export class H264Splicer implements Splicer {
  /** Options for x264; null when pieces cannot be joined. */
  readonly second: { readonly id: number; readonly profile: string } | null;
  private readonly config: H264Config | null;
  private readonly known: ReadonlySet<string>;
  private constant = true;

  constructor(extradata: Buffer | null) {
    this.config = extradata && readConfig(extradata);
    this.second = this.config && joinable(this.config);
    this.known = new Set([...(this.config?.sps ?? []), ...(this.config?.pps ?? [])].map(text));
  }

  get setsInHead(): boolean {
    return this.config?.lengthPrefixed ?? false;
  }

  look(data: Buffer): boolean {
    if (!this.config) return false;
    const units = splitUnits(data, this.config.lengthPrefixed);
    for (const unit of units)
      if ((typeOf(unit) === nalType.sps || typeOf(unit) === nalType.pps) && !this.known.has(text(unit)))
        this.constant = false;
    return units.some((unit) => typeOf(unit) === nalType.idr);
  }

  fits(muxer: string): boolean {
    return (
      this.second !== null &&
      this.constant &&
      (this.setsInHead ? lengthPrefixedMuxers.includes(muxer) : muxer === 'mpegts')
    );
  }

  head(added: Buffer): Buffer | null {
    const second = readConfig(added);
    return this.config && second && joinConfigs(this.config, second);
  }

  encoded(data: Buffer): Buffer {
    return this.setsInHead ? joinUnits(splitAnnexB(data), true) : data;
  }

  around(data: Buffer): Buffer {
    return data;
  }

  restarted(): null {
    return null;
  }

  carry(): readonly Buffer[] {
    return [];
  }

  sameAs(other: Splicer): boolean {
    return (
      other instanceof H264Splicer &&
      this.config !== null &&
      other.config !== null &&
      this.constant &&
      other.constant &&
      this.config.lengthPrefixed === other.config.lengthPrefixed &&
      sameUnits(this.config.sps, other.config.sps) &&
      sameUnits(this.config.pps, other.config.pps)
    );
  }
}

const text = (unit: Buffer): string => unit.toString('latin1');
