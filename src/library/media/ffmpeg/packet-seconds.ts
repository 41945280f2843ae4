import type { Packet } from 'node-av/lib';

/** A packet's length from its own header, seconds; null when it does not state one. */
export type OwnSeconds = (packet: Packet) => number | null;

const mpegRates = [44_100, 48_000, 32_000];
const adtsRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];

/** An MPEG audio frame's header, ISO/IEC 11172-3 2.4.2.3 and 13818-3 2.4.2.3; MPEG 2.5 is Fraunhofer's. */
function mpegSeconds([first = 0, second = 0, third = 0]: Uint8Array): number | null {
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const rate = mpegRates[(third >> 2) & 3];
  if (first !== 0xff || second < 0xe0 || version === 1 || layer === 4 || rate === undefined) return null;
  const halvings = version === 3 ? 0 : version === 2 ? 1 : 2;
  const frames = layer === 1 ? 384 : layer === 3 && halvings > 0 ? 576 : 1152;
  return frames / (rate / 2 ** halvings);
}

/**
 * An ADTS frame's header, ISO/IEC 13818-7 6.2. Its rate is that of the core, which SBR doubles together with the
 * frames.
 */
function adtsSeconds([first = 0, second = 0, third = 0, , , , seventh = 0]: Uint8Array): number | null {
  const rate = adtsRates[(third >> 2) & 15];
  if (first !== 0xff || (second & 0xf6) !== 0xf0 || rate === undefined) return null;
  return (1024 * ((seventh & 3) + 1)) / rate;
}

/** Blocks of an E-AC-3 frame by its code; a block has 256 samples. */
const blocks = [1, 2, 3, 6];

/** A frame of AC-3 or E-AC-3, ETSI TS 102 366 4.4.1, 4.4.2, E.1.2.2: a dependent one belongs to the one before. */
function dolbySeconds([first = 0, second = 0, third = 0, , fifth = 0, sixth = 0]: Uint8Array): number | null {
  const version = sixth >> 3;
  if (first !== 0x0b || second !== 0x77 || version > 16) return null;
  const rate = mpegRates[[1, 0, 2][fifth >> 6] ?? 3];
  if (version <= 10) return rate === undefined ? null : 1536 / (rate / 2 ** Math.max(0, version - 8));
  if (third >> 6 === 1) return 0;
  if (rate !== undefined) return (256 * (blocks[(fifth >> 4) & 3] as number)) / rate;
  const halved = mpegRates[[1, 0, 2][(fifth >> 4) & 3] ?? 3];
  return halved === undefined ? null : 1536 / (halved / 2);
}

const readers: Readonly<Record<string, (data: Uint8Array) => number | null>> = {
  mp2: mpegSeconds,
  mp3: mpegSeconds,
  aac: adtsSeconds,
  ac3: dolbySeconds,
  eac3: dolbySeconds,
};

/**
 * Reads lengths from packets' own headers: their rate may change midway, as in programmes with inserted advertisements.
 * null for those that have none.
 * @param name of a codec, or of the demuxer of a format without a container
 */
export function ownSecondsOf(name: string): OwnSeconds | null {
  const read = readers[name];
  if (read === undefined) return null;
  return ({ data }) => (data === null ? null : read(data));
}
