import type { FastifyReply, FastifyRequest } from 'fastify';
import { PassThrough } from 'node:stream';
import { EarshotError } from '../../../library/core/errors.ts';

/** Proxies close what is silent for a minute. */
const heartbeatMs = 15_000;
/** Browsers come back after so long when the line breaks. */
const comeBackMs = 2000;
/** What the last event of a stream is called: a browser that comes back with it has nothing more to hear. */
const lastId = 'end';
const retryAfterSeconds = 10;

/** Sends a record, in full; `final`: the last one. null: there is no more to say. */
export type Say = (record: object | null, final: boolean) => void;

/** Streams of events (the HTML standard's server-sent events) to many clients. */
export interface EventStreams {
  /**
   * Answers with what `follow` says: each event is the whole record, so that whoever comes back needs no history. A slow
   * client gets the latest, without those in between.
   * @param owner whose streams are counted
   * @param follow resolves once it says what there is; may say something before
   * @throws EarshotError rate_limited, and what `follow` throws
   */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: string,
    follow: (say: Say) => Promise<{ readonly stop: () => void }>,
  ): Promise<FastifyReply>;
}

/**
 * @param most streams of one owner at a time
 * @param closing the service stops: streams end, and clients come back to the next one
 */
export function createEventStreams(most: number, closing: AbortSignal): EventStreams {
  const counts = new Map<string, number>();

  return {
    async open(request, reply, owner, follow) {
      // Browsers come back when a stream ends, and take this as the word to stop.
      if (request.headers['last-event-id'] === lastId) return reply.code(204).send();
      const count = counts.get(owner) ?? 0;
      if (count >= most)
        throw new EarshotError(
          'rate_limited',
          `Expected at most ${most} streams of events to be open at the same time`,
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
      stream.write(`retry: ${comeBackMs}\n\n`);
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
      return reply
        .headers({
          'content-type': 'text/event-stream',
          'cache-control': 'no-store, no-transform',
          // nginx would wait for the end.
          'x-accel-buffering': 'no',
        })
        .send(stream);
    },
  };
}
