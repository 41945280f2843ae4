// Reads uncompressed WAV by ranges, so that a recording of any length can be played to the sample without being held.

export interface WavLayout {
  readonly sampleRate: number;
  readonly channels: number;
  readonly bits: 16 | 24 | 32;
  readonly isFloat: boolean;
  /** Of the samples, in bytes of the file. */
  readonly offset: number;
  readonly frames: number;
}

const name = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));

/**
 * @param head the first bytes of the file
 * @param fileBytes its whole length
 * @returns null: no WAV, of a kind that is not read here, or its samples begin further on
 */
export function wavLayout(head: ArrayBuffer, fileBytes: number): WavLayout | null {
  const view = new DataView(head);
  if (head.byteLength < 44 || name(view, 0) !== 'RIFF' || name(view, 8) !== 'WAVE') return null;
  let format: Pick<WavLayout, 'sampleRate' | 'channels' | 'bits' | 'isFloat'> | null = null;
  for (let at = 12; at + 8 <= head.byteLength;) {
    const [id, size] = [name(view, at), view.getUint32(at + 4, true)];
    if (id === 'fmt ' && at + 24 <= head.byteLength) {
      const tag = view.getUint16(at + 8, true);
      const kind = tag === 0xfffe && at + 34 <= head.byteLength ? view.getUint16(at + 32, true) : tag;
      const bits = view.getUint16(at + 22, true);
      const isFloat = kind === 3;
      if ((kind !== 1 && kind !== 3) || ![16, 24, 32].includes(bits) || (isFloat && bits !== 32)) return null;
      format = {
        channels: view.getUint16(at + 10, true),
        sampleRate: view.getUint32(at + 12, true),
        bits: bits as WavLayout['bits'],
        isFloat,
      };
    }
    if (id === 'data') {
      if (format === null || format.channels === 0) return null;
      const offset = at + 8;
      const bytes = Math.min(size, fileBytes - offset);
      return { ...format, offset, frames: Math.floor(bytes / (format.channels * (format.bits / 8))) };
    }
    at += 8 + size + (size % 2);
  }
  return null;
}

/** Interleaved samples as planes of -1 to 1. */
export function wavSamples(
  bytes: ArrayBuffer,
  { channels, bits, isFloat }: Pick<WavLayout, 'channels' | 'bits' | 'isFloat'>,
): Float32Array<ArrayBuffer>[] {
  const view = new DataView(bytes);
  const step = bits / 8;
  const frames = Math.floor(bytes.byteLength / (step * channels));
  const planes = Array.from({ length: channels }, () => new Float32Array(frames));
  const read = isFloat
    ? (at: number) => view.getFloat32(at, true)
    : bits === 16
      ? (at: number) => view.getInt16(at, true) / 2 ** 15
      : bits === 24
        ? (at: number) => (view.getUint16(at, true) + view.getInt8(at + 2) * 2 ** 16) / 2 ** 23
        : (at: number) => view.getInt32(at, true) / 2 ** 31;
  for (let frame = 0; frame < frames; frame++)
    for (const [channel, plane] of planes.entries()) plane[frame] = read((frame * channels + channel) * step);
  return planes;
}
