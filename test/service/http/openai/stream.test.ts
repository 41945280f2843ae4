// The events of a streamed transcription, however its sentences come.
import { expect, it } from 'vitest';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';
import { sentenceEvents } from '../../../../src/service/http/openai/stream.ts';

const texts = ['One.', 'Two.', 'Three.', 'Four.'];
const sentences = texts.map((text, index) => ({
  startSeconds: index,
  endSeconds: index + 0.9,
  text,
  speaker: null,
  words: [],
}));
const transcript: Transcript = {
  format: 'earshot-transcript',
  version: 1,
  language: 'en',
  durationSeconds: 4,
  speakerCount: null,
  sentences,
};

/** The text of all deltas, and how many were sent before the transcript. */
function told(...heard: number[]): readonly [text: string, early: number] {
  const events: object[] = [];
  const say = sentenceEvents(false, (event) => events.push(event));
  for (const number of heard) say.heard(number, sentences[number]!);
  const early = events.length;
  say.rest(transcript);
  return [events.map((event) => (event as { delta: string }).delta).join(''), early];
}

it.each([
  ['in order', [0, 1, 2, 3], 4],
  ['not at all', [], 0],
  ['with the second lost on the way', [0, 2, 3], 1],
  ['with the first lost', [1, 2], 0],
  ['twice, as when a job is begun again', [0, 1, 0, 1, 2], 3],
] as const)('are the whole text once, when sentences come %s', (_, heard, early) => {
  expect(told(...heard)).toEqual(['One. Two. Three. Four.', early]);
});
