// What calls on this machine answer, as JSON Schema.
import {
  type AnswerSchema,
  answerOf,
  fieldsOf,
  listOf,
  number,
  numberOrNull,
  object,
  objectOrNull,
  text,
  warningsAnswer,
} from '../../../library/tools/answer-schemas.ts';

const outputs = listOf(
  fieldsOf({ path: text, filename: text, contentType: text, sizeBytes: number, durationSeconds: numberOrNull }),
);
const job = { job_id: text, tool: text, status: text, progress: number, estimatedSecondsLeft: numberOrNull };

/** A job: how far it is, or what came out. @param more what this kind of job adds */
export const jobAnswer = (more: Readonly<Record<string, AnswerSchema>> = {}): AnswerSchema =>
  answerOf({ ...job, outputs, warnings: warningsAnswer, ...more });

const chapters = listOf(fieldsOf({ startSeconds: number, endSeconds: number, title: text }));
export const labelsAnswer = { tags: object, chapters };
export const factsAnswer = answerOf({
  format: text,
  sizeBytes: number,
  durationSeconds: numberOrNull,
  audio: objectOrNull,
  video: objectOrNull,
  cover: objectOrNull,
  ...labelsAnswer,
});
export const filesAnswer = answerOf({ files: listOf(fieldsOf({ path: text, bytes: numberOrNull })), left: number });
export const jobsAnswer = answerOf({ jobs: listOf(fieldsOf(job)) });
