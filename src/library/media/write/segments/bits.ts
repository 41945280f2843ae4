/** `count` bits, at most 24, from bit `from` of the bytes on, the most significant first; beyond the end they are 0. */
export function bitsAt(bytes: Uint8Array, from: number, count: number): number {
  const first = from >> 3;
  const four =
    ((bytes[first] ?? 0) * 2 ** 24 +
      ((bytes[first + 1] ?? 0) << 16) +
      ((bytes[first + 2] ?? 0) << 8) +
      (bytes[first + 3] ?? 0)) >>>
    0;
  return (four >>> (32 - (from & 7) - count)) & (2 ** count - 1);
}
