// Half precision (IEEE 754 binary16), which some networks use; Node has an array type for it only from 24 on.

const bits = new Uint32Array(1);
const single = new Float32Array(bits.buffer);

/** One number's bits, rounded to the nearest, ties to even; too large becomes infinite. */
function halfOf(value: number): number {
  single[0] = value;
  const word = bits[0] as number;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Under 2^-14 halves are multiples of 2^-24.
    const scaled = Math.abs(value) * 2 ** 24;
    const below = Math.floor(scaled);
    const rest = scaled - below;
    return sign | (rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below);
  }
  const kept = magnitude - 0x38000000;
  return sign | ((kept + 0xfff + ((kept >>> 13) & 1)) >>> 13);
}

export const toHalf = (values: Float32Array): Uint16Array<ArrayBuffer> => Uint16Array.from(values, halfOf);

/** @param values bits of halves */
export function fromHalf(values: Uint16Array): Float32Array<ArrayBuffer> {
  return Float32Array.from(values, (half) => {
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >>> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}
