import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';

/** Requests whose client waits for "100 Continue" before sending the body. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Node sends "100 Continue" at once. We send it only when the body is read, so that a refused upload is never sent.
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

function sayContinue(request: FastifyRequest, reply: FastifyReply): void {
  if (waiting.delete(request.raw)) reply.raw.writeContinue();
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The Content-Length; null when the body is chunked. */
export function contentLengthOf({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

/**
 * The body as a stream that can be destroyed without closing the connection, so that the client still gets the
 * response. Nothing is read before the first read.
 */
export function streamBody(request: FastifyRequest, reply: FastifyReply): Readable {
  const source = request.raw;
  let begun = false;
  const onData = (chunk: Buffer): void => void (body.push(chunk) || source.pause());
  const onEnd = (): void => void body.push(null);
  const onClose = (): void =>
    void (source.complete || body.destroy(new AbortError('The client closed the connection')));
  const onError = (): void => void body.destroy(new AbortError('The client closed the connection'));
  const body = new Readable({
    highWaterMark: 1024 * 1024,
    read() {
      if (!begun) {
        begun = true;
        sayContinue(request, reply);
        if (source.destroyed && !source.complete) return onError();
        source.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError);
      }
      source.resume();
    },
    destroy(error, done) {
      source.off('data', onData).off('end', onEnd).off('close', onClose);
      source.pause();
      done(error);
    },
  });
  return body;
}

/** Passes any content type on as bytes; Fastify would refuse an unknown one. */
export function leaveRaw<Payload>(request: FastifyRequest, payload: Payload): Payload {
  delete request.headers['content-type'];
  return payload;
}

/** Is the body a multipart form? */
export const isForm = ({ headers }: FastifyRequest): boolean =>
  /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');

/** Has the request a body that is neither a form nor JSON? */
export const isRaw = (request: FastifyRequest): boolean =>
  hasBody(request.raw) && !isForm(request) && !/^application\/json\b/i.test(request.headers['content-type'] ?? '');

/** The original Content-Type, also if it was changed since; null: none. */
export function typeAsSent({ raw: { rawHeaders } }: FastifyRequest): string | null {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return rawHeaders[at + 1] !== undefined && at >= 0 ? (rawHeaders[at + 1] ?? null) : null;
}

/** The handler parses the form while it arrives; only the idle timeout applies. */
export function leaveStreaming<Payload>(request: FastifyRequest, reply: FastifyReply, payload: Payload): Payload {
  sayContinue(request, reply);
  return payload;
}

/** Passes a JSON body on, with a timeout. */
export function receiveWithin(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
  timeoutMs: number,
): Readable {
  if (!hasBody(request.raw)) {
    // `curl -d ''` sends a content type without a body.
    delete request.headers['content-type'];
    return payload;
  }
  sayContinue(request, reply);
  const body = new PassThrough();
  // GET requests and early responses leave the body unread: its error must not crash the process.
  body.on('error', () => undefined);
  const timer = setTimeout(
    () =>
      body.destroy(
        new EarshotError('bad_request', `The body did not arrive within ${timeoutMs / 1000} s`, {
          retryable: true,
          nextAction: 'Send the request again over a faster connection.',
        }),
      ),
    timeoutMs,
  );
  body.once('close', () => clearTimeout(timer));
  reply.raw.once('close', () => clearTimeout(timer));
  payload.once(
    'close',
    () => void (request.raw.complete || body.destroy(new AbortError('The client closed the connection'))),
  );
  payload.once('error', () => body.destroy(new AbortError('The client closed the connection')));
  return payload.pipe(body);
}

/** After an early response, smaller bodies are read to their end, and the connection is kept. */
const smallBytes = 64 * 1024;
/** How long the rest of a larger body is read, so that the client gets the response. */
const lingerMs = 10_000;

/**
 * Handles a response before the whole body has arrived. Closing at once would reset the connection, and clients that
 * are still sending would not see the response. So it is sent, the rest of the body is read and dropped for a while,
 * and then the connection is closed.
 */
export function answerEarly(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { raw } = request;
  if (raw.complete || raw.destroyed || !hasBody(raw)) return payload;
  if (waiting.has(raw)) {
    // The client may or may not send the body now, so the connection cannot be reused.
    reply.header('connection', 'close');
    return payload;
  }
  const length = contentLengthOf(raw);
  if (length !== null && length <= smallBytes) {
    raw.unpipe();
    raw.resume();
    return payload;
  }
  reply.header('connection', 'close');
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  reply.header('content-length', Buffer.byteLength(payload));
  return Readable.from(thenDrain(payload, raw), { objectMode: false });
}

async function* thenDrain(payload: string | Buffer, source: IncomingMessage): AsyncGenerator<string | Buffer> {
  yield payload;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (source.complete || source.destroyed) return finish();
    source.unpipe();
    source.once('end', finish).once('close', finish).once('error', finish).resume();
  });
}
