import { buffer } from 'node:stream/consumers';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { isTextFile, ownFile, requireReady } from './guards.ts';
import type { FileStore } from './file-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { FilePeaks } from '../../../library/contract/media-work.ts';
import type { StoredFile } from './stored-file.ts';
import { waitFor, type Changes } from '../shared/wait-for.ts';
import type { Account } from '../accounts/account.ts';

export interface PeaksView {
  readonly fileId: string;
  readonly status: 'processing' | 'ready' | 'none';
  readonly durationSeconds: number | null;
  readonly peak: number | null;
  readonly levels: readonly { readonly perSecond: number; readonly count: number }[];
  /** `data`: count pairs of signed bytes, minimum then maximum. */
  readonly bins: {
    readonly level: number;
    readonly first: number;
    readonly count: number;
    readonly data: Buffer;
  } | null;
}

/** Waveforms of files, made on the first request. */
export interface Peaks {
  /**
   * The description of the peaks and, with a level, up to `count` bins from bin `first` on; waits up to `waitSeconds`
   * until they are made.
   * @throws EarshotError not_found, file_not_ready
   */
  get(
    account: Account,
    fileId: string,
    wanted: {
      readonly waitSeconds: number;
      readonly level: 5 | 50 | 500 | null;
      readonly first: number;
      readonly count: number;
    },
    signal?: AbortSignal,
  ): Promise<PeaksView>;
}

export interface PeaksDeps {
  readonly files: FileStore;
  readonly objects: ObjectStore;
  readonly changes: Changes;
  readonly now?: () => Date;
}

/** Waveforms: made on the first request, stored with the file, read in windows. */
export function createPeaks({ files, objects, changes, now = () => new Date() }: PeaksDeps): Peaks {
  const readBins = async (
    file: StoredFile,
    peaks: FilePeaks,
    level: number,
    first: number,
    count: number,
  ): Promise<PeaksView['bins']> => {
    const found = peaks.levels.find(({ perSecond }) => perSecond === level);
    if (found === undefined || file.peaksKey === null) {
      throw new EarshotError(
        'bad_request',
        `Expected one of ${peaks.levels.map(({ perSecond }) => perSecond).join(', ')} for level but received ${level}`,
        { details: { field: 'level', received: level } },
      );
    }
    const there = Math.max(0, Math.min(count, found.count - first));
    if (there === 0) return { level, first, count: 0, data: Buffer.alloc(0) };
    const start = found.offsetBytes + 2 * first;
    return {
      level,
      first,
      count: there,
      data: await buffer(await objects.read(file.peaksKey, { start, end: start + 2 * there - 1 })),
    };
  };

  return {
    async get(account, fileId, wanted, signal) {
      const load = async (): Promise<StoredFile> => {
        const file = await ownFile(files, account, fileId, now());
        requireReady(file);
        return file;
      };
      let file = await load();
      if (isTextFile(file))
        throw new EarshotError(
          'wrong_file_type',
          `Expected an audio or video file but ${fileId} is ${file.format ?? 'text'}`,
          { details: { id: fileId } },
        );
      if (file.peaksStatus === null) file = (await files.requestPeaks(fileId)) ?? file;
      if (file.peaksStatus === 'processing' && wanted.waitSeconds > 0) {
        file = await waitFor(
          changes,
          fileId,
          load,
          ({ peaksStatus }) => peaksStatus !== 'processing',
          wanted.waitSeconds,
          signal,
        );
      }
      if (file.peaksStatus === null)
        throw new EarshotError('internal_error', `The waveform of ${fileId} could not be made`, {
          details: { id: fileId },
        });
      const view = { fileId, durationSeconds: null, peak: null, levels: [], bins: null };
      if (file.peaksStatus !== 'ready' || file.peaks === null)
        return { ...view, status: file.peaksStatus === 'none' ? 'none' : 'processing' };
      const { durationSeconds, peak, levels } = file.peaks;
      return {
        fileId,
        status: 'ready',
        durationSeconds,
        peak,
        levels: levels.map(({ perSecond, count }) => ({ perSecond, count })),
        bins: wanted.level === null ? null : await readBins(file, file.peaks, wanted.level, wanted.first, wanted.count),
      };
    },
  };
}
