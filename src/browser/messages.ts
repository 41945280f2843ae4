// What a page and its workers say to each other.
import type { ErrorJson } from '../library/core/errors/errors.ts';
import type { Progress, Warning } from '../library/core/progress/progress.ts';

/** A file with the name that outputs are called after. */
export interface NamedBlob {
  readonly name: string;
  readonly data: Blob;
}

export type TabInputs = NamedBlob | readonly NamedBlob[] | Readonly<Record<string, NamedBlob | readonly NamedBlob[]>>;

/** Where the worker fetches what it needs. */
export interface Places {
  readonly kernels: string;
  readonly rnnoise: string;
  /** The folder of models; null: the page has named none. */
  readonly models: string | null;
}

export type ToWorker =
  | {
      readonly type: 'start';
      /** Of the run's file in the origin's private file system. */
      readonly store: string;
      readonly tool: string;
      readonly inputs: TabInputs;
      readonly options: object;
      readonly places: Places;
    }
  | { readonly type: 'abort' };

/** A finished file of a run. */
export interface TabOutput {
  readonly file: File;
  readonly filename: string;
  readonly contentType: string;
  /** Container, such as "wav"; for text "json", "srt". */
  readonly format: string;
  readonly sizeBytes: number;
  /** null for text. */
  readonly durationSeconds: number | null;
  /** Tells several outputs apart; null for a single one. */
  readonly role: string | null;
}

export interface DoneRun {
  readonly tool: string;
  readonly outputs: readonly TabOutput[];
  readonly result: object;
  readonly processedSeconds: number;
}

export type FromWorker =
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'warning'; readonly warning: Warning }
  | { readonly type: 'done'; readonly run: DoneRun }
  | { readonly type: 'failed'; readonly error: ErrorJson }
  | { readonly type: 'aborted' };
