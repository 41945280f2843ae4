import type { ConnectionError } from 'fastify';
import type { Socket } from 'node:net';
import { EarshotError } from '../../core/errors.ts';
import { errorBody, statusByCode } from './errors.ts';
import { type RateState, rateLimitHeaders } from './rate-limit.ts';

/**
 * Answers what never became a request: bytes that are not HTTP, a head that is too long or too slow. No route sees
 * those.
 */
export function answerBrokenRequest(
  error: ConnectionError,
  socket: Socket,
  take: (address: string) => RateState,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(
    errorBody(
      new EarshotError('bad_request', messageFor(error.code), { nextAction: 'Send a valid HTTP/1.1 request.' }),
    ),
  );
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...rateLimitHeaders(take(socket.remoteAddress ?? '')),
    connection: 'close',
  };
  const head = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.end(`HTTP/1.1 ${statusByCode.bad_request} Bad Request\r\n${head}\r\n${body}`);
}

function messageFor(code: string): string {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The head of the request did not arrive in time';
  if (code === 'HPE_HEADER_OVERFLOW') return 'The head of the request is too long';
  return 'Expected an HTTP request but received something else';
}
