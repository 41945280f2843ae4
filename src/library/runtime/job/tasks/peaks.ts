// Waveform peaks of a file as one file of bins, coarsest level first.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../../../core/errors/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { FilePeaks } from '../../../contract/media-work.ts';
import type { RunResult } from '../../../tools/declare/run.ts';
import type { FileTaskContext } from '../task-context.ts';
import { peaks } from '../../../waveform/peaks.ts';

export async function run({ inputs, workDir, signal, progress }: FileTaskContext): Promise<RunResult> {
  const nothing: RunResult = { outputs: [], result: { peaks: null }, processedSeconds: 0 };
  let made;
  try {
    made = await peaks(inputs.file.path, {
      signal,
      onProgress: ({ progress: fraction }) => progress(fraction, 'drawing'),
    });
  } catch (thrown) {
    if (thrown instanceof EarshotError && thrown.code === 'no_audio') return nothing;
    throw thrown;
  }
  const { durationSeconds, peak } = made;
  if (durationSeconds === 0) return nothing;
  const coarsestFirst = made.levels.toSorted((a, b) => a.perSecond - b.perSecond);
  const path = join(workDir, 'peaks.bin');
  await writeFile(
    path,
    Buffer.concat(coarsestFirst.map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength))),
  );
  let offsetBytes = 0;
  const levels = coarsestFirst.map(({ perSecond, count }) => {
    const level = { perSecond, count, offsetBytes };
    offsetBytes += 2 * count;
    return level;
  });
  const written: FilePeaks = { durationSeconds, peak, levels };
  return {
    outputs: [
      { path, filename: 'peaks.bin', contentType: 'application/octet-stream', format: 'bin', durationSeconds: null },
    ],
    result: { peaks: written } as unknown as JsonObject,
    processedSeconds: durationSeconds,
  };
}
