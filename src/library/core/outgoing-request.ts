// Requests to other servers, with Node's own HTTP client. Not with `fetch`: undici 7.26 to 7.30 and 6.28, which several
// releases of Node include, end the process when a server closes its connection after a body whose reader lags
// (nodejs/undici#5360).
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { pipeline, type Readable } from 'node:stream';

export interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** The request body; destroyed when the request fails. */
  readonly body?: Readable;
  readonly signal: AbortSignal | undefined;
  /** Timeout in milliseconds for the connection, each piece sent and the response headers. */
  readonly headersMs: number;
  /** How to connect. Default: a separate connection. */
  readonly connection?: Pick<RequestOptions, 'agent' | 'createConnection'>;
}

/** The server did not answer or continue in time; `code` says which. */
class TooSlowError extends Error {
  readonly code: 'ERR_ANSWER_TOO_SLOW' | 'ERR_BODY_TOO_SLOW';

  constructor(code: TooSlowError['code'], milliseconds: number) {
    const what = code === 'ERR_ANSWER_TOO_SLOW' ? 'did not answer' : 'sent nothing more';
    super(`the server ${what} for ${milliseconds / 1000} s`);
    this.code = code;
  }
}

/**
 * Sends one request and returns the response headers, redirects included.
 * @throws the connection's error (with its `code`); TooSlowError; AbortError
 */
export function sendRequest(url: URL, options: OutgoingRequest): Promise<IncomingMessage> {
  const { method, headers, body, signal, headersMs, connection = { agent: false } } = options;
  return new Promise((resolve, reject) => {
    // A given socket is already secure.
    const secure = url.protocol === 'https:' && connection.createConnection === undefined;
    // Not imported: with its WebSocket and TLS that is 45 ms of CPU at each start, of which most runs request nothing.
    const { request: open } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
    const request: ClientRequest = open({
      method,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port,
      path: url.pathname + url.search,
      headers: { host: url.host, ...headers },
      ...(signal === undefined ? {} : { signal }),
      ...connection,
    });
    const timer = setTimeout(() => request.destroy(new TooSlowError('ERR_ANSWER_TOO_SLOW', headersMs)), headersMs);
    const fail = (thrown: Error): void => {
      clearTimeout(timer);
      body?.destroy();
      reject(thrown);
    };
    // Stays attached: later connection errors are reported by the response body.
    request.on('error', fail);
    request.once('response', (answer) => {
      clearTimeout(timer);
      // The response may come before the whole body was sent; the rest is discarded.
      if (!request.writableFinished) body?.destroy();
      resolve(answer);
    });
    if (body === undefined) request.end();
    else {
      body.on('data', () => timer.refresh());
      pipeline(body, request, (thrown) => {
        if (thrown) request.destroy(thrown);
      });
    }
  });
}

/**
 * The body of a response, piece by piece, no faster than it is read. The connection is closed when reading ends.
 * @param idleMs timeout for a piece
 * @throws the connection's error: ECONNRESET when it was cut off; TooSlowError
 */
export async function* readBody(answer: IncomingMessage, idleMs: number): AsyncGenerator<Buffer, void> {
  const pieces = (answer as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(() => answer.destroy(new TooSlowError('ERR_BODY_TOO_SLOW', idleMs)), idleMs);
      const next = await pieces.next().finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } catch (thrown) {
    throw wasCutOff(thrown) ? Object.assign(new Error('the transfer was cut off'), { code: 'ECONNRESET' }) : thrown;
  } finally {
    closeAnswer(answer);
  }
}

/**
 * A whole body.
 * @throws Error when it is longer than `mostBytes`; the errors of readBody
 */
export async function readWholeBody(
  answer: IncomingMessage,
  idleMs: number,
  mostBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of readBody(answer, idleMs)) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error(`it sent more than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const wasCutOff = (thrown: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((thrown as NodeJS.ErrnoException).code ?? '');

/** Closes a response that is not needed any more and ignores later errors of its connection. */
export function closeAnswer(answer: IncomingMessage): void {
  answer.on('error', () => {});
  answer.destroy();
}
