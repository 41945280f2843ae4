import type { JsonObject, JsonValue } from '../../../library/core/json.ts';
import type { OpenedFile } from '../files/opened-file.ts';
import type { Account } from '../accounts/account.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { JobRequest } from '../../../library/contract/job-request.ts';
import type { JobView } from '../jobs/jobs.ts';
import type { ResumedJobs } from './edit-jobs.ts';
import type { EditVersion, NamedVersion, StoredEdit } from './edit-store.ts';
import type { Project } from './projects.ts';

/** A transcript in another language. */
export interface Translation {
  readonly transcriptFileId: string;
  /** Its code. */
  readonly language: string;
}

/** A recording with what the editor needs of it. */
export interface EditView {
  /** Ready, with sound. */
  readonly file: StoredFile;
  /** Transcript JSON of the recording; null: none is kept. */
  readonly transcriptFileId: string | null;
  /** Transcripts of the recording in other languages than that one, one for each. */
  readonly translations: readonly Translation[];
  /** null: nothing was edited yet. */
  readonly edit: Pick<StoredEdit, 'state' | 'history' | 'version' | 'savedAt' | 'transcriptFileId'> | null;
  /** Jobs to go on with. */
  readonly jobs: ResumedJobs;
}

/** Editing recordings by their words. */
export interface Edits {
  /**
   * @param fileId a recording, or a transcript that was made of one
   * @throws EarshotError not_found, file_expired, file_not_ready, file_invalid, no_audio, wrong_file_type
   */
  open(account: Account, fileId: string): Promise<EditView>;
  /**
   * Stores an edit that was made from this version (0: the first).
   * @throws EarshotError conflict, with the stored edit, when it was changed elsewhere; not_found, file_expired
   */
  save(
    account: Account,
    fileId: string,
    edit: {
      readonly state: JsonObject;
      readonly history: JsonValue;
      readonly transcriptFileId: string | null;
      readonly version: number;
    },
  ): Promise<Pick<StoredEdit, 'version' | 'savedAt'>>;
  /**
   * A job of a recording: the one that the same order has made before, or a new one.
   * @throws EarshotError as `open` and `Jobs.create`
   */
  order(
    account: Account,
    fileId: string,
    request: Pick<JobRequest, 'tool' | 'options'> & { readonly free?: boolean },
  ): Promise<JobView>;
  /**
   * Keeps the stored edit by a name.
   * @param named seconds: how long what is left is; version: of the edit that is meant
   * @throws EarshotError conflict when another version is stored; limit_exceeded; not_found, file_expired
   */
  nameVersion(
    account: Account,
    fileId: string,
    named: { readonly name: string; readonly seconds: number; readonly version: number },
  ): Promise<NamedVersion>;
  /** The earliest first. @throws EarshotError not_found, file_expired */
  versions(account: Account, fileId: string): Promise<readonly NamedVersion[]>;
  /** @throws EarshotError not_found, file_expired */
  version(account: Account, fileId: string, id: string): Promise<EditVersion>;
  /** @throws EarshotError not_found, file_expired */
  removeVersion(account: Account, fileId: string, id: string): Promise<void>;
  /** What is kept with an edit, and until when; looked at, it is kept. @throws EarshotError not_found, file_expired */
  project(account: Account, fileId: string): Promise<Project>;
  /** Ids of the files of it, after which it is kept. @throws EarshotError as `open` */
  parts(account: Account, fileId: string): Promise<readonly string[]>;
  /** Deletes the recording, its transcripts, its edit and what was rendered. @throws EarshotError not_found */
  removeProject(account: Account, fileId: string): Promise<void>;
  /** The bytes of a recording, for its player. @throws EarshotError not_found, file_expired, file_not_ready */
  sound(account: Account, fileId: string): Promise<OpenedFile>;
}
