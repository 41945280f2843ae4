// The Broadcast Wave extension (EBU Tech 3285, version 2).
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { waveChunks } from '../ffmpeg/wave-form.ts';

/** Where its fields are, bytes. */
const originationDateAt = 320;
const timeReferenceAt = 338;
const versionAt = 346;
const loudnessAt = 412;
const historyAt = 602;
const loudnessFields = 5;
/** "No value" of the loudness fields. */
const unstated = 0x7fff;

/** A history of more than a megabyte is none. */
const largestBext = 1024 * 1024;

export const isBext = (body: Buffer): boolean => body.length >= historyAt && body.length <= largestBext;

const text = (body: Buffer, from: number, to: number): string =>
  body.toString('latin1', from, to).replace(/\0[^]*/u, '');

/** The fields that FFmpeg gives as tags of other names. */
export const bextFields = (body: Buffer): { readonly description: string; readonly originationDate: string } => ({
  description: body.toString('utf8', 0, Math.max(0, body.indexOf(0) < 0 ? 256 : Math.min(256, body.indexOf(0)))),
  originationDate: text(body, originationDateAt, originationDateAt + 10),
});

/** What was made of the sound. */
export interface NewSound {
  readonly fromRate: number;
  readonly toRate: number;
  readonly channels: number;
  readonly bits: number;
  /** Source time of the first sample. */
  readonly firstSeconds: number;
  /** Was anything done to it? Then its loudness is another. */
  readonly isChanged: boolean;
  /** Was it written anew? null: it was copied. */
  readonly isEncoded: boolean;
}

/** Samples since midnight of the new first sample. */
export function movedReference(samples: bigint, { fromRate, toRate, firstSeconds }: NewSound): bigint {
  if (fromRate === toRate) return samples + BigInt(Math.round(firstSeconds * toRate));
  return BigInt(Math.round((Number(samples) / fromRate + firstSeconds) * toRate));
}

/** A line of the coding history (EBU R 98). Its modes are those of one and two channels. */
export const historyLine = ({ toRate, bits, channels }: NewSound): string => {
  const mode = { 1: ',M=mono', 2: ',M=stereo' }[channels] ?? '';
  return `A=PCM,F=${toRate},W=${bits}${mode},T=Earshot\r\n`;
};

/** The extension of the new sound. */
export function movedBext(body: Buffer, sound: NewSound): Buffer {
  const fixed = Buffer.from(body.subarray(0, historyAt));
  fixed.writeBigUInt64LE(
    BigInt.asUintN(64, movedReference(fixed.readBigUInt64LE(timeReferenceAt), sound)),
    timeReferenceAt,
  );
  if (sound.isChanged && fixed.readUInt16LE(versionAt) >= 2)
    for (let field = 0; field < loudnessFields; field += 1) fixed.writeInt16LE(unstated, loudnessAt + 2 * field);
  const history = text(body, historyAt, body.length);
  const begun = history === '' || history.endsWith('\n') ? history : `${history}\r\n`;
  return Buffer.concat([fixed, Buffer.from(sound.isEncoded ? begun + historyLine(sound) : history, 'latin1')]);
}

/** Runs with a finished file's extension. */
function withBext(path: string, use: (handle: number, at: number, size: number) => void): void {
  const handle = openSync(path, 'r+');
  try {
    const bytes = (at: number, size: number): Buffer => {
      const read = Buffer.alloc(size);
      return read.subarray(0, readSync(handle, read, 0, size, at));
    };
    for (const { id, bodyAt, bodyBytes } of waveChunks(bytes))
      if (id === 'bext' && bodyBytes >= historyAt) {
        use(handle, bodyAt, bodyBytes);
        return;
      }
  } finally {
    closeSync(handle);
  }
}

/** Puts an extension in the place of one that a muxer has written with `roomForBext`. */
export function replaceBext(path: string, body: Buffer): void {
  withBext(path, (handle, at, size) => {
    const padded = Buffer.alloc(size);
    body.copy(padded);
    writeSync(handle, padded, 0, size, at);
  });
}

/** The tag with which FFmpeg writes an extension of this size: it ends the history with a zero. */
export const roomForBext = (body: Buffer): string => 'x'.repeat(Math.max(1, body.length - historyAt - 1));

/** Loudness of the whole sound. null: it has none. */
export interface StatedLoudness {
  readonly integratedLufs: number | null;
  readonly loudnessRangeLu: number | null;
  readonly truePeakDbtp: number;
  readonly maxMomentaryLufs: number | null;
  readonly maxShortTermLufs: number | null;
}

/** States the loudness in a finished file's extension of version 2; other files stay as they are. */
export function stateLoudness(path: string, loudness: StatedLoudness): void {
  const { integratedLufs, loudnessRangeLu, truePeakDbtp, maxMomentaryLufs, maxShortTermLufs } = loudness;
  withBext(path, (handle, at) => {
    const version = Buffer.alloc(2);
    readSync(handle, version, 0, 2, at + versionAt);
    if (version.readUInt16LE(0) < 2) return;
    const values = Buffer.alloc(2 * loudnessFields);
    for (const [field, value] of [
      integratedLufs,
      loudnessRangeLu,
      truePeakDbtp,
      maxMomentaryLufs,
      maxShortTermLufs,
    ].entries()) {
      const isStated = value !== null && Number.isFinite(value) && Math.abs(value) < 327;
      values.writeInt16LE(isStated ? Math.round(value * 100) : unstated, 2 * field);
    }
    writeSync(handle, values, 0, values.length, at + loudnessAt);
  });
}
