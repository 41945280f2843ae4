// Decoded sound in a file of the run's folder.
import { closeSync, openSync, readSync } from 'node:fs';
import type { AudioFormat } from '../../library/pcm/block.ts';
import type { Samples } from './samples.ts';

/** Opens interleaved 32-bit floats. */
export function openSpool(path: string, format: AudioFormat, frames: number): Samples {
  const handle = openSync(path, 'r');
  const { channels } = format;
  let together = new Float32Array(0);
  return {
    format,
    frames,
    read(from, count, planes) {
      if (together.length < count * channels) together = new Float32Array(count * channels);
      readSync(
        handle,
        new Uint8Array(together.buffer, 0, count * channels * 4),
        0,
        count * channels * 4,
        from * channels * 4,
      );
      for (const [channel, plane] of planes.entries())
        for (let at = 0, place = channel; at < count; at += 1, place += channels) plane[at] = together[place] as number;
    },
    close: () => closeSync(handle),
  };
}
