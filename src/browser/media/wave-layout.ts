// Channel layouts of WAV files by the mask of the extensible header.
import { layoutMask, namedLayouts } from '../../library/core/channels.ts';
import { type Bytes, type WaveForm, waveChunks } from '../../library/media/ffmpeg/wave-form.ts';

/** FFmpeg's name of the layout that a header states; null: it states none, or one without a name. */
export function layoutOfMask({ isExtensible, channels }: WaveForm, bytes: Bytes): string | null {
  if (!isExtensible) return null;
  for (const { id, bodyAt } of waveChunks(bytes)) {
    if (id !== 'fmt ') continue;
    const mask = BigInt(bytes(bodyAt + 20, 4).readUInt32LE(0));
    return namedLayouts.find((name) => layoutMask(name, channels) === mask) ?? null;
  }
  return null;
}
