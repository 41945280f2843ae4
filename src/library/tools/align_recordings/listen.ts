// A recording as what looks for it needs it: small marks in memory, and its sound at 8 kHz on disk.
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { collectMarks, syncRate } from '../../dsp/sync/marks.ts';
import type { SyncSound } from '../../dsp/sync/delay-rows.ts';
import { isDiskFull, noRoomToWork } from '../../core/errors/disk-full.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive, type PassOptions } from '../../media/read/drive.ts';

/** A recording that was heard once. */
export interface Heard extends SyncSound {
  readonly durationSeconds: number;
  /** Removes what is on disk. */
  close(): void;
}

const fullScale = 32_767;

/**
 * Reads a recording once.
 * @param path of a new file: 58 MB an hour
 * @throws EarshotError as `openAudio`; internal_error when the disk is full
 */
export async function hear(facts: MediaFacts, path: string, options: PassOptions): Promise<Heard> {
  const source = openAudio(facts, { rate: syncRate, channels: 1 });
  const marks = collectMarks();
  const file = openSync(path, 'wx+');
  const close = (): void => {
    closeSync(file);
    rmSync(path, { force: true });
  };
  let frames = 0;
  let stored = new Int16Array(syncRate);
  try {
    await drive(
      source,
      [],
      ({ planes }) => {
        const [plane] = planes as readonly [Float32Array];
        marks.push(plane);
        if (stored.length < plane.length) stored = new Int16Array(plane.length);
        // A callback for each sample would take longer than all else here.
        for (let at = 0; at < plane.length; at += 1)
          stored[at] = fullScale * Math.max(-1, Math.min(1, plane[at] as number));
        writeSync(file, new Uint8Array(stored.buffer), 0, 2 * plane.length, 2 * frames);
        frames += plane.length;
      },
      options,
    );
  } catch (thrown) {
    close();
    throw isDiskFull(thrown) ? noRoomToWork(path, thrown) : thrown;
  } finally {
    source.close();
  }
  let buffer = new Int16Array(0);
  return {
    marks: marks.finish(),
    frames,
    durationSeconds: frames / syncRate,
    read(from, out) {
      if (buffer.length < out.length) buffer = new Int16Array(out.length);
      const [start, end] = [Math.max(0, from), Math.min(frames, from + out.length)];
      out.fill(0);
      if (end <= start) return;
      const got = readSync(file, new Uint8Array(buffer.buffer), 0, 2 * (end - start), 2 * start);
      for (let at = 0; at < got >> 1; at += 1) out[start - from + at] = (buffer[at] as number) / fullScale;
    },
    close,
  };
}
