// What the streams of a job and of a chain declare alike.
import * as Type from 'typebox/type';

/** @param what "job" or "chain": each event is its whole record */
export const followed = (what: 'job' | 'chain') => ({
  summary: `The ${what}, now and at every change, as server-sent events`,
  description:
    `Each event is the whole ${what} record; the last one has its final status, and the stream ends. After a ` +
    'reconnect with Last-Event-ID, the current record is sent.',
  answers: {
    200: Type.Unsafe({
      description: `A stream of events: data is a ${what} record`,
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }),
    204: Type.Null({ description: 'Last-Event-ID was the final event' }),
  },
  errors: ['not_found' as const],
});
