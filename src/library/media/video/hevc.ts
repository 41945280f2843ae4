// The part of HEVC (ITU-T H.265; ISO/IEC 14496-15, 8.3) needed to join pieces of two encoders.
import { joinUnits, listedUnits, sameUnits, splitAnnexB, splitUnits, withoutStuffing } from './nal.ts';
import {
  asBrokenLink,
  freeIds,
  isRandomAccess,
  layerOf,
  messageUnit,
  ppsId,
  type SetIds,
  spsId,
  typeOf,
  unitType,
  vpsId,
  withIds,
} from './hevc-units.ts';
import { lengthPrefixedMuxers, type Splicer } from './splicer.ts';

interface HevcConfig {
  /** Fields before the lists of an hvcC; null for a stream with start codes. */
  readonly head: Buffer | null;
  readonly units: readonly Buffer[];
}

const setTypes: readonly number[] = [unitType.vps, unitType.sps, unitType.pps];
const headBytes = 22;

/** Reads a codec's extradata; null when it cannot be joined (a set is missing, lengths other than 4 bytes). */
function readConfig(extradata: Buffer): HevcConfig | null {
  const complete = (units: readonly Buffer[]): boolean =>
    setTypes.every((type) => units.some((unit) => typeOf(unit) === type));
  if (extradata[0] !== 1) {
    const units = splitAnnexB(extradata);
    return complete(units) ? { head: null, units } : null;
  }
  if (extradata.length <= headBytes || ((extradata[headBytes - 1] as number) & 3) !== 3) return null;
  const units: Buffer[] = [];
  let at = headBytes + 1;
  for (let lists = extradata[headBytes] as number; lists > 0; lists -= 1) {
    if (at + 3 > extradata.length) return null;
    let count = extradata.readUInt16BE(at + 1);
    for (at += 3; count > 0; count -= 1) {
      if (at + 2 > extradata.length) return null;
      const end = at + 2 + extradata.readUInt16BE(at);
      if (end > extradata.length || end === at + 2) return null;
      units.push(extradata.subarray(at + 2, end));
      at = end;
    }
  }
  return complete(units) ? { head: extradata.subarray(0, headBytes), units } : null;
}

/** General profile, tier and level of a sequence set: 12 bytes after its first. */
const profileOf = (sps: Buffer): Buffer => withoutStuffing(sps, 2).subarray(1, 13);

/** An hvcC for the packets of both encoders: its constraints hold for all sets. */
function joinedHead(head: Buffer, units: readonly Buffer[]): Buffer {
  const joined = Buffer.from(head);
  for (const sps of units.filter((unit) => typeOf(unit) === unitType.sps)) {
    const profile = profileOf(sps);
    const [own, other] = [joined[1] as number, profile[0] as number];
    joined[1] = Math.max(own & 0x1f, other & 0x1f) | ((own | other) & 0x20);
    // Compatibility and constraints count only where all sets have them.
    for (let at = 2; at < 12; at += 1) joined[at] = (joined[at] as number) & (profile[at - 1] as number);
    joined[12] = Math.max(joined[12] as number, profile[11] as number);
  }
  const profile = (joined[1] as number) & 0x1f;
  joined.writeUInt32BE((joined.readUInt32BE(2) | (0x8000_0000 >>> profile)) >>> 0, 2);
  joined.writeUInt16BE(0xf000, 13); // spatial segmentation: not stated
  joined[15] = 0xfc; // parallelism: not stated
  const types = [...new Set([...setTypes, ...units.map(typeOf)])];
  const lists = types.map((type) => {
    const listed = units.filter((unit) => typeOf(unit) === type);
    return Buffer.concat([Buffer.from([0x80 | type, listed.length >> 8, listed.length & 255]), ...listedUnits(listed)]);
  });
  return Buffer.concat([joined, Buffer.from([lists.length]), ...lists]);
}

/** Free ids for a second encoder's sets; null when none are left, or a set is damaged. */
function secondIds(config: HevcConfig): SetIds | null {
  const ids = (type: number, read: (unit: Buffer) => number): number[] =>
    config.units.filter((unit) => typeOf(unit) === type).map(read);
  try {
    return freeIds({ vps: ids(unitType.vps, vpsId), sps: ids(unitType.sps, spsId), pps: ids(unitType.pps, ppsId) });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Mastering display, light levels and preferred transfer: once for the stream, repeated at pictures where it starts.
 */
const streamMessages = [137, 144, 147];
/** Registered user data: HDR10+, captions. */
const pictureMessages = [4];

/**
 * Joins by adding parameter sets under other ids. Copying can start at any random access picture: pictures that
 * reference earlier ones are encoded, and the random access picture is marked as a broken link (8.1.3), so that no
 * decoder uses the encoded pictures as references.
 */
export class HevcSplicer implements Splicer {
  private readonly config: HevcConfig | null;
  private readonly ids: SetIds | null;
  private readonly known: ReadonlySet<string>;
  private constant = true;
  private layered = false;
  /** Once for the stream. */
  private messages: Buffer | null = null;

  constructor(extradata: Buffer | null) {
    this.config = extradata && readConfig(extradata);
    this.ids = this.config && secondIds(this.config);
    this.known = new Set(this.config?.units.map(text) ?? []);
  }

  get setsInHead(): boolean {
    return this.config?.head !== null;
  }

  look(data: Buffer): boolean {
    if (!this.config) return false;
    const units = this.unitsOf(data);
    for (const unit of units) {
      if (setTypes.includes(typeOf(unit)) && !this.known.has(text(unit))) this.constant = false;
      if (layerOf(unit) > 0) this.layered = true;
    }
    this.messages ??= messageUnit(units, streamMessages);
    const picture = units.find((unit) => typeOf(unit) <= unitType.lastVcl);
    return picture !== undefined && isRandomAccess(typeOf(picture));
  }

  fits(muxer: string): boolean {
    return (
      this.ids !== null &&
      this.constant &&
      !this.layered &&
      (this.setsInHead ? lengthPrefixedMuxers.includes(muxer) : muxer === 'mpegts')
    );
  }

  head(added: Buffer): Buffer | null {
    const second = readConfig(added);
    const { config, ids } = this;
    if (!config?.head || !second || !ids) return null;
    const sets = second.units.filter((unit) => setTypes.includes(typeOf(unit))).map((unit) => withIds(unit, ids));
    return joinedHead(config.head, [...config.units, ...sets]);
  }

  encoded(data: Buffer, isKey: boolean, carried: readonly Buffer[]): Buffer {
    const units = splitAnnexB(data).map((unit) => withIds(unit, this.ids as SetIds));
    return joinUnits(this.withMessages(units, isKey, carried), this.setsInHead);
  }

  around(data: Buffer, isKey: boolean): Buffer {
    return isKey ? joinUnits(this.withMessages(splitAnnexB(data), isKey, []), false) : data;
  }

  private withMessages(units: readonly Buffer[], isKey: boolean, carried: readonly Buffer[]): Buffer[] {
    const first = units.findIndex((unit) => typeOf(unit) <= unitType.lastVcl);
    const before = [...(isKey && this.messages ? [this.messages] : []), ...carried.filter(isBefore)];
    const after = carried.filter((unit) => !isBefore(unit));
    return [...units.slice(0, first), ...before, ...units.slice(first), ...after];
  }

  restarted(data: Buffer, behindOthers: boolean): Buffer | null {
    const units = this.unitsOf(data);
    if (!behindOthers || !units.some((unit) => typeOf(unit) === unitType.cra)) return null;
    return joinUnits(units.map(asBrokenLink), this.setsInHead);
  }

  carry(data: Buffer): readonly Buffer[] {
    const units = this.unitsOf(data);
    const messages = messageUnit(units, pictureMessages);
    return [...(messages ? [messages] : []), ...units.filter((unit) => typeOf(unit) === unitType.dolbyVision)];
  }

  sameAs(other: Splicer): boolean {
    return (
      other instanceof HevcSplicer &&
      this.config !== null &&
      other.config !== null &&
      this.constant &&
      other.constant &&
      this.setsInHead === other.setsInHead &&
      sameUnits(this.config.units, other.config.units)
    );
  }

  private unitsOf(data: Buffer): Buffer[] {
    return splitUnits(data, this.setsInHead);
  }
}

const text = (unit: Buffer): string => unit.toString('latin1');
/** Dolby Vision's metadata is the last of its picture's units. */
const isBefore = (unit: Buffer): boolean => typeOf(unit) !== unitType.dolbyVision;
