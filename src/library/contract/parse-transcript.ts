import type { ValidateFunction } from 'ajv';
import { compileSchema } from '../core/checks/compile-schema.ts';
import { EarshotError } from '../core/errors/errors.ts';
import type { TimeRange } from '../core/time-range.ts';
import { badValue, describeExpected, type OptionSchema, pathOf, placeOf } from '../core/checks/schema.ts';
import { Transcript } from './transcript.ts';

const transcriptFormat = 'earshot-transcript';

let compiled: ValidateFunction | undefined;

/**
 * @param json the content of the file
 * @throws EarshotError wrong_file_type, with the field, what was expected and what was received
 */
export function parseTranscript(json: string): Transcript {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw notTranscript('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || (value as { format?: unknown }).format !== transcriptFormat)
    throw notTranscript(`the property format must be ${transcriptFormat}`);
  compiled ??= compileSchema(Transcript, { allErrors: false, verbose: true, strict: true, strictTypes: false });
  if (!compiled(value)) {
    const error = compiled.errors?.[0];
    const path = error === undefined ? [] : pathOf(error);
    if (error?.keyword === 'required') path.push((error.params as { missingProperty: string }).missingProperty);
    const place = placeOf(path);
    const expected =
      error?.keyword === 'required' ? 'a value' : describeExpected((error?.parentSchema ?? {}) as OptionSchema);
    throw notTranscript(badValue(place, expected, error?.keyword === 'required' ? undefined : error?.data).message);
  }
  const transcript = value as Transcript;
  requireOrder(transcript);
  return transcript;
}

/** Rules that windows rely on and a schema cannot express. */
function requireOrder({ sentences, turns = [], events = [] }: Transcript): void {
  for (const [index, turn] of turns.entries()) requireSpan(`turns[${index}]`, turn);
  for (const [index, event] of events.entries()) requireSpan(`events[${index}]`, event);
  let last = 0;
  for (const [index, sentence] of sentences.entries()) {
    if (sentence.startSeconds < last)
      throw notTranscript(
        badValue(
          `sentences[${index}].startSeconds`,
          `number of at least ${last}, the start of the sentence before,`,
          sentence.startSeconds,
        ).message,
      );
    last = sentence.startSeconds;
    for (const [name, span] of [
      [`sentences[${index}]`, sentence] as const,
      ...sentence.words.map((word, at) => [`sentences[${index}].words[${at}]`, word] as const),
    ])
      requireSpan(name, span);
  }
}

function requireSpan(name: string, { startSeconds, endSeconds }: TimeRange): void {
  if (endSeconds < startSeconds)
    throw notTranscript(badValue(`${name}.endSeconds`, `number of at least ${startSeconds}`, endSeconds).message);
}

const notTranscript = (reason: string): EarshotError =>
  new EarshotError('wrong_file_type', `Expected a transcript JSON file: ${reason}`);
