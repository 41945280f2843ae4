// The form of a chain's result: that of its first file, or one that was asked for.
import { extname } from 'node:path';
import type { FileForm } from '../../media/write/written-form.ts';

const soundFormats = ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'opus'];

export const isSoundFormat = (extension: string): boolean => soundFormats.includes(extension);

/** @throws EarshotError as `probe` */
export async function formOf(path: string): Promise<FileForm> {
  const { probe } = await import('../../media/read/probe.ts');
  const { format, audio, tags } = probe(path);
  return {
    format,
    codec: audio?.codec ?? null,
    bitsPerSample: audio?.bitsPerSample ?? null,
    bitRateBps: audio?.bitRateBps ?? null,
    isBook: extname(path).toLowerCase() === '.m4b' || tags['major_brand']?.startsWith('M4B') === true,
  };
}

/** A format by its extension; lossless ones with the bits of the first file. @throws EarshotError as `probe` */
export async function namedForm(format: string, first: string): Promise<FileForm> {
  const { codec, bitsPerSample, isBook } = await formOf(first);
  const isFloat = codec?.startsWith('pcm_f') === true;
  const named = { format, bitRateBps: null, isBook: isBook && format === 'm4a' };
  if (format === 'flac') return { ...named, codec: 'flac', bitsPerSample: bitsPerSample ?? 16 };
  if (format !== 'wav') return { ...named, codec: null, bitsPerSample: null };
  return { ...named, codec: isFloat ? 'pcm_f32le' : 'pcm_s16le', bitsPerSample: bitsPerSample ?? 16 };
}
