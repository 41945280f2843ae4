// Frames of FLAC with a fixed number of samples (RFC 9639, section 9): their number, and the checksums over it.
import { bitsAt } from './bits.ts';

/** Both checksums begin with 0. */
function checksum(bytes: Uint8Array, bits: 8 | 16, polynomial: number): number {
  const top = 2 ** (bits - 1);
  const mask = 2 ** bits - 1;
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & top ? polynomial : 0)) & mask;
  }
  return sum;
}

const headerPolynomial = 0x07;
const framePolynomial = 0x8005;

/** The product of two polynomials over GF(2), modulo that of a frame's checksum. */
function product(one: number, other: number): number {
  let sum = 0;
  for (let bit = 15; bit >= 0; bit -= 1) {
    sum = ((sum << 1) ^ (sum & 0x8000 ? framePolynomial : 0)) & 0xffff;
    if ((other >> bit) & 1) sum ^= one;
  }
  return sum;
}

/** What a frame's checksum becomes by so many bytes of zero. */
function afterZeros(sum: number, bytes: number): number {
  let result = sum;
  // x to the power of 8, of 16, of 32 ...
  let power = 0x100;
  for (let left = bytes; left > 0; left >>= 1) {
    if (left & 1) result = product(result, power);
    power = product(power, power);
  }
  return result;
}

/** As UTF-8 would code it, up to 31 bits. */
function codedNumber(value: number): number[] {
  if (value < 0x80) return [value];
  const length = [0x800, 0x1_0000, 0x20_0000, 0x400_0000].filter((limit) => value >= limit).length + 2;
  return Array.from({ length }, (_, index) => {
    const bits = (value >>> (6 * (length - 1 - index))) & 0x3f;
    return index === 0 ? ((0xff00 >> length) & 0xff) | (value >>> (6 * (length - 1))) : 0x80 | bits;
  });
}

const fixedPart = 4;

/** Bytes of a number, by the first one. */
const codedLength = (first: number): number => (first < 0x80 ? 1 : Math.clz32(~(first << 24)));

/** Bytes behind the number: samples and rate, where the header's codes do not say them, and the header's checksum. */
function restLength(data: Uint8Array): number {
  const samples = { 6: 1, 7: 2 }[bitsAt(data, 16, 4)] ?? 0;
  const rate = { 12: 1, 13: 2, 14: 2 }[bitsAt(data, 20, 4)] ?? 0;
  return samples + rate + 1;
}

/**
 * The same frame with another number.
 * @param data one of fixed numbers of samples
 */
export function numberedFrame(data: Uint8Array, number: number): Uint8Array {
  const oldLength = codedLength(data[fixedPart] ?? 0);
  const headerLength = fixedPart + oldLength + restLength(data);
  const rest = data.subarray(fixedPart + oldLength, headerLength - 1);
  const start = [...data.subarray(0, fixedPart), ...codedNumber(number), ...rest];
  const header = Uint8Array.from([...start, checksum(Uint8Array.from(start), 8, headerPolynomial)]);
  const numbered = new Uint8Array(header.length + data.length - headerLength);
  numbered.set(header);
  numbered.set(data.subarray(headerLength), header.length);
  // Checksums are linear: what changes is that of the header, moved to the frame's begin.
  const changed = checksum(header, 16, framePolynomial) ^ checksum(data.subarray(0, headerLength), 16, framePolynomial);
  const old = ((data.at(-2) ?? 0) << 8) | (data.at(-1) ?? 0);
  const sum = old ^ afterZeros(changed, data.length - headerLength - 2);
  numbered[numbered.length - 2] = sum >> 8;
  numbered[numbered.length - 1] = sum & 0xff;
  return numbered;
}
