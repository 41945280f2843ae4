import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbortError } from '../../../../library/core/abort.ts';
import type { FilePeaks } from '../../../../library/contract/media-work.ts';
import type { StoredFile } from '../stored-file.ts';
import { peaksKeyOf } from '../object-keys.ts';
import type { FileTaskHandlers, FileTaskDeps } from './deps.ts';
import { retryOnce } from './retry-once.ts';

/** Temporary folders of waveforms; those of killed workers are swept by age. */
export const drawingPrefix = 'peaks-';
export const drawingParent = (data: string): string => join(data, 'work');

export function createPeaksTask({ files, objects, media, config, log }: FileTaskDeps): FileTaskHandlers['makePeaks'] {
  const draw = async (objectKey: string, signal: AbortSignal, peaksKey: string): Promise<FilePeaks | null> => {
    await mkdir(drawingParent(config.data), { recursive: true });
    const folder = await mkdtemp(join(drawingParent(config.data), drawingPrefix));
    const local = await objects.checkOut(objectKey);
    try {
      const path = join(folder, 'bins');
      const peaks = await media.peaks(local.path, path, signal);
      if (peaks !== null) await objects.adopt(peaksKey, path);
      return peaks;
    } finally {
      await local.release();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  };

  const waiting = (file: StoredFile | null): file is StoredFile =>
    file?.status === 'ready' && file.peaksStatus === 'processing';

  return async (id, signal) => {
    const file = await files.get(id);
    if (!waiting(file) || file.objectKey === null) return;
    const { objectKey } = file;
    const peaksKey = peaksKeyOf(id);
    let peaks: FilePeaks | null;
    try {
      peaks = await retryOnce(() => draw(objectKey, signal, peaksKey));
    } catch (thrown) {
      if (signal.aborted || isAbortError(thrown)) throw thrown;
      log.error({ err: thrown, fileId: id }, 'A waveform could not be made');
      // Not "none": the file may have sound. The next request tries again.
      await files.update(id, ['ready'], { peaksStatus: null });
      return;
    }
    const made =
      peaks === null ? ({ peaksStatus: 'none' } as const) : ({ peaksStatus: 'ready', peaks, peaksKey } as const);
    const kept = await files.update(id, ['ready'], made);
    // Deleted meanwhile.
    if (kept === null && peaks !== null) await objects.remove(peaksKey);
  };
}
