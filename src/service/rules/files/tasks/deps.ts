import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Quotas } from '../../quotas.ts';
import type { MediaWork } from '../../../../library/contract/media-work.ts';
import type { FileStore, LinkFetcher, ObjectStore } from '../../ports.ts';

export interface Swept {
  /** Files that were past their time: bytes, waveform and record are gone. */
  readonly expired: number;
  /** Objects that no record knows, parts of dead uploads, drafts of killed processes. */
  readonly leftovers: number;
}

export interface FileTaskDeps {
  readonly files: FileStore;
  readonly objects: ObjectStore;
  readonly links: LinkFetcher;
  readonly media: Pick<MediaWork, 'check' | 'peaks'>;
  readonly config: Pick<
    Config,
    'data' | 'diskReserveBytes' | 'maxFileBytes' | 'maxSeconds' | 'importSeconds' | 'uploadSeconds'
  > &
    Quotas;
  readonly log: Log;
  readonly now?: () => Date;
}

/**
 * Work on files that the queue hands to a worker. Any of it may be delivered again, or to two workers at once: what is
 * already done is not done again, and a result that comes too late is dropped. Each ends by itself; it rejects only
 * when it should be delivered again (the worker shuts down, the database is away).
 */
export interface FileTaskHandlers {
  /** Looks at an uploaded file: status becomes ready or invalid. */
  checkFile(id: string, signal: AbortSignal): Promise<void>;
  /** Fetches a link, one at a time for each account; then the file waits for its check. */
  importFile(id: string, signal: AbortSignal): Promise<void>;
  makePeaks(id: string, signal: AbortSignal): Promise<void>;
  /** Deletes what has expired, and at times what dead uploads and workers left. */
  sweep(): Promise<Swept>;
}
