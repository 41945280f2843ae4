// Sends bodies with progress, where the platform tells it: fetch does not.

/** What is sent: read again for each attempt, in pieces. */
export type Body = Blob | Uint8Array<ArrayBuffer>;

/** A request with a body. */
export interface Outgoing<Sent> {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Sent;
  readonly signal?: AbortSignal;
}

/**
 * Sends it and waits for the answer.
 * @param onSent called with the bytes that were sent so far, of all that are sent; never called where the platform
 * does not tell
 * @throws the signal's reason, or a TypeError when the connection breaks
 */
export type SendBody<Sent = Body> = (
  url: URL,
  outgoing: Outgoing<Sent>,
  onSent: (sentBytes: number, totalBytes?: number) => void,
) => Promise<Response>;

/** XMLHttpRequest as far as it is used here. */
interface Xhr extends EventTarget {
  readonly upload: EventTarget;
  readonly status: number;
  readonly responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}

/** XMLHttpRequest, which tells progress; undefined where there is none. */
export const xhrHere = (): (new () => Xhr) | undefined =>
  (globalThis as { readonly XMLHttpRequest?: new () => Xhr }).XMLHttpRequest;

/** Sends a body, also a form, by XMLHttpRequest. */
export const sendOverXhr =
  (Request = xhrHere() as new () => Xhr): SendBody<unknown> =>
  (url, { method, headers, body, signal }, onSent) =>
    new Promise((resolve, reject) => {
      const request = new Request();
      const stop = (): void => request.abort();
      request.open(method, url.href);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', (event) => {
        const { loaded, total } = event as unknown as { readonly loaded: number; readonly total: number };
        onSent(loaded, total);
      });
      request.addEventListener('load', () => resolve(responseOf(request)));
      request.addEventListener('error', () => reject(new TypeError('The connection failed')));
      request.addEventListener('abort', () => reject(signal?.reason as Error));
      request.addEventListener('loadend', () => signal?.removeEventListener('abort', stop));
      if (signal?.aborted) return reject(signal.reason as Error);
      signal?.addEventListener('abort', stop);
      request.send(body);
    });

function responseOf(request: Xhr): Response {
  const { status } = request;
  const headers = new Headers();
  for (const [, name = '', value = ''] of request.getAllResponseHeaders().matchAll(/^(.+?):\s*(.*)$/gm))
    headers.append(name, value);
  return new Response([204, 205, 304].includes(status) ? null : request.responseText, { status, headers });
}
