import { deflateSync } from 'node:zlib';
import { isSpaced } from '../../../library/contract/join-words.ts';
import type { Transcript, TranscriptSentence } from '../../../library/contract/transcript.ts';
import type { AskedFor, Task } from './fields.ts';

/** A finished transcript in the shapes of OpenAI's API. */

/** Usage as that API bills it. */
const usageOf = ({ durationSeconds }: Transcript): object => ({
  type: 'duration',
  seconds: Math.ceil(durationSeconds),
});

/** The text of several sentences, in one line. */
function lineOf({ language }: Pick<Transcript, 'language'>, sentences: readonly TranscriptSentence[]): string {
  let text = '';
  for (const [index, sentence] of sentences.entries()) text += separatorAt(language, sentences, index) + sentence.text;
  return text;
}

/** The separator before a sentence: a space, or nothing in scripts without spaces. */
function separatorAt(language: string, sentences: readonly TranscriptSentence[], index: number): string {
  const before = sentences[index - 1];
  return before !== undefined && isSpaced(before.text, sentences[index]!.text, language) ? ' ' : '';
}

/** The body for `json`. */
export const toJson = (transcript: Transcript): { readonly text: string; readonly usage: object } => ({
  text: lineOf(transcript, transcript.sentences),
  usage: usageOf(transcript),
});

/** The body for `verbose_json`. */
export function toVerboseJson(transcript: Transcript, { task, granularities }: AskedFor): object {
  const { sentences, durationSeconds } = transcript;
  return {
    task,
    language: languageName(task, transcript.language),
    duration: durationSeconds,
    text: lineOf(transcript, sentences),
    ...(granularities.includes('segment') ? { segments: sentences.map(toSegment) } : {}),
    ...(granularities.includes('word')
      ? {
          words: sentences.flatMap(({ words }) =>
            words.map(({ text, startSeconds, endSeconds }) => ({ word: text, start: startSeconds, end: endSeconds })),
          ),
        }
      : {}),
    usage: usageOf(transcript),
  };
}

/** As OpenAI writes it: "english". */
const languageName = (task: Task, code: string): string =>
  (new Intl.DisplayNames('en', { type: 'language' }).of(task === 'translate' ? 'en' : code) ?? code).toLowerCase();

/**
 * A sentence as a segment. Clients use the figures to detect windows without speech or with repetitions: the mean log
 * probability comes from the words' confidences, the ratio is zlib's as in Whisper. Silence is skipped before, and
 * tokens are not kept.
 */
function toSegment({ startSeconds, endSeconds, text, words }: TranscriptSentence, id: number): object {
  const sure = words.flatMap(({ confidence }) =>
    confidence === undefined ? [] : [Math.log(Math.max(confidence, 1e-4))],
  );
  const bytes = Buffer.from(text);
  return {
    id,
    seek: Math.round(startSeconds * 100),
    start: startSeconds,
    end: endSeconds,
    text,
    tokens: [],
    temperature: 0,
    avg_logprob: sure.length === 0 ? 0 : rounded(sure.reduce((sum, each) => sum + each, 0) / sure.length),
    compression_ratio: rounded(bytes.length / Math.max(1, deflateSync(bytes).length)),
    no_speech_prob: 0,
  };
}

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/** The body for `diarized_json`: a segment for each sentence, with its speaker as a letter. */
export function toDiarizedJson(transcript: Transcript, task: Task): object {
  const labelOf = labelsOf(transcript);
  return {
    task,
    duration: transcript.durationSeconds,
    text: lineOf(transcript, transcript.sentences),
    segments: transcript.sentences.map((sentence, index) => toSpeakerSegment(sentence, index, labelOf)),
    usage: usageOf(transcript),
  };
}

/** What a speaker is called, by number. */
export type SpeakerLabels = (speaker: number) => string;

/** Names of those who are known; the others are A, B, ... in their order, as in that API. */
export function labelsOf({ names, sentences }: Transcript): SpeakerLabels {
  if (names === undefined) return letterOf;
  const taken = new Set(Object.values(names));
  const labels = new Map<number, string>();
  let letter = 0;
  for (const speaker of [...new Set(sentences.map(({ speaker: number }) => number ?? 1))].toSorted((a, b) => a - b)) {
    let label = names[speaker];
    while (label === undefined) {
      letter += 1;
      if (!taken.has(letterOf(letter))) label = letterOf(letter);
    }
    labels.set(speaker, label);
  }
  return (speaker) => labels.get(speaker) ?? letterOf(speaker);
}

/** @param labelOf default: speaker 1 is A */
export const toSpeakerSegment = (
  { startSeconds, endSeconds, text, speaker }: Omit<TranscriptSentence, 'words'>,
  index: number,
  labelOf: SpeakerLabels = letterOf,
): object => ({
  type: 'transcript.text.segment',
  id: `seg_${String(index).padStart(3, '0')}`,
  start: startSeconds,
  end: endSeconds,
  text,
  speaker: labelOf(speaker ?? 1),
});

/** 1: A, 26: Z, 27: AA. */
function letterOf(speaker: number): string {
  let left = speaker;
  let letters = '';
  while (left > 0) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
    left = Math.floor((left - 1) / 26);
  }
  return letters;
}

/** The last event of a stream. */
export const toDone = (transcript: Transcript): object => ({
  type: 'transcript.text.done',
  text: lineOf(transcript, transcript.sentences),
  usage: usageOf(transcript),
});
