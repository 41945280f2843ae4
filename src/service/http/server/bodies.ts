import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors.ts';

/** Requests whose client waits for "100 Continue" before it sends the body. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Node says "continue" to everybody at once. We say it when the body is about to be read, so a refused upload is never
 * sent.
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

/** Bytes that the request says it has; null when it is chunked. */
export function contentLengthOf({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

/**
 * The body as a stream that may be destroyed without harm: destroying the request itself would cut the connection, and
 * the client would never see why it was refused. Nothing is read before the first read.
 */
export function streamBody(request: FastifyRequest, reply: FastifyReply): Readable {
  const source = request.raw;
  let begun = false;
  const onData = (chunk: Buffer): void => void (body.push(chunk) || source.pause());
  const onEnd = (): void => void body.push(null);
  const onClose = (): void => void (source.complete || body.destroy(new AbortError('The client stopped sending')));
  const onError = (): void => void body.destroy(new AbortError('The client stopped sending'));
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

/** Bytes are bytes, also when their type is none at all, which would be refused. */
export function leaveRaw<Payload>(request: FastifyRequest, payload: Payload): Payload {
  delete request.headers['content-type'];
  return payload;
}

/** A form with files. */
export const isForm = ({ headers }: FastifyRequest): boolean =>
  /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');

/** Bytes of some other kind. A body that is not there is none. */
export const isRaw = (request: FastifyRequest): boolean =>
  hasBody(request.raw) && !isForm(request) && !/^application\/json\b/i.test(request.headers['content-type'] ?? '');

/** As it was sent, whatever has been done to the header since; null: none. */
export function typeAsSent({ raw: { rawHeaders } }: FastifyRequest): string | null {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return rawHeaders[at + 1] !== undefined && at >= 0 ? (rawHeaders[at + 1] ?? null) : null;
}

/** The handler takes it apart while it arrives; silence has a limit of its own. */
export function leaveStreaming<Payload>(request: FastifyRequest, reply: FastifyReply, payload: Payload): Payload {
  sayContinue(request, reply);
  return payload;
}

/** Hands a JSON body on, for as long as a client may take to send one. */
export function receiveWithin(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
  timeoutMs: number,
): Readable {
  if (!hasBody(request.raw)) {
    // `curl -d ''` names a type for nothing.
    delete request.headers['content-type'];
    return payload;
  }
  sayContinue(request, reply);
  const body = new PassThrough();
  // Who reads it listens; but GET requests and early answers leave a body unread, and its end must not be the end of
  // the process.
  body.on('error', () => undefined);
  const timer = setTimeout(
    () =>
      body.destroy(
        new EarshotError('bad_request', `The body did not arrive within ${timeoutMs / 1000} seconds`, {
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
    () => void (request.raw.complete || body.destroy(new AbortError('The client stopped sending'))),
  );
  payload.once('error', () => body.destroy(new AbortError('The client stopped sending')));
  return payload.pipe(body);
}

/** A body of this size is read to its end after an early answer, and the connection lives on. */
const smallBytes = 64 * 1024;
/** How long we go on reading what nobody wants, so that the client gets to read the answer. */
const lingerMs = 10_000;

/**
 * An answer that comes before the whole body has. Closing at once would reset the connection, and clients that still
 * send would see that instead of the answer. So the answer goes out whole, the rest of the body is read and dropped for
 * a while, and then the connection is closed.
 */
export function answerEarly(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { raw } = request;
  if (raw.complete || raw.destroyed || !hasBody(raw)) return payload;
  if (waiting.has(raw)) {
    // The body was never asked for and is not coming; what comes next on this connection cannot be told from it.
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
