// What calls of assistants answer, as JSON Schema. Nothing is required and nothing else is excluded: a job that still
// runs has no outputs yet, and a call that fails answers with an error, which some clients check by the same schema.
import type { ToolId } from '../contract/tool-ids.ts';
import { resultSchemas } from './result-schemas.ts';

export type AnswerSchema = Readonly<Record<string, unknown>>;

export const text: AnswerSchema = { type: 'string' };
export const number: AnswerSchema = { type: 'number' };
export const object: AnswerSchema = { type: 'object' };
export const numberOrNull: AnswerSchema = { type: ['number', 'null'] };
export const objectOrNull: AnswerSchema = { type: ['object', 'null'] };
export const listOf = (items: AnswerSchema): AnswerSchema => ({ type: 'array', items });
export const fieldsOf = (properties: Readonly<Record<string, AnswerSchema>>): AnswerSchema => ({
  type: 'object',
  properties,
});

/** An answer, or an error. */
export const answerOf = (properties: Readonly<Record<string, AnswerSchema>>): AnswerSchema =>
  fieldsOf({ ...properties, error: objectOrNull });

export const warningsAnswer = listOf(fieldsOf({ code: text, message: text }));

/** What a tool measures. */
export const resultOf = (tool: string): AnswerSchema => {
  const schema = open(resultSchemas[tool as ToolId] ?? object) as AnswerSchema;
  return { ...schema, type: ['object', 'null'] };
};

const bounds = new Set(['required', 'additionalProperties', 'additionalItems']);

/** Without the bounds by which the service checks its runners. */
function open(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(open);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !bounds.has(name))
      // A tuple's items are of one kind here, and clients read schemas by the draft of 2020, which has other tuples.
      .map(([name, inner]) => [name, open(name === 'items' && Array.isArray(inner) ? inner[0] : inner)]),
  );
}
