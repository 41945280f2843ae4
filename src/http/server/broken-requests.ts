import type { ConnectionError } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { EarshotError } from '../../core/errors.ts';
import type { Dialect } from './dialect.ts';
import { type RateState, rateLimitHeaders } from './rate-limit.ts';

/**
 * Answers what never became a request: bytes that are not HTTP, a head that is too long or too slow. No route sees
 * those.
 */
export function answerBrokenRequest(
  error: ConnectionError,
  socket: Socket,
  take: (address: string) => RateState,
  { errorAnswer }: Pick<Dialect, 'errorAnswer'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const answer = errorAnswer(
    new EarshotError('bad_request', messageFor(error.code), { nextAction: 'Send a valid HTTP/1.1 request.' }),
    null,
  );
  const body = JSON.stringify(answer.body);
  const headers = {
    ...answer.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...rateLimitHeaders(take(socket.remoteAddress ?? '')),
    connection: 'close',
  };
  const head = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Error'}\r\n${head}\r\n${body}`);
}

function messageFor(code: string): string {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The head of the request did not arrive in time';
  if (code === 'HPE_HEADER_OVERFLOW') return 'The head of the request is too long';
  return 'Expected an HTTP request but received something else';
}
