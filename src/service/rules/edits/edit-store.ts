import type { JobStatus } from '../jobs/stored-job.ts';
import type { JsonObject, JsonValue } from '../../../library/core/json.ts';
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
  /** Steps that lead to the state, as the editor writes them; null: not known. */
  readonly history: JsonValue;
  /** Counts the changes, from 1. */
  readonly version: number;
  readonly savedAt: Date;
}

/** An edit by a name. */
export interface EditVersion extends Pick<
  StoredEdit,
  'fileId' | 'accountId' | 'transcriptFileId' | 'state' | 'savedAt'
> {
  /** ver_ and 22 letters and digits. */
  readonly id: string;
  /** As people gave it, at most 100 characters. */
  readonly name: string;
  /** How long what is left is, seconds. */
  readonly seconds: number;
}

/** The stored edit, to be kept by a name. */
export interface VersionToAdd extends Pick<EditVersion, 'id' | 'fileId' | 'accountId' | 'name' | 'seconds'> {
  /** Of the edit that is meant. */
  readonly version: number;
}

/** A version without its state. */
export type NamedVersion = Pick<EditVersion, 'id' | 'name' | 'seconds' | 'transcriptFileId' | 'savedAt'>;

/** What belongs to an edit. */
export interface ProjectFiles {
  /** Ids of the recording, of its transcripts and of what was rendered of it, as far as they are ready. */
  readonly ids: readonly string[];
  /** Their size together. */
  readonly bytes: number;
  /** When the recording is deleted. */
  readonly keptUntil: Date;
  /** Bytes of other files of the account that are kept for longer than usual. */
  readonly otherBytes: number;
}

/** A job that wrote a recording down. */
export interface Transcription {
  readonly outputFileIds: readonly string[];
  /** Code of the language that it is written in; null: no longer known. */
  readonly language: string | null;
  /** Another language is spoken. */
  readonly isTranslation: boolean;
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
  /** Successful transcriptions of this file, the latest first; at most ten. */
  transcribed(accountId: string, fileId: string): Promise<readonly Transcription[]>;
  /**
   * Keeps the stored edit by a name.
   * @param named version: of the edit that is meant
   * @returns null: another version of it is stored
   */
  addVersion(named: VersionToAdd): Promise<NamedVersion | null>;
  /** The earliest first. */
  versions(accountId: string, fileId: string): Promise<readonly NamedVersion[]>;
  /** null: there is none. */
  version(accountId: string, fileId: string, id: string): Promise<EditVersion | null>;
  /** Deletes it, if it is there. */
  removeVersion(accountId: string, fileId: string, id: string): Promise<void>;
  /**
   * @param keyStart of the keys of the editor's jobs of this recording
   * @param usualSeconds how long files are kept that belong to no edit
   */
  project(accountId: string, fileId: string, keyStart: string, usualSeconds: number): Promise<ProjectFiles>;
  /** Keeps files that have not expired until then, at least. */
  keep(accountId: string, ids: readonly string[], until: Date): Promise<void>;
  /** Jobs whose keys begin so, the latest first; at most 20. */
  jobs(accountId: string, keyStart: string): Promise<readonly EditJob[]>;
}
