import type { FastifyReply } from 'fastify';
import { PassThrough } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Transcript } from '../../../library/contract/transcript.ts';
import { forClient } from '../server/errors.ts';
import { eventStreamHeaders, heartbeatMs } from '../server/events.ts';
import { separatorAt, toDone, toSpeakerSegment } from './answers.ts';
import { errorAnswer } from './errors.ts';
import type { AskedFor } from './fields.ts';

/**
 * Answers with server-sent events: the text sentence by sentence, or a segment for each with its speaker, and at the
 * end the whole transcript. They are sent once the transcript is complete, since a job reports no sentences before;
 * until then comments keep the connection open.
 * @param stopped ends the wait
 */
export function sendEvents(
  reply: FastifyReply,
  { format }: AskedFor,
  stopped: AbortSignal,
  finished: () => Promise<Transcript>,
): FastifyReply {
  const stream = new PassThrough();
  const say = (event: object): void => void stream.write(`data: ${JSON.stringify(event)}\n\n`);
  const heartbeat = setInterval(() => stream.write(': \n\n'), heartbeatMs);
  stream.once('close', () => clearInterval(heartbeat));
  const tell = async (): Promise<void> => {
    try {
      for (const event of eventsOf(await finished(), format === 'diarized_json')) say(event);
    } catch (thrown) {
      if (!reply.raw.destroyed) say(errorAnswer(forClient(EarshotError.from(thrown), reply.request.id)).body);
      if (!stopped.aborted) reply.log.warn({ err: thrown }, 'a streamed transcription failed');
    } finally {
      stream.end();
    }
  };
  void tell();
  return reply.headers(eventStreamHeaders).send(stream);
}

function* eventsOf(transcript: Transcript, diarized: boolean): Generator<object, void> {
  const { sentences, language } = transcript;
  for (const [index, sentence] of sentences.entries())
    yield diarized
      ? toSpeakerSegment(sentence, index)
      : { type: 'transcript.text.delta', delta: separatorAt(language, sentences, index) + sentence.text };
  yield toDone(transcript);
}
