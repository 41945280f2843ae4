// Converts names of the interface, as declarations and errors use them, to the flags and commands that users type.
import { errorCatalogue, type EarshotError, type ErrorCode } from '../../library/core/errors/errors.ts';
import { metBound, type RunBound } from '../../library/core/machine/run-bounds.ts';
import { kebab, optionFlag } from './flag-names.ts';
import { inputName } from '../../library/tools/declare/inputs.ts';
import { tools } from '../../library/tools/registry.ts';

/** Inputs that are typed without a flag. */
const plainInputs: Readonly<Record<string, string>> = {
  file_id: 'the file',
  file_ids: 'the files',
  video_file_id: 'the video',
  audio_file_id: 'the sound',
};

let known: ReadonlyMap<string, string> | undefined;

/** From names with underscores to what is typed for them. */
function terminalNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { id, slug, options, inputs } of tools) {
    names.set(id, slug);
    for (const [name, { items }] of Object.entries(options.properties ?? {})) {
      names.set(name, optionFlag(name));
      const inner = Array.isArray(items) ? {} : ((items as typeof options | undefined)?.properties ?? {});
      for (const each of Object.keys(inner)) names.set(each, kebab(each));
    }
    for (const field of Object.keys(inputs)) names.set(field, plainInputs[field] ?? `--${kebab(inputName(field))}`);
  }
  return names;
}

/** A sentence in terms of the command line. Words without an underscore are left unchanged. */
export function terminalWords(text: string): string {
  known ??= terminalNames();
  return text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => known?.get(name) ?? name);
}

/**
 * A message with every option named as it is typed. Includes options of one word, which appear in the message as the
 * place of a value: "for target but received", "ranges[0]".
 */
export function withFlags({ message, details }: EarshotError): string {
  const said = terminalWords(message).replaceAll(/ of type (?:string|number|array|object)(?=\.|$)/g, '');
  const field = details?.['field'];
  if (typeof field !== 'string' || !/^[a-z]+$/.test(field)) return said;
  const isOption = tools.some(({ options }) => Object.hasOwn(options.properties ?? {}, field));
  return isOption ? said.replaceAll(new RegExp(`(?<=(?:for|option) )${field}\\b`, 'g'), optionFlag(field)) : said;
}

/** What to do next, where the catalogue addresses programs that send requests. */
const terminalActions: Partial<Record<ErrorCode, string>> = {
  bad_request: 'Correct it and run the command again; --help lists the options.',
  conflict: 'Check the existing files and decide again.',
  not_found: 'Check the name.',
  rate_limited: 'Wait a while and try again.',
};

const shorter = 'Use a shorter file or split it';

/** The command line sets these limits itself (tool/batch.ts). */
const boundActions: Readonly<Record<RunBound, string>> = {
  maxJobMemoryBytes: `${shorter}. Half of the machine's memory is divided among --jobs: fewer jobs give each run more.`,
  maxJobSeconds: `${shorter}.`,
  maxOutputBytes: `${shorter}.`,
};

/** How options are typed whose schema describes them for programs. */
const typedLike: Readonly<Record<string, string>> = {
  ranges: 'Write time ranges such as 0:10-0:20,61.5-63.',
  language: 'Write a name or a code: german, de.',
};

/** What to do next, for a user at a terminal. */
export function terminalAction({ code, nextAction, details }: EarshotError): string {
  const typed = code === 'bad_request' ? typedLike[String(details?.['field'])] : undefined;
  if (typed !== undefined) return typed;
  const met = metBound({ code, details });
  if (met !== null) return boundActions[met.limit];
  const isUsual = nextAction === errorCatalogue[code].nextAction;
  return terminalWords((isUsual ? terminalActions[code] : undefined) ?? nextAction);
}
