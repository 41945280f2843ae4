import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAbortError } from '../../../library/core/abort.ts';
import type { ErrorCode } from '../../../library/core/errors/errors.ts';
import type { JsonBounds } from '../../../library/core/json-text.ts';
import type { Account } from '../../rules/accounts/account.ts';

/**
 * The credentials of a route, which also decide the rate limit. 'account': a key or a session; 'optional': a key or
 * none; 'token': a token in the path; 'link': a token in the path, a key, or both; 'signed': a signature of the body;
 * 'public': none; 'health' and 'asset': none, and not counted.
 */
export type Access = 'account' | 'optional' | 'token' | 'link' | 'signed' | 'public' | 'health' | 'asset';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Parameters of its path and query that are credentials, besides `:token`: they are left out of the log. */
    secret?: readonly string[];
    /** The handler reads the body as a stream. */
    rawBody?: boolean;
    /** The handler reads multipart forms as streams. */
    multipart?: boolean;
    /** The handler also reads other bodies than forms and JSON, as streams. */
    anyBody?: boolean;
    /** Each item of a body that is a list counts as a request. */
    batches?: boolean;
    /** What its JSON may hold; default: as `jsonExcess`. */
    jsonBounds?: JsonBounds;
  }
  interface FastifyInstance {
    /** For a process that must exit: see UnderWay.fail. Accepts no further connections. */
    failRequests(cause: unknown, mostMs: number): Promise<void>;
  }
  interface FastifyRequest {
    /** Set for access 'account', and for 'optional' and 'link' if the request has credentials. */
    account: Account | null;
    /** Has it become a websocket? */
    upgraded: boolean;
    /** The code of the error response, for the log. */
    errorCode: ErrorCode | null;
  }
}

/** The account of a request whose route has access 'account'. */
export function accountOf(request: FastifyRequest): Account {
  if (request.account === null) throw new TypeError('The route does not authenticate');
  return request.account;
}

/** Aborted when the client disconnects before the end of the response. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  if (raw.destroyed) controller.abort();
  else raw.once('close', () => raw.writableFinished || controller.abort());
  return controller.signal;
}

/**
 * Reads with a wait, which ends early when the client disconnects or the service stops.
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
