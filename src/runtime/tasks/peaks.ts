// Waveform peaks of a file as one file of bins, coarsest level first.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunContext, RunResult } from '../../tools/define.ts';
import { peaks } from '../../waveform/peaks.ts';

export interface WrittenPeaks {
  readonly durationSeconds: number;
  /** Loudest sample, 0 to 1. */
  readonly peak: number;
  /** A level's bins begin at `offsetBytes` of the file: 2 signed bytes each, minimum then maximum. */
  readonly levels: readonly { readonly perSecond: number; readonly count: number; readonly offsetBytes: number }[];
}

export async function run({ inputs, workDir, signal, progress }: RunContext): Promise<RunResult> {
  const nothing: RunResult = { outputs: [], result: { peaks: null }, processedSeconds: 0 };
  let made;
  try {
    made = await peaks(inputs['file']?.[0] ?? '', {
      signal,
      onProgress: ({ progress: fraction, stage }) => progress(fraction, stage),
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
  const written: WrittenPeaks = { durationSeconds, peak, levels };
  return {
    outputs: [
      { path, filename: 'peaks.bin', contentType: 'application/octet-stream', format: 'bin', durationSeconds: null },
    ],
    result: { peaks: written } as unknown as JsonObject,
    processedSeconds: durationSeconds,
  };
}
