import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';

/** Requests in progress, to answer them if the process must exit. */
export interface UnderWay {
  add(request: FastifyRequest, reply: FastifyReply): void;
  /** Its response has ended or was aborted. */
  remove(reply: FastifyReply): void;
  /** The error for all further requests; null: none. */
  refusal(): EarshotError | null;
  /**
   * Answers all requests with an outage error, or aborts those whose response has begun, and closes the connections.
   * Resolves when all are sent, or after `mostMs`.
   */
  fail(cause: unknown, mostMs: number): Promise<void>;
}

/** @param answer sends an error, formatted by the request's dialect */
export function createUnderWay(
  answer: (error: EarshotError, request: FastifyRequest, reply: FastifyReply) => void,
): UnderWay {
  const replies = new Map<FastifyReply, FastifyRequest>();
  let refusal: EarshotError | null = null;

  const end = (request: FastifyRequest, reply: FastifyReply, error: EarshotError): void => {
    // The status is already sent: abort, so that the client sees that the response is incomplete.
    if (reply.raw.headersSent || request.upgraded) request.raw.socket.destroy();
    // A response that is being sent ends by itself.
    else if (!reply.sent) answer(error, request, reply.header('connection', 'close'));
  };

  return {
    add: (request, reply) => void replies.set(reply, request),
    remove: (reply) => void replies.delete(reply),
    refusal: () => refusal,
    async fail(cause, mostMs) {
      refusal = new EarshotError('internal_error', 'The service is restarting after a failure', {
        retryable: true,
        details: { outage: true },
        cause,
      });
      const gone = [...replies].map(
        ([reply, request]) =>
          new Promise<void>((resolve) => {
            reply.raw.once('close', resolve);
            end(request, reply, refusal as EarshotError);
          }),
      );
      await Promise.race([Promise.allSettled(gone), new Promise((resolve) => setTimeout(resolve, mostMs))]);
    },
  };
}
