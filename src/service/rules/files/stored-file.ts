import type { MediaRecord, FilePeaks } from '../../../library/contract/media-work.ts';
import type { StoredError } from '../shared/stored-error.ts';

/** 'original': uploaded or imported. 'output': made by a tool. */
export type FileKind = 'original' | 'output';

/** The life cycle of a file; 'invalid': its check failed, it cannot be used. */
export type FileStatus = 'awaiting_upload' | 'processing' | 'ready' | 'invalid' | 'deleted';

/** How a file arrives. */
export interface UploadPlan {
  /**
   * 'single' one PUT, 'multipart' parts of partSizeBytes, 'import' fetched from a link.
   */
  readonly mode: 'single' | 'multipart' | 'import';
  /** Size of every part except the last; null unless 'multipart'. */
  readonly partSizeBytes: number | null;
  /** null unless 'multipart'. */
  readonly partCount: number | null;
  /** 'import': the link, until the file has arrived; absent otherwise. */
  readonly link?: {
    /** Checked and normalised. */
    readonly url: string;
    /** Did the client choose the filename? Then the link's own is ignored. */
    readonly named: boolean;
    /** The size limit of all files of its request; absent: only the limit of one file applies. */
    readonly request?: RequestBound;
  };
}

/** The size limit of all files of one request together. */
export interface RequestBound {
  /** At least 1. */
  readonly bytes: number;
  /** Ids of the request's files before this one. */
  readonly earlier: readonly string[];
}

/** 'none': the file has no sound. */
export type PeaksStatus = 'processing' | 'ready' | 'none';

/** A file's record. null: not known yet, or does not apply to this kind of file. */
export interface StoredFile {
  /** Made by the service, unique. */
  readonly id: string;
  /** null: the file of a visitor's free run. */
  readonly accountId: string | null;
  /** The visitor that owns it, for files without an account: the keyed hash of the address. Absent: not known. */
  readonly visitor?: string | null;
  readonly kind: FileKind;
  readonly status: FileStatus;
  /** As given by the client or suggested by a tool, without folders. */
  readonly filename: string;
  /** MIME type: from the client, later from the check. */
  readonly contentType: string;
  readonly sizeBytes: number | null;
  /** SHA-256 of the bytes, hex; null before they have arrived, and for multipart uploads. */
  readonly sha256: string | null;
  readonly durationSeconds: number | null;
  /** Container, such as "wav"; null before the check. */
  readonly format: string | null;
  /** Has it a video stream? false before the check. */
  readonly hasVideo: boolean;
  /** Has it an audio stream? false before the check. */
  readonly hasAudio: boolean;
  readonly media: MediaRecord | null;
  readonly error: StoredError | null;
  readonly upload: UploadPlan | null;
  /**
   * The object store's id of the multipart upload, from the first part on; not cleared at its end. null: no part has
   * arrived, it is not a multipart upload, or the store lost it.
   */
  readonly uploadId: string | null;
  /** Key of the bytes in the object store; null before they have arrived and after their deletion. */
  readonly objectKey: string | null;
  /** Hash of the imported link. */
  readonly importHash: string | null;
  /** The job that created it; null for an original. */
  readonly sourceJobId: string | null;
  readonly peaksStatus: PeaksStatus | null;
  /** Description of the object at `peaksKey`. */
  readonly peaks: FilePeaks | null;
  /** Key of the peaks' bins in the object store; null before they are made. */
  readonly peaksKey: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
