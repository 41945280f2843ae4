// What each run of a chain's step takes, of the files that the chain was given and that its earlier steps have made.
import { EarshotError } from '../core/errors/errors.ts';
import type { FilesByField, InputRole, InputRoles } from './tool-inputs.ts';

/** What the chain was given, as a source. */
export const chainFiles = 'files';

/** One of the files that the chain was given, as a source: `files.2` is the second. */
export const chainFile = (number: number): string => `${chainFiles}.${number}`;

/** The number of the file that a source names; null: it is another kind of source. */
export function fileNumber(source: string): number | null {
  const number = /^files\.([1-9]\d?)$/.exec(source)?.[1];
  return number === undefined ? null : Number(number);
}

/** The files that the chain was given, by the sources that name them: all, and each alone. */
export const givenSources = <File>(files: readonly File[]): Map<string, readonly File[]> =>
  new Map([[chainFiles, files], ...files.map((file, at): [string, readonly File[]] => [chainFile(at + 1), [file]])]);

/** @throws EarshotError bad_request where a step names a file that the chain was not given */
export function requireGiven(steps: readonly Pick<StepInputs, 'name' | 'sources'>[], count: number): void {
  for (const { name, sources } of steps)
    for (const source of Object.values(sources).flat())
      if ((fileNumber(source) ?? 0) > count)
        throw ofStep(
          name,
          new EarshotError(
            'bad_request',
            `Its input ${source} is not there: the chain has ${count === 1 ? 'one file' : `${count} files`}`,
            { details: { field: 'steps' } },
          ),
        );
}

/** Does a later step take this step's files? They are then left as they are between steps, also where they are kept. */
export const isTaken = (steps: readonly Pick<StepInputs, 'name' | 'sources'>[], name: string): boolean =>
  steps.some(({ sources }) => Object.values(sources).flat().includes(name));

/**
 * What goes behind the chain's name in those of a step's files: '' for what no step takes, and for the only text of a
 * chain, which is a result as it is.
 */
export function keptSuffix<Step extends Pick<StepInputs, 'name' | 'sources'> & { readonly isResult: boolean }>(
  step: Step,
  steps: readonly Step[],
  isText: (step: Step) => boolean,
): string {
  if (!isTaken(steps, step.name)) return '';
  const texts = steps.filter((each) => each.isResult && isText(each));
  return isText(step) && texts.length === 1 ? '' : `-${step.name}`;
}

/** The parts of a step that decide its runs. */
export interface StepInputs {
  /** Its name in errors. */
  readonly name: string;
  /** Of its tool. */
  readonly inputs: InputRoles;
  /** Names of sources by input field; '': the field that the number of files decides. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
}

/**
 * The inputs of each of a step's runs: a tool that takes one file runs once for each.
 * @param filesOf those that the chain was given, or an earlier step has made
 * @throws EarshotError bad_request, which names the step
 */
export function callsOf<File extends { readonly name: string }>(
  { name: step, inputs: roles, sources }: StepInputs,
  filesOf: (source: string) => readonly File[],
): FilesByField<File>[] {
  const whole = sources[''];
  if (whole === undefined) {
    const byField = Object.entries(sources).map(
      ([field, names]) => [field, suitable(roles[field], names.flatMap(filesOf))] as const,
    );
    return [Object.fromEntries(byField)];
  }
  const given = whole.flatMap(filesOf);
  if (given.length === 0)
    throw ofStep(
      step,
      new EarshotError('bad_request', `Expected files to work on but ${whole.join(' and ')} made none`, {
        nextAction: 'Name another step as its input, or let that step write sound.',
      }),
    );
  const media = Object.entries(roles).filter(([, role]) => role.kind === 'media');
  const list = media.find(
    ([, { multiple, minGiven, max }]) => multiple && given.length >= minGiven && given.length <= max,
  );
  if (list !== undefined && given.length > 1) return [{ [list[0]]: given }];
  const single = media.find(([, { multiple }]) => !multiple);
  if (single === undefined || media.some(([field, { min }]) => min > 0 && field !== single[0]))
    throw ofStep(
      step,
      new EarshotError(
        'bad_request',
        `Expected ${media.map(wanted).join(' and ')} but received ` +
          (given.length === 1 ? 'one file' : `${given.length} files`),
        { nextAction: 'Name what goes into each of its inputs: "input": {"<field>": "<step>"}.' },
      ),
    );
  return given.map((file) => ({ [single[0]]: [file] }));
}

const wanted = ([field, { multiple, minGiven, max }]: [string, InputRole]): string =>
  `${multiple ? `${minGiven} to ${max} files` : 'a file'} for ${field}`;

/** A transcript comes in several formats: a field for one text gets the one that it names first. */
function suitable<File extends { readonly name: string }>(role: InputRole | undefined, files: readonly File[]): File[] {
  if (role?.kind !== 'text') return [...files];
  const kindOf = ({ name }: File): number =>
    role.extensions.indexOf(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
  const texts = files.filter((file) => kindOf(file) >= 0);
  if (role.multiple) return texts;
  const first = Math.min(...texts.map(kindOf));
  return texts.filter((file) => kindOf(file) === first);
}

/** Options are those of a recipe: a chain has them in its steps. */
export const optionsBesideSteps = (): EarshotError =>
  new EarshotError('bad_request', 'Expected no options beside a chain with steps: each step has its own', {
    details: { field: 'options' },
  });

/** An error of a chain, which names the step that it comes from. */
export function ofStep(step: string, thrown: unknown): unknown {
  if (!(thrown instanceof EarshotError)) return thrown;
  const { code, message, nextAction, details } = thrown;
  return new EarshotError(code, `Step ${step}: ${message}`, {
    nextAction,
    details: { ...details, step },
    cause: thrown,
  });
}

/** The options of a tool that choose its format. */
export interface FormatChoices {
  /** Values of the option `output_format`; null: it has none. */
  readonly outputFormat: readonly string[] | null;
  /** Values of the option `format`; null: it has none. */
  readonly format: readonly string[] | null;
}

/** The choices of a tool. @param options its JSON Schema */
export function formatChoices(options: {
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly unknown[] }>>;
}): FormatChoices {
  const { output_format: mayLeave, format: named } = options.properties ?? {};
  return {
    outputFormat: (mayLeave?.enum as readonly string[] | undefined) ?? null,
    format: (named?.enum as readonly string[] | undefined) ?? null,
  };
}

/**
 * A step's options where a sound format is wanted of the chain: a video of which only the sound is wanted loses its
 * picture in the first step that writes sound.
 * @param format that the chain's sound is to have; null: as its first file
 * @param step its parsed options, and the format that they ask for; null: none
 * @param takesFiles does this run take files that the chain was given?
 */
export function stepOptions(
  format: string | null,
  step: {
    readonly options: Readonly<Record<string, unknown>>;
    readonly soundFormat: string | null;
    readonly isResult: boolean;
  },
  choices: FormatChoices,
  takesFiles: boolean,
): Readonly<Record<string, unknown>> {
  if (format === null || step.soundFormat !== null) return step.options;
  // Its own default is another format.
  if (step.isResult && choices.format?.includes(format) === true) return { ...step.options, format };
  if (choices.outputFormat === null || !takesFiles) return step.options;
  const own = step.isResult && choices.outputFormat.includes(format) ? format : 'wav';
  return { ...step.options, output_format: own };
}

/** Warnings that say nothing of the result: they are about files between the steps. */
export const ofWorkingForm: readonly string[] = ['container_changed', 'sound_codec_changed'];
