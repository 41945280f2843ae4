// What is wrong with the files and fields of a request, as far as a declaration alone can say.
import { EarshotError } from '../../core/errors.ts';
import type { Plan, Refusal } from '../../contract/tool-facts.ts';
import { spokenLanguages } from '../../contract/spoken-languages.ts';
import type { InputFacts, InputRoles, InputsOf } from '../../contract/tool-inputs.ts';
import { inputName } from './inputs.ts';

/** Rules between the fields of a request, files and options alike, that neither schema says alone. */
export interface FieldRules {
  /** Of each list exactly one field is given. */
  readonly exactlyOne?: readonly (readonly string[])[];
  /** The first field is only understood together with the second: {cut_ids: 'transcript_file_id'}. */
  readonly needs?: Readonly<Record<string, string>>;
}

/** When an option may be given: what `check` refuses otherwise in its own words, as the published schema says it. */
export interface OptionRule {
  /** The option on whose value it depends. */
  readonly field: string;
  /** The values with which it may be given; where the field is left out, its default counts. */
  readonly values: readonly string[];
  /** With these values, must it be given? */
  readonly required: boolean;
}

/** A field's files as a list, whatever its shape. */
const listOf = (given: InputFacts | readonly InputFacts[] | undefined): readonly InputFacts[] =>
  given === undefined ? [] : [given].flat();

/** Refusals that follow from the input roles alone: a file without the sound or the picture that the tool needs. */
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
 * What is wrong with the set of fields that a request gives.
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
 * A code that no recogniser knows, told before the work. eng names a language, but its code is en.
 * @param language undefined: it is detected
 */
export function refuseLanguage(language: string | undefined): Refusal[] {
  if (language === undefined || spokenLanguages.includes(language)) return [];
  const [short = language] = Intl.getCanonicalLocales(language);
  const advice = spokenLanguages.includes(short) ? `: ${short} is its code` : '';
  const message = `Expected language to be the code of a language that can be recognised, such as en, de or ja, but received ${language}`;
  return [{ code: 'bad_request', message: message + advice }];
}

/** The names of the fields that a plan's files and options stand for. */
export function givenFields(
  facts: InputsOf<InputRoles, InputFacts>,
  options: Readonly<Record<string, unknown>>,
): ReadonlySet<string> {
  const files = Object.entries(facts).filter(([, given]) => listOf(given).length > 0);
  const values = Object.entries(options).filter(([, value]) => value !== undefined);
  return new Set([...files, ...values].map(([name]) => name));
}

/** Throws the first refusal of a plan as an EarshotError; does nothing when there is none. */
export function throwIfRefused(plan: Plan): void {
  const first = plan.refusals[0];
  if (first) throw new EarshotError(first.code, first.message);
}
