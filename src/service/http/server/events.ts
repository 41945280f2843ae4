import type { FastifyReply, FastifyRequest } from 'fastify';
import { PassThrough } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';

/** Proxies close connections that are idle for a minute. */
export const heartbeatMs = 15_000;
/** Browsers reconnect after this time. */
const reconnectMs = 2000;
/** Id of the last event. A browser that reconnects with it gets 204, and stops. */
const lastId = 'end';
const retryAfterSeconds = 10;

export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Prevents buffering by nginx.
  'x-accel-buffering': 'no',
} as const;

/** Sends a whole record; `final`: the last one. null: ends the stream. */
export type Say = (record: object | null, final: boolean) => void;

/** Streams of events (the HTML standard's server-sent events) to many clients. */
export interface EventStreams {
  /**
   * Opens a stream. Each event is the whole record, so that reconnecting clients need no history. A slow client gets
   * the latest record, without intermediate ones.
   * @param owner counts the open streams by owner
   * @param follow begins to call `say`; may call it before it resolves
   * @throws EarshotError rate_limited, and errors of `follow`
   */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: string,
    follow: (say: Say) => Promise<{ readonly stop: () => void }>,
  ): Promise<FastifyReply>;
}

/**
 * @param most open streams of one owner
 * @param closing aborted when the service stops: streams end, and clients reconnect to the next process
 */
export function createEventStreams(most: number, closing: AbortSignal): EventStreams {
  const counts = new Map<string, number>();

  return {
    async open(request, reply, owner, follow) {
      // Browsers reconnect when a stream ends; 204 makes them stop.
      if (request.headers['last-event-id'] === lastId) return reply.code(204).send();
      const count = counts.get(owner) ?? 0;
      if (count >= most)
        throw new EarshotError(
          'rate_limited',
          `Expected at most ${most} open event streams; try again in ${retryAfterSeconds} s`,
          {
            details: { retryAfterSeconds },
          },
        );
      counts.set(owner, count + 1);
      const stream = new PassThrough();
      let next: { readonly text: string; readonly final: boolean } | null = null;
      let number = 0;
      let over = false;
      const write = (): void => {
        if (next === null || over || stream.writableNeedDrain) return;
        const { text, final } = next;
        next = null;
        number += 1;
        stream.write(`id: ${final ? lastId : number}\ndata: ${text}\n\n`);
        if (final) end();
      };
      const end = (): void => {
        over = true;
        stream.end();
      };
      let following: { readonly stop: () => void } | null = null;
      const leave = (): void => {
        over = true;
        clearInterval(heartbeat);
        closing.removeEventListener('abort', end);
        following?.stop();
        following = null;
        const left = (counts.get(owner) ?? 1) - 1;
        if (left > 0) counts.set(owner, left);
        else counts.delete(owner);
      };
      const heartbeat = setInterval(() => {
        if (!over && !stream.writableNeedDrain) stream.write(': \n\n');
      }, heartbeatMs);
      stream.on('drain', write);
      stream.write(`retry: ${reconnectMs}\n\n`);
      try {
        following = await follow((record, final) => {
          if (record === null) return end();
          next = { text: JSON.stringify(record), final };
          return write();
        });
      } catch (thrown) {
        leave();
        throw thrown;
      }
      if (reply.raw.destroyed) leave();
      else reply.raw.once('close', leave);
      if (closing.aborted) end();
      else closing.addEventListener('abort', end, { once: true });
      return reply.headers(eventStreamHeaders).send(stream);
    },
  };
}
