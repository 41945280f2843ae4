// Texts in the chunks of a WAV file: descriptions, marks, markup of recorders. They are overwritten where they are.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { waveChunks } from '../../media/ffmpeg/wave-form.ts';
import type { Finder } from '../../speech/redact/sought.ts';

/** The sound, what describes its samples, and tags of ID3, which are changed as tags. */
const notTexts = new Set(['fmt ', 'data', 'fact', 'ds64', 'PEAK', 'id3 ', 'ID3 ']);
/** Larger chunks are no texts that anyone wrote. */
const largestBytes = 4 * 1024 * 1024;

/**
 * Puts stars over what was sought, so that sizes and places of all else stay.
 * @returns how many chunks were changed; 0 for files of other kinds
 */
export function blankWaveTexts(path: string, finder: Finder): number {
  const handle = openSync(path, 'r+');
  try {
    const bytes = (at: number, size: number): Buffer => {
      const read = Buffer.alloc(size);
      return read.subarray(0, readSync(handle, read, 0, size, at));
    };
    let changed = 0;
    for (const { id, bodyAt, bodyBytes } of waveChunks(bytes)) {
      if (notTexts.has(id) || bodyBytes === 0 || bodyBytes > largestBytes) continue;
      const body = bytes(bodyAt, bodyBytes);
      if (!blankWords(body, finder)) continue;
      writeSync(handle, body, 0, body.length, bodyAt);
      changed += 1;
    }
    return changed;
  } finally {
    closeSync(handle);
  }
}

/** A letter for each byte, so that places in the text are places in the chunk; marks of markup are between words. */
function blankWords(body: Buffer, finder: Finder): boolean {
  const words = [...body.toString('latin1').matchAll(/[!#-:?-~\u0080-\u00FF]+/g)].map(({ 0: letters, index }) => ({
    text: Buffer.from(letters, 'latin1').toString('utf8'),
    from: index,
    to: index + letters.length,
  }));
  const hits = finder.find(words);
  for (const { from, to } of hits) {
    for (const word of words.slice(from, to)) body.fill(star, word.from, word.to);
  }
  return hits.length > 0;
}

const star = '*'.charCodeAt(0);
