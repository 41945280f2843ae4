// Checks of a request's files and fields, as far as a declaration alone allows.
import { EarshotError } from '../../core/errors/errors.ts';
import type { Refusal } from '../../contract/tool-facts.ts';
import { spokenLanguages } from '../../contract/spoken-languages.ts';
import type { InputFacts, InputRoles, InputsOf } from '../../contract/tool-inputs.ts';
import { inputName } from './inputs.ts';

/** Rules between the fields of a request, both inputs and options. */
export interface FieldRules {
  /** In each list, exactly one field is required. */
  readonly exactlyOne?: readonly (readonly string[])[];
  /** The first field requires the second: {cut_ids: 'transcript_file_id'}. */
  readonly needs?: Readonly<Record<string, string>>;
}

/** When an option is allowed: the rule that `check` enforces, for the published schema. */
export interface OptionRule {
  /** The option that it depends on. */
  readonly field: string;
  /** The values for which it is allowed; a missing field has its default. */
  readonly values: readonly string[];
  /** Is it required for these values? */
  readonly required: boolean;
}

/** A field's files as a list, whatever its shape. */
const listOf = <File extends object>(given: File | readonly File[] | undefined): readonly File[] =>
  given === undefined ? [] : ([given].flat() as File[]);

/** Refusals from the input roles alone: a file without the audio or picture that the tool needs. */
export function refuseUnsuitable(inputs: InputRoles, facts: InputsOf<InputRoles, InputFacts>): Refusal[] {
  const refusals: Refusal[] = [];
  for (const [field, role] of Object.entries(inputs)) {
    if (role.kind !== 'media') continue;
    for (const file of listOf(facts[field])) {
      const what = `${inputName(field)} (${file.format})`;
      if (role.needs.includes('audio') && !file.hasAudio)
        refusals.push({ code: 'no_audio', message: `Expected sound in ${what} but it has none` });
      if (role.needs.includes('video') && !file.hasVideo)
        refusals.push({ code: 'wrong_file_type', message: `Expected a video for ${what} but it has no picture` });
    }
  }
  return refusals;
}

/**
 * Checks the set of fields in a request.
 * @param given names of inputs and options
 */
export function refuseFields({ exactlyOne = [], needs = {} }: FieldRules, given: ReadonlySet<string>): Refusal[] {
  const refusal = (message: string): Refusal => ({ code: 'bad_request', message });
  const refusals: Refusal[] = [];
  for (const fields of exactlyOne) {
    const present = fields.filter((field) => given.has(field));
    if (present.length !== 1)
      refusals.push(
        refusal(
          `Expected exactly one of ${fields.join(', ')} but received ` +
            (present.length === 0 ? 'none' : present.join(' and ')),
        ),
      );
  }
  for (const [field, other] of Object.entries(needs)) {
    if (given.has(field) && !given.has(other))
      refusals.push(refusal(`Expected ${other} together with ${field} but received ${field} alone`));
  }
  return refusals;
}

/**
 * Refuses an unknown language code before the work. For "eng" the message names the code en.
 * @param language undefined: it is detected
 */
export function refuseLanguage(language: string | undefined): Refusal[] {
  if (language === undefined || spokenLanguages.includes(language)) return [];
  const [short = language] = Intl.getCanonicalLocales(language);
  const advice = spokenLanguages.includes(short) ? `: ${short} is its code` : '';
  const message =
    'Expected language to be the code of a language that can be recognised, such as en, de or ja, but ' +
    `received ${language}`;
  return [{ code: 'bad_request', message: message + advice }];
}

/** The names of all given fields. */
export function givenFields(
  inputs: InputsOf<InputRoles, object>,
  options: Readonly<Record<string, unknown>>,
): ReadonlySet<string> {
  const files = Object.entries(inputs).filter(([, given]) => listOf(given).length > 0);
  const values = Object.entries(options).filter(([, value]) => value !== undefined);
  return new Set([...files, ...values].map(([name]) => name));
}

/** Throws the first refusal as an EarshotError, if there is one. */
export function throwIfRefused([first]: readonly Refusal[]): void {
  if (first) throw new EarshotError(first.code, first.message);
}
