import type { Readable } from 'node:stream';

/** The response of a link, with its unread body. */
export interface FetchedLink {
  readonly body: Readable;
  /** From Content-Disposition or the final URL; null when neither has a filename. */
  readonly filename: string | null;
  /** From Content-Type; null when absent. */
  readonly contentType: string | null;
  /** From Content-Length; null when absent. */
  readonly sizeBytes: number | null;
}

/** Fetches public HTTPS links. */
export interface LinkFetcher {
  /**
   * Parses and validates the URL, without network access.
   * @param field name of the request's field, for messages. Default: url
   * @throws EarshotError bad_request
   */
  check(url: string, field?: string): URL;
  /** @throws EarshotError fetch_failed, file_too_large; AbortError */
  fetch(url: URL, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<FetchedLink>;
}

/** A body to send to a link. */
export interface SentBytes {
  /** MIME type, for the header. */
  readonly contentType: string;
  readonly sizeBytes: number;
  /** The bytes from their start; called again after a redirect. */
  read(): Promise<Readable>;
}

/** Sends bytes to public HTTPS links, by the same rules as fetching. */
export interface LinkSender {
  /** As LinkFetcher's. @throws EarshotError bad_request */
  check(url: string, field?: string): URL;
  /** One PUT; resolves on a 2xx status. @throws EarshotError fetch_failed, retryable or not; AbortError */
  put(url: URL, bytes: SentBytes, signal: AbortSignal): Promise<void>;
}
