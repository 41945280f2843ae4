/** A sentence of a text that is shared. */
export interface SharedSentence {
  /** When it begins in the edit, seconds. */
  readonly at: number;
  /** When it begins in the recording, seconds: for the owner. */
  readonly source: number;
  /** Name of who says it; null: not known. */
  readonly who: string | null;
  /** What is said. */
  readonly text: string;
}

/** The text of an edit as it was when its link was made. It goes with the edit. */
export interface StoredShare {
  /** shr_ and 22 letters and digits. */
  readonly id: string;
  /** Id of the recording. */
  readonly fileId: string;
  /** Id of its owner. */
  readonly accountId: string;
  /** What readers see above it: usually the name of the file. */
  readonly title: string;
  /** Code of the language that is spoken. */
  readonly language: string;
  /** How long the edit is. */
  readonly seconds: number;
  /** Id of the file that readers hear; null: they only read. */
  readonly soundFileId: string | null;
  readonly sentences: readonly SharedSentence[];
  readonly madeAt: Date;
  readonly expiresAt: Date;
}

/** What a reader says of a sentence. */
export interface StoredComment {
  /** com_ and 22 letters and digits. */
  readonly id: string;
  /** Id of the link that it came by. */
  readonly shareId: string;
  /** Its number in the shared text, from 0. */
  readonly sentence: number;
  /** As the reader gave it: it is not checked. */
  readonly name: string;
  /** At most 2000 letters. */
  readonly text: string;
  readonly madeAt: Date;
}

/** Texts of edits that others may read by a link, and their comments. */
export interface ShareStore {
  /** @returns null: the recording has no stored edit, or as many links as it may have */
  add(share: Omit<StoredShare, 'madeAt'>, most: number): Promise<StoredShare | null>;
  /** null: there is none, or it was taken back, or it has expired. */
  get(id: string): Promise<StoredShare | null>;
  /** Of a recording, the latest first; without those that have expired. */
  list(accountId: string, fileId: string): Promise<readonly StoredShare[]>;
  /** Deletes it with its comments, if it is there. */
  remove(accountId: string, fileId: string, id: string): Promise<void>;
  /** @returns false: there are as many as there may be, or the link is gone */
  addComment(comment: Omit<StoredComment, 'madeAt'>, most: number): Promise<boolean>;
  /** The earliest first. */
  comments(shareIds: readonly string[]): Promise<readonly StoredComment[]>;
  /** Deletes it, if it is there and belongs to a link of this recording. */
  removeComment(accountId: string, fileId: string, id: string): Promise<void>;
}
