// What calls of a service answer, as JSON Schema: the records of REST.
import {
  type AnswerSchema,
  answerOf,
  fieldsOf,
  listOf,
  number,
  numberOrNull,
  object,
  objectOrNull,
  resultOf,
  text,
  warningsAnswer,
} from '../../../../library/tools/answer-schemas.ts';

const file = {
  id: text,
  filename: text,
  contentType: text,
  status: text,
  sizeBytes: numberOrNull,
  durationSeconds: numberOrNull,
  format: { type: ['string', 'null'] },
  prices: objectOrNull,
};
const next = { nextCursor: { type: ['string', 'null'] } };
const job = { id: text, tool: text, status: text, progress: number, estimatedSecondsLeft: numberOrNull };
const outputs = { outputs: listOf(fieldsOf(file)) };

/** @param tool whose result it has. Default: of any tool */
export const jobAnswer = (tool?: string): AnswerSchema =>
  answerOf({
    ...job,
    ...outputs,
    processedSeconds: numberOrNull,
    warnings: warningsAnswer,
    result: tool === undefined ? objectOrNull : resultOf(tool),
  });
export const chainAnswer = answerOf({
  id: text,
  name: text,
  status: text,
  progress: number,
  ...outputs,
  steps: listOf(object),
  charged: numberOrNull,
  warnings: warningsAnswer,
});
export const jobsAnswer = answerOf({ data: listOf(fieldsOf(job)), chains: listOf(object), ...next });
export const fileAnswer = answerOf(file);
export const filesAnswer = answerOf({ data: listOf(fieldsOf(file)), ...next });
export const uploadAnswer = answerOf({
  file: fieldsOf(file),
  upload: objectOrNull,
  multipart: objectOrNull,
  uploadPageUrl: text,
});
export const quoteAnswer = answerOf({ tool: text, seconds: number, credits: number, free: object });
export const accountAnswer = answerOf({
  balance: number,
  availableCents: number,
  freeUsesLeft: object,
  prices: object,
});
export const transcriptAnswer = answerOf({
  language: text,
  durationSeconds: number,
  speakerCount: numberOrNull,
  sentences: listOf(fieldsOf({ startSeconds: number, endSeconds: number, text, speaker: numberOrNull })),
  nextFromSeconds: numberOrNull,
});
export const peaksAnswer = answerOf({
  status: text,
  durationSeconds: numberOrNull,
  peak: numberOrNull,
  levels: listOf(fieldsOf({ perSecond: number, count: number })),
  bins: objectOrNull,
});
