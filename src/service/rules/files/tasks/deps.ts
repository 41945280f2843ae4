import type { Config } from '../../settings/config.ts';
import type { StillLeads } from '../../fleet/leadership.ts';
import type { Log } from '../../shared/log.ts';
import type { Quotas } from '../../accounts/quotas.ts';
import type { MediaWork } from '../../../../library/contract/media-work.ts';
import type { FileStore } from '../file-store.ts';
import type { LinkFetcher } from '../links.ts';
import type { ObjectStore } from '../object-store.ts';

export interface Swept {
  /** Number of expired files that were deleted. */
  readonly expired: number;
  /** Number of deleted objects without a record, abandoned uploads, and drafts of killed processes. */
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
  /** Called with the id of a file that this machine has a copy of. Default: no one is told */
  readonly onHeld?: (fileId: string) => void;
}

/**
 * Queued work on files. All handlers are idempotent: the queue may deliver a task again, or to two workers at once.
 * They reject only when the task should be delivered again (the worker shuts down, the database is unavailable).
 */
export interface FileTaskHandlers {
  /** Checks an uploaded file: its status becomes ready or invalid. */
  checkFile(id: string, signal: AbortSignal): Promise<void>;
  /** Fetches a link, one at a time for each account; then the file is checked. */
  importFile(id: string, signal: AbortSignal): Promise<void>;
  makePeaks(id: string, signal: AbortSignal): Promise<void>;
  /** Deletes expired files and, less often, leftovers of abandoned uploads and dead workers. */
  sweep(stillLeads?: StillLeads): Promise<Swept>;
  /** The same on this machine's disk; returns the number of deleted leftovers. */
  sweepHere(): Promise<number>;
}
