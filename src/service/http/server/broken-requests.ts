import type { ConnectionError, FastifyReply, FastifyRequest } from 'fastify';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';
import type { Dialect } from './dialect.ts';
import { sendError } from './errors.ts';
import { type RateState, rateLimitHeaders } from './rate-limit.ts';

/** Unfinished responses, by connection. */
const underWay = new WeakMap<Socket, Set<ServerResponse>>();
/** Connections that have already sent invalid HTTP. */
const broken = new WeakSet<Socket>();
/** Requests with an unknown Expect header. */
const expectant = new WeakSet<IncomingMessage>();

/** Accepts requests that Node would refuse by itself; `refuseUnservable` refuses them with our headers and messages. */
export function watchRequests(server: Server): void {
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = underWay.get(socket) ?? new Set();
    underWay.set(socket, answers.add(response));
    response.once('close', () => answers.delete(response));
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    expectant.add(request);
    server.emit('request', request, response);
  });
}

/** What is wrong with a request that Node's parser lets pass; null: nothing. */
function faultOf({ headers, rawHeaders, httpVersion }: IncomingMessage, isExpectant: boolean): string | null {
  // HTTP/0.9 has no headers; a cache or proxy before us may take such a request for something else.
  if (!['1.0', '1.1'].includes(httpVersion)) return `Expected HTTP/1.1 but received HTTP/${httpVersion}`;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts === 0 && httpVersion === '1.1') return 'Expected the header Host but received none';
  // Node takes the first; what is before us may take the last.
  if (hosts > 1) return `Expected one header Host but received ${hosts}`;
  return isExpectant
    ? `Expected 100-continue for the header Expect but received ${shownName(headers.expect ?? '')}`
    : null;
}

/**
 * Refuses HTTP/1.1 requests without Host or with several (RFC 9112, 3.2), other versions than 1.0 and 1.1, and
 * expectations other than 100-continue (RFC 9110, 10.1.1).
 * @returns was it refused?
 */
export function refuseUnservable(
  request: FastifyRequest,
  reply: FastifyReply,
  speaker: Pick<Dialect, 'errorAnswer'>,
): boolean {
  const message = faultOf(request.raw, expectant.has(request.raw));
  if (message === null) return false;
  // The client may never send its body.
  reply.header('connection', 'close');
  sendError(
    new EarshotError('bad_request', message, { nextAction: 'Send a valid HTTP/1.1 request.' }),
    request,
    reply,
    speaker,
    message.startsWith('Expected 100-continue') ? 417 : 400,
  );
  return true;
}

/**
 * Answers invalid HTTP, which reaches no route: wrong syntax, headers that are too long or too slow. Earlier complete
 * requests of the connection are answered first (RFC 9112, 9.3.2).
 */
export function answerBrokenRequest(
  error: ConnectionError,
  socket: Socket,
  take: (address: string) => RateState,
  speaker: Pick<Dialect, 'errorAnswer'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (broken.has(socket)) return;
  broken.add(socket);
  // Only the last request can be incomplete: it is the invalid one. It may already have a response.
  const answers = [...(underWay.get(socket) ?? [])];
  const own = answers.find(({ req }) => !req.complete);
  const before = answers.filter((response) => response !== own || response.writableEnded);
  const refuse = (): void => {
    if (own?.headersSent || !socket.writable) socket.destroySoon();
    else socket.end(refusal(error.code, take(socket.remoteAddress ?? ''), speaker));
  };
  if (before.length === 0) refuse();
  let left = before.length;
  for (const response of before)
    // Finished or aborted.
    response.once('close', () => {
      left -= 1;
      if (left === 0) refuse();
    });
}

function refusal(code: string, rate: RateState, { errorAnswer }: Pick<Dialect, 'errorAnswer'>): string {
  const answer = errorAnswer(
    new EarshotError('bad_request', messageFor(code), { nextAction: 'Send a valid HTTP/1.1 request.' }),
    null,
  );
  const body = JSON.stringify(answer.body);
  const headers = {
    ...answer.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...rateLimitHeaders(rate),
    connection: 'close',
  };
  const head = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Error'}\r\n${head}\r\n${body}`;
}

function messageFor(code: string): string {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The headers of the request did not arrive in time';
  if (code === 'HPE_HEADER_OVERFLOW') return 'The headers of the request are too long';
  return 'Expected an HTTP request but received something else';
}
