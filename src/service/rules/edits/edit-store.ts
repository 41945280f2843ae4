import type { JobStatus } from '../jobs/stored-job.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';

/** A user's edit of a recording by its words, as stored. */
export interface StoredEdit {
  /** Id of the recording that is edited, unique. */
  readonly fileId: string;
  /** Id of the account that has the recording. */
  readonly accountId: string;
  /** The transcript that its words are numbered by; null: none yet. */
  readonly transcriptFileId: string | null;
  /** As the editor writes it (docs/editor.md). */
  readonly state: JsonObject;
  /** Counts the changes, from 1. */
  readonly version: number;
  readonly savedAt: Date;
}

/** A job that the editor has ordered. */
export interface EditJob {
  readonly id: string;
  readonly tool: ToolId;
  readonly status: JobStatus;
  readonly options: JsonObject;
}

/** Edits of recordings, one for each. They go with the recording. */
export interface EditStore {
  /** The edit of a recording; null: nothing was edited. */
  get(fileId: string): Promise<StoredEdit | null>;
  /**
   * Stores an edit if the stored one has this version.
   * @param edit version: of the edit that it was made from; 0: there was none
   * @returns null: another version is stored, or the file is gone
   */
  save(edit: Omit<StoredEdit, 'savedAt'>): Promise<StoredEdit | null>;
  /** Ids of the outputs of successful transcriptions of this file, the latest job first; at most five jobs. */
  transcribed(accountId: string, fileId: string): Promise<readonly string[]>;
  /** Jobs whose keys begin so, the latest first; at most 20. */
  jobs(accountId: string, keyStart: string): Promise<readonly EditJob[]>;
}
