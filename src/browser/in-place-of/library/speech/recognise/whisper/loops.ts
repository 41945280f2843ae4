// In place of speech/recognise/whisper/loops.ts: a page has zlib's deflate only asynchronously.
import pako from 'pako/lib/deflate.js';

export { findLoop } from '../../../../../../library/speech/recognise/whisper/loops.ts';

export function compressionRatio(text: string): number {
  const bytes = new TextEncoder().encode(text);
  return bytes.length === 0 ? 0 : bytes.length / pako.deflate(bytes).length;
}
