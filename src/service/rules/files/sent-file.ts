import type { Readable } from 'node:stream';

/** A file in the body of a request. */
export interface SentFile {
  /** As the client named it; '': not named. */
  readonly filename: string;
  readonly contentType: string | null;
  readonly body: Readable;
  readonly signal: AbortSignal;
}
