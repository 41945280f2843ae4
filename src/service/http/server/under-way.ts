import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors.ts';

/** Requests without a whole answer, for the day on which the process cannot go on. */
export interface UnderWay {
  add(request: FastifyRequest, reply: FastifyReply): void;
  /** Its answer is whole, or cut off. */
  remove(reply: FastifyReply): void;
  /** What every request is refused with from now on; null: none is. */
  refusal(): EarshotError | null;
  /**
   * Answers those whose answer has not begun as an outage, cuts off those whose answer has, and closes the connections.
   * Resolves when the answers are with the system, or after `mostMs`.
   */
  fail(cause: unknown, mostMs: number): Promise<void>;
}

/** @param answer sends an error in the words of the request's dialect */
export function createUnderWay(
  answer: (error: EarshotError, request: FastifyRequest, reply: FastifyReply) => void,
): UnderWay {
  const replies = new Map<FastifyReply, FastifyRequest>();
  let refusal: EarshotError | null = null;

  const end = (request: FastifyRequest, reply: FastifyReply, error: EarshotError): void => {
    // An answer that has begun cannot take back its status: its reader must see that it is not whole.
    if (reply.raw.headersSent || request.upgraded) request.raw.socket.destroy();
    // What is being sent already comes to its end by itself.
    else if (!reply.sent) answer(error, request, reply.header('connection', 'close'));
  };

  return {
    add: (request, reply) => void replies.set(reply, request),
    remove: (reply) => void replies.delete(reply),
    refusal: () => refusal,
    async fail(cause, mostMs) {
      refusal = new EarshotError('internal_error', 'The service starts again after a failure', {
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
