// What a WAV file holds beside its sound.
import { closeSync, openSync, readSync } from 'node:fs';
import { readWaveForm, waveChunks, type WaveForm } from '../ffmpeg/wave-form.ts';

/** A part of a RIFF file. */
export interface WaveChunk {
  /** Four letters: "bext", "cue ". */
  readonly id: string;
  readonly body: Buffer;
}

export interface WaveContents {
  readonly form: WaveForm;
  /** All but the sound, what describes its samples, and tags; a list has its own name: "adtl". */
  readonly chunks: readonly WaveChunk[];
  /** Names of those that are too large for memory. */
  readonly tooLarge: readonly string[];
}

/** The sound and its form, what only fills space, and tags, which are read with the file's facts. */
const notCarried = new Set(['fmt ', 'data', 'fact', 'ds64', 'JUNK', 'junk', 'PAD ', 'FLLR', 'PEAK', 'id3 ', 'ID3 ']);
/** As of an ID3 tag. */
const largestChunk = 64 * 1024 * 1024;
const looksLikeName = /^[\w -]{4}$/u;

/**
 * @param wanted names. Default: all
 * @returns null: not a WAV file
 */
export function readWave(path: string, wanted: readonly string[] | null = null): WaveContents | null {
  const handle = openSync(path, 'r');
  try {
    const bytes = (at: number, size: number): Buffer => {
      const read = Buffer.alloc(size);
      return read.subarray(0, readSync(handle, read, 0, size, at));
    };
    const form = readWaveForm(bytes);
    if (form === null) return null;
    const chunks: WaveChunk[] = [];
    const tooLarge: string[] = [];
    let left = largestChunk;
    for (const { id, bodyAt, bodyBytes } of waveChunks(bytes)) {
      if (notCarried.has(id) || bodyBytes === 0) continue;
      // Behind a damaged size, anything may follow.
      if (!looksLikeName.test(id)) break;
      const isList = id.toUpperCase() === 'LIST';
      const name = isList ? bytes(bodyAt, 4).toString('latin1') : id;
      if (name === 'INFO' || wanted?.includes(name) === false) continue;
      if (bodyBytes > left) {
        tooLarge.push(name);
        continue;
      }
      left -= bodyBytes;
      const body = bytes(bodyAt, bodyBytes);
      if (body.length === bodyBytes) chunks.push({ id: name, body: isList ? body.subarray(4) : body });
    }
    return { form, chunks, tooLarge };
  } finally {
    closeSync(handle);
  }
}

/** The parts of a list. Ends where its sizes do not fit. */
export function* partsOf(list: Buffer): Generator<WaveChunk> {
  for (let at = 0; at + 8 <= list.length;) {
    const size = list.readUInt32LE(at + 4);
    if (at + 8 + size > list.length) return;
    yield { id: list.toString('latin1', at, at + 4), body: list.subarray(at + 8, at + 8 + size) };
    at += 8 + size + (size % 2);
  }
}

/** With its head, padded to whole words. */
export function chunkBytes({ id, body }: WaveChunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}
