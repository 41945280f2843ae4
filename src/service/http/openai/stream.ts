import type { FastifyReply } from 'fastify';
import { PassThrough } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { isSpaced } from '../../../library/contract/join-words.ts';
import type { Transcript } from '../../../library/contract/transcript.ts';
import type { SaidSentence } from '../../rules/jobs/said-sentences.ts';
import { forClient } from '../server/errors.ts';
import { eventStreamHeaders, heartbeatMs } from '../server/events.ts';
import { labelsOf, type SpeakerLabels, toDone, toSpeakerSegment } from './answers.ts';
import { errorAnswer } from './errors.ts';
import type { AskedFor } from './fields.ts';

/**
 * Answers with server-sent events: the text sentence by sentence as it is read, or a segment for each with its speaker,
 * and at the end the whole transcript. Until the first one comments keep the connection open.
 * @param stopped ends the wait
 */
export function sendEvents(
  reply: FastifyReply,
  { format }: AskedFor,
  stopped: AbortSignal,
  hear: Hear,
  finished: () => Promise<Transcript>,
): FastifyReply {
  const stream = new PassThrough();
  const say = (event: object): void => void stream.write(`data: ${JSON.stringify(event)}\n\n`);
  const heartbeat = setInterval(() => stream.write(': \n\n'), heartbeatMs);
  stream.once('close', () => clearInterval(heartbeat));
  const sentences = sentenceEvents(format === 'diarized_json', say);
  const leave = hear(sentences.heard);
  const tell = async (): Promise<void> => {
    try {
      const transcript = await finished();
      leave();
      sentences.rest(transcript);
      say(toDone(transcript));
    } catch (thrown) {
      if (!reply.raw.destroyed) say(errorAnswer(forClient(EarshotError.from(thrown), reply.request.id)).body);
      if (!stopped.aborted) reply.log.warn({ err: thrown }, 'a streamed transcription failed');
    } finally {
      leave();
      stream.end();
    }
  };
  void tell();
  return reply.headers(eventStreamHeaders).send(stream);
}

/** Hears the sentences of a job as they are finished. @returns a function that stops */
export type Hear = (listener: (number: number, sentence: SaidSentence) => void) => () => void;

/**
 * Events of sentences, each once and in order: as they are heard, and those that were not from the transcript. What
 * comes after one that got lost waits for the transcript.
 */
export function sentenceEvents(
  diarized: boolean,
  say: (event: object) => void,
): { readonly heard: Parameters<Hear>[0]; rest(transcript: Transcript): void } {
  let [count, before] = [0, ''];
  const tell = (sentence: SaidSentence, language: string, labelOf?: SpeakerLabels): void => {
    const separator = count > 0 && isSpaced(before, sentence.text, language) ? ' ' : '';
    if (diarized) say(toSpeakerSegment(sentence, count, labelOf));
    else say({ type: 'transcript.text.delta', delta: separator + sentence.text });
    [count, before] = [count + 1, sentence.text];
  };
  return {
    heard(number, sentence) {
      // Only Korean needs its language, where a sentence ends or begins with an ideograph.
      if (number === count) tell(sentence, '');
    },
    rest(transcript) {
      const { sentences, language } = transcript;
      const labelOf = labelsOf(transcript);
      for (const sentence of sentences.slice(count)) tell(sentence, language, labelOf);
    },
  };
}
