// Units of HEVC (ITU-T H.265, 7.3): their ids, changed, and the messages beside pictures.
import { EarshotError } from '../../core/errors/errors.ts';
import { Bits, golomb, replaceBits, withoutStuffing, withStuffing } from './nal.ts';

export const unitType = {
  blaWithoutLeading: 18,
  cra: 21,
  lastVcl: 31,
  vps: 32,
  sps: 33,
  pps: 34,
  prefixSei: 39,
  /** Unspecified by H.265; Dolby Vision's metadata of a picture. */
  dolbyVision: 62,
} as const;

const headerBytes = 2;

export const typeOf = (unit: Buffer): number => ((unit[0] as number) >> 1) & 63;
/** 0: the base layer; others: further views or resolutions. */
export const layerOf = (unit: Buffer): number => (((unit[0] as number) & 1) << 5) | ((unit[1] ?? 0) >> 3);
/** Pictures at which a decoder can start: broken links, instantaneous refreshes, clean random access. */
export const isRandomAccess = (type: number): boolean => type >= 16 && type <= 21;

/** Parameter set ids for the encoded pictures, different from those of the copied ones. */
export interface SetIds {
  readonly vps: number;
  readonly sps: number;
  readonly pps: number;
}

/** Position of the sequence set's own id, in bits of its payload. @throws RangeError on a damaged set */
function spsIdAt(unit: Buffer): { at: number; bits: Bits } {
  const bits = new Bits(unit, headerBytes);
  bits.bits(4);
  const layers = bits.bits(3);
  bits.bits(1);
  bits.skip(96); // general profile, tier and level
  const present: [boolean, boolean][] = [];
  for (let layer = 0; layer < layers; layer += 1) present.push([bits.bit() === 1, bits.bit() === 1]);
  if (layers > 0) bits.skip(2 * (8 - layers));
  for (const [profile, level] of present) bits.skip((profile ? 88 : 0) + (level ? 8 : 0));
  return { at: bits.position, bits };
}

/** @throws RangeError on a damaged set */
export const vpsId = (unit: Buffer): number => new Bits(unit, headerBytes).bits(4);
/** @throws RangeError on a damaged set */
export const spsId = (unit: Buffer): number => spsIdAt(unit).bits.unsigned();
/** @throws RangeError on a damaged set */
export const ppsId = (unit: Buffer): number => new Bits(unit, headerBytes).unsigned();

const binary = (value: number, length: number): string => value.toString(2).padStart(length, '0');

/**
 * The picture set's id is coded in nine bits instead of one, so that the bits after it keep their place in the byte.
 */
const ppsIdBits = 9;

/**
 * Free ids. The code of the picture set's id has no zeros in its last two bits, so that it makes no byte of a slice
 * zero and emulation prevention stays valid.
 */
export function freeIds(taken: {
  readonly vps: readonly number[];
  readonly sps: readonly number[];
  readonly pps: readonly number[];
}): SetIds | null {
  const free = (ids: readonly number[], from: number, to: number): number | null => {
    for (let id = from; id <= to; id += 1) if (!ids.includes(id)) return id;
    return null;
  };
  const vps = free(taken.vps, 1, 15);
  const sps = free(taken.sps, 1, 15);
  const zeroEnding = [15, 19, 23, 27];
  const pps = free([...taken.pps, ...zeroEnding], 15, 30);
  return vps === null || sps === null || pps === null ? null : { vps, sps, pps };
}

/**
 * Renumbers a unit of an encoder whose sets all have the id 0.
 * @throws EarshotError internal_error for a unit that has another id
 */
export function withIds(unit: Buffer, ids: SetIds): Buffer {
  const type = typeOf(unit);
  if (type === unitType.vps) return replaceBits(unit, headerBytes, 0, 4, binary(ids.vps, 4));
  if (type === unitType.sps) {
    const { at, bits } = spsIdAt(unit);
    bits.unsigned();
    const renumbered = replaceBits(unit, headerBytes, at, bits.position, golomb(ids.sps));
    return replaceBits(renumbered, headerBytes, 0, 4, binary(ids.vps, 4));
  }
  if (type === unitType.pps) {
    const bits = new Bits(unit, headerBytes);
    bits.unsigned();
    bits.unsigned();
    return replaceBits(unit, headerBytes, 0, bits.position, golomb(ids.pps) + golomb(ids.sps));
  }
  return type <= unitType.lastVcl ? sliceWithId(unit, ids.pps) : unit;
}

/** Slices name their picture set in their first bits: flag, another flag at random access, id. */
function sliceWithId(unit: Buffer, pps: number): Buffer {
  const type = typeOf(unit);
  const flags = type >= 16 && type <= 23 ? 2 : 1;
  const first = unit[headerBytes] ?? 0;
  if (((first >> (7 - flags)) & 1) !== 1)
    throw new EarshotError('internal_error', 'Expected slices of the HEVC encoder to name the picture set 0');
  const rest = first & ((1 << (7 - flags)) - 1);
  const changed = ((first >> (8 - flags)) << (16 - flags)) | ((pps + 1) << (16 - flags - ppsIdBits)) | rest;
  return Buffer.concat([
    unit.subarray(0, headerBytes),
    Buffer.from([changed >> 8, changed & 255]),
    unit.subarray(headerBytes + 1),
  ]);
}

/** Clean random access becomes a broken link: decoders forget what came before. */
export function asBrokenLink(unit: Buffer): Buffer {
  if (typeOf(unit) !== unitType.cra) return unit;
  const changed = Buffer.from(unit);
  changed[0] = ((unit[0] as number) & 0x81) | (unitType.blaWithoutLeading << 1);
  return changed;
}

interface Message {
  readonly type: number;
  readonly bytes: Buffer;
}

/** Supplemental messages (SEI) of a unit; damaged ones are left out. */
function messagesOf(unit: Buffer): Message[] {
  const payload = withoutStuffing(unit, headerBytes);
  const messages: Message[] = [];
  const start = { at: 0 };
  const number = (): number => {
    let value = 0;
    while (payload[start.at] === 255) {
      value += 255;
      start.at += 1;
    }
    value += payload[start.at] ?? 0;
    start.at += 1;
    return value;
  };
  while (start.at + 2 < payload.length) {
    const from = start.at;
    const type = number();
    const size = number();
    if (start.at + size > payload.length) break;
    start.at += size;
    messages.push({ type, bytes: payload.subarray(from, start.at) });
  }
  return messages;
}

/** The messages of these types among a packet's units, as one unit; null without one. */
export function messageUnit(units: readonly Buffer[], types: readonly number[]): Buffer | null {
  const messages = units
    .filter((unit) => typeOf(unit) === unitType.prefixSei)
    .flatMap(messagesOf)
    .filter(({ type }) => types.includes(type));
  if (messages.length === 0) return null;
  const content = Buffer.concat([...messages.map(({ bytes }) => bytes), Buffer.from([0x80])]);
  return Buffer.concat([Buffer.from([unitType.prefixSei << 1, 1]), withStuffing(content)]);
}
