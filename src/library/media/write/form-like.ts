// The form of a chain's result: that of its first file, or one that was asked for.
import { extname } from 'node:path';
import { probe } from '../read/probe.ts';
import { type FileForm, soundRateBps } from './written-form.ts';

/**
 * The form of a file.
 * @param format another container by its extension, a lossless one with the file's own bits; null: the file's
 * @throws EarshotError as `probe`
 */
export function formLike(path: string, format: string | null): FileForm {
  const { audio, tags, ...facts } = probe(path);
  const { codec = null, bitsPerSample = null } = audio ?? {};
  const isBook = extname(path).toLowerCase() === '.m4b' || tags['major_brand']?.startsWith('M4B') === true;
  if (format === null)
    return { format: facts.format, codec, bitsPerSample, bitRateBps: soundRateBps({ audio, ...facts }), isBook };
  const isFloat = codec?.startsWith('pcm_f') === true;
  const named = { format, bitRateBps: null, isBook: isBook && format === 'm4a' };
  if (format === 'flac') return { ...named, codec: 'flac', bitsPerSample: bitsPerSample ?? 16 };
  if (format !== 'wav') return { ...named, codec: null, bitsPerSample: null };
  return { ...named, codec: isFloat ? 'pcm_f32le' : 'pcm_s16le', bitsPerSample: bitsPerSample ?? 16 };
}
