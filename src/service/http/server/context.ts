import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAbortError } from '../../../library/core/abort.ts';
import type { ErrorCode } from '../../../library/core/errors.ts';
import type { Account } from '../../rules/records.ts';

/**
 * Who may call a route, and in whose name requests are counted: 'account' needs a key or a session, 'optional' takes a
 * key and does without one, 'token' has its credential in the path, 'link' too and takes a key in its stead or beside it,
 * 'signed' has it in a signature over the body, 'public' needs none, 'health' is for the operator's machines and is not counted.
 */
export type Access = 'account' | 'optional' | 'token' | 'link' | 'signed' | 'public' | 'health';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** The handler reads the body as a stream. */
    rawBody?: boolean;
    /** The handler reads forms with files as streams, for as long as bytes keep coming. */
    multipart?: boolean;
    /** The handler reads whatever is neither a form with files nor JSON as a stream, too. */
    anyBody?: boolean;
  }
  interface FastifyInstance {
    /** For a process that cannot go on: see UnderWay.fail. Takes no connections from then on. */
    failRequests(cause: unknown, mostMs: number): Promise<void>;
  }
  interface FastifyRequest {
    /** Set on routes with access 'account', and with 'optional' and 'link' where there are credentials. */
    account: Account | null;
    /** Has it become a websocket? Then its end is the socket's. */
    upgraded: boolean;
    /** What went wrong, for the log. */
    errorCode: ErrorCode | null;
  }
}

/** The account of a request whose route has access 'account'. */
export function accountOf(request: FastifyRequest): Account {
  if (request.account === null) throw new TypeError('The route does not authenticate');
  return request.account;
}

/** Fires when the client goes away before it has the whole answer. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  if (raw.destroyed) controller.abort();
  else raw.once('close', () => raw.writableFinished || controller.abort());
  return controller.signal;
}

/**
 * Reads something that may be waited for: until it has changed, the wait is over, the client has gone, or the service
 * stops.
 */
export async function readWaiting<Read>(
  reply: FastifyReply,
  closing: AbortSignal,
  waitSeconds: number,
  read: (waitSeconds: number, signal?: AbortSignal) => Promise<Read>,
): Promise<Read> {
  if (waitSeconds === 0 || closing.aborted) return read(0);
  const gone = clientSignal(reply);
  try {
    return await read(waitSeconds, AbortSignal.any([gone, closing]));
  } catch (thrown) {
    if (isAbortError(thrown) && !gone.aborted) return read(0);
    throw thrown;
  }
}
