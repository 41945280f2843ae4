// A recording for speech networks: 16 kHz, mono, random access. It is on disk, so that ten hours take no memory and
// every thread can read it.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDiskFull, noRoomToWork } from '../core/errors/disk-full.ts';
import type { Warning } from '../core/progress/progress.ts';
import type { MediaFacts } from '../media/facts.ts';
import { openAudio } from '../media/read/decode.ts';
import { drive } from '../media/read/drive.ts';
import { withoutBroken } from '../pcm/broken-samples.ts';

/** Sample rate of all speech networks here. */
export const speechRate = 16_000;

/** Full scale 1; float32 samples in native byte order, nothing else in the file. */
export interface SpeechSound {
  /** Pass it to another thread, which opens it again. */
  readonly path: string;
  /** Of one in memory, which this thread alone hears: all of it. Its path is empty. */
  readonly held?: Float32Array;
  readonly frames: number;
  readonly durationSeconds: number;
  /**
   * @param from first frame; outside the recording is silence
   * @returns a new array
   */
  read(from: number, frames: number): Float32Array<ArrayBuffer>;
  close(): void;
}

const bytesPerFrame = 4;

/** @param fill writes the frames from one on into all of `out` */
function randomAccess(total: number, fill: (out: Float32Array<ArrayBuffer>, from: number) => void) {
  return {
    frames: total,
    durationSeconds: total / speechRate,
    read(from: number, frames: number): Float32Array<ArrayBuffer> {
      const samples = new Float32Array(frames);
      const start = Math.max(0, from);
      const end = Math.min(total, from + frames);
      if (end > start) fill(samples.subarray(start - from, end - from), start);
      return samples;
    },
  };
}

/** Opens a file of `extractSpeech`. It may be opened several times. */
export function openSpeech(path: string): SpeechSound {
  const file = openSync(path, 'r');
  const total = Math.floor(fstatSync(file).size / bytesPerFrame);
  return {
    path,
    ...randomAccess(total, (out, from) => {
      const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength);
      for (let at = 0; at < bytes.length;) {
        const got = readSync(file, bytes, at, bytes.length - at, from * bytesPerFrame + at);
        if (got === 0) throw new Error('The speech file is shorter than when it was opened');
        at += got;
      }
    }),
    close: () => closeSync(file),
  };
}

/** @param held at 16 kHz */
export const holdSpeech = (held: Float32Array): SpeechSound => ({
  path: '',
  held,
  ...randomAccess(held.length, (out, from) => out.set(held.subarray(from, from + out.length))),
  close: () => undefined,
});

/**
 * Decodes a recording once, mixes all channels (ITU-R BS.775-3) and resamples to 16 kHz, into a file of the run.
 * Invalid samples, also those of damaged lossy sound, become silence: one NaN would spoil all of a network's results.
 * @param folder an existing one; the file is `speech.f32` in it and belongs to the caller
 * @param options `onProgress` from 0 to 1; `warn` gets problems of the recording, such as a truncated file
 * @throws EarshotError file_invalid; internal_error when the disk is full; AbortError
 */
export async function extractSpeech(
  facts: MediaFacts,
  folder: string,
  options: {
    readonly signal: AbortSignal;
    onProgress(fraction: number): void;
    warn?(warning: Warning): void;
  },
): Promise<SpeechSound> {
  const path = join(folder, 'speech.f32');
  const source = openAudio(facts, { rate: speechRate, channels: 1, signal: options.signal });
  try {
    const file = openSync(path, 'wx');
    try {
      await drive(
        source,
        [],
        (block) => {
          const [plane] = withoutBroken(block).planes as [Float32Array];
          const { frames } = block;
          const bytes = new Uint8Array(plane.buffer, plane.byteOffset, frames * bytesPerFrame);
          for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
        },
        options,
      );
      for (const warning of source.warnings) options.warn?.(warning);
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    throw isDiskFull(thrown) ? noRoomToWork(dirname(path), thrown) : thrown;
  } finally {
    source.close();
  }
  return openSpeech(path);
}
