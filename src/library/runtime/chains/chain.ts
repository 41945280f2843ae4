// A chain as data: which tools run after each other, on which files, with which options.
import * as Type from 'typebox/type';
import { shownName, whatWasMeant } from '../../core/checks/names.ts';
import { createOptionsParser } from '../../core/checks/schema.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { chainFiles, fileNumber, isTaken } from '../../contract/chain-calls.ts';
import type { InputRole } from '../../contract/tool-inputs.ts';
import type { AnyTool } from '../../tools/declare/define.ts';
import { findTool, tools } from '../../tools/registry.ts';

/**
 * What a step works on: `files` (what the chain was given), `files.2` (the second of them), the name of an earlier
 * step, or several of them.
 */
export type StepSource = string | readonly string[];

/** One run of a tool in a chain. */
export interface ChainStep {
  /** A tool's id or slug. */
  readonly tool: string;
  /** By which later steps and messages call it. Default: the tool's slug, with a number where it comes again. */
  readonly name?: string;
  /**
   * What it works on; by input field where the tool has several. A tool that takes one file runs once for each.
   * Default: the sound of the step before, of the first one the chain's files.
   */
  readonly input?: StepSource | Readonly<Record<string, StepSource>>;
  /** The tool's options. Default: its defaults. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Of a tool that writes text: which files. Default: all of its formats. */
  readonly formats?: readonly string[];
  /**
   * true: its files are results although a later step takes them, which gets them without a loss: sound as WAV of
   * 32-bit float. Default: only what no step takes is a result.
   */
  readonly keep?: boolean;
}

/** A chain of 1 to 20 steps. */
export interface Chain {
  /** In the names of results: `talk.<name>.mp3`; letters, digits and hyphens. Default: "chain". */
  readonly name?: string;
  readonly steps: readonly ChainStep[];
}

const nameOf = (description: string): Type.TString =>
  Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$', description });
const source = Type.Union([
  Type.String({ maxLength: 40 }),
  Type.Array(Type.String({ maxLength: 40 }), { minItems: 1 }),
]);

/** JSON Schema of a chain. */
export const chainSchema: object = Type.Object(
  {
    $schema: Type.Optional(Type.String({ maxLength: 400 })),
    name: Type.Optional(nameOf('In the names of results')),
    steps: Type.Array(
      Type.Object(
        {
          tool: Type.String({ maxLength: 40, description: 'Id or slug of a tool' }),
          name: Type.Optional(nameOf('By which later steps call it')),
          input: Type.Optional(Type.Union([source, Type.Record(Type.String(), source)])),
          options: Type.Optional(Type.Object({}, { additionalProperties: true })),
          formats: Type.Optional(Type.Array(Type.String({ maxLength: 10 }), { minItems: 1 })),
          keep: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 20 },
    ),
  },
  { additionalProperties: false },
);

const parse = createOptionsParser<Chain>('the chain', chainSchema);

/** A step that has been checked. */
export interface PlannedStep {
  readonly name: string;
  readonly tool: AnyTool;
  /** By input field; '': the field that the number of files decides. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** Parsed. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly formats: readonly string[] | null;
  /** The sound format that its options ask for; null: they leave it open. */
  readonly soundFormat: string | null;
  /** Are its files results of the chain? */
  readonly isResult: boolean;
}

export interface PlannedChain {
  readonly name: string;
  readonly steps: readonly PlannedStep[];
}

const refused = (step: string, message: string, nextAction?: string): EarshotError =>
  new EarshotError('bad_request', `Step ${step}: ${message}`, {
    ...(nextAction === undefined ? {} : { nextAction }),
    details: { field: 'steps', step },
  });

const listOf = (given: StepSource): readonly string[] => (typeof given === 'string' ? [given] : given);

/**
 * Checks a chain as far as that goes without its files: names, tools, options, what goes into what.
 * @throws EarshotError bad_request, which names the step
 */
export function planChain(chain: unknown): PlannedChain {
  const { name = 'chain', steps } = parse(chain, 'json');
  const known = new Map<string, AnyTool>();
  const planned: (Omit<PlannedStep, 'isResult'> & { readonly keep: boolean })[] = [];
  let sound = chainFiles;
  for (const step of steps) {
    const tool = findTool(step.tool);
    if (tool === undefined)
      throw refused(
        step.name ?? step.tool,
        `there is no tool ${shownName(step.tool)}; ${whatWasMeant(
          step.tool,
          tools.map(({ slug }) => slug),
        )}`,
      );
    const own = step.name ?? freeName(tool.slug, known);
    if (own === chainFiles || known.has(own))
      throw refused(own, `expected a name of its own but ${shownName(own)} is taken`, 'Give the step another name.');
    const sources = sourcesOf(own, tool, step.input ?? sound, known);
    planned.push({
      name: own,
      tool,
      sources,
      options: optionsOf(own, tool, step.options ?? {}),
      formats: formatsOf(own, tool, step.formats),
      soundFormat: soundFormatOf(step.options ?? {}),
      keep: step.keep ?? false,
    });
    known.set(own, tool);
    if (tool.writesText !== true) sound = own;
  }
  return {
    name,
    steps: planned.map(({ keep, ...step }) => ({ ...step, isResult: keep || !isTaken(planned, step.name) })),
  };
}

function freeName(slug: string, known: ReadonlyMap<string, unknown>): string {
  for (let number = 2, name = slug; ; name = `${slug}-${number}`, number += 1) if (!known.has(name)) return name;
}

function sourcesOf(
  step: string,
  tool: AnyTool,
  input: NonNullable<ChainStep['input']>,
  known: ReadonlyMap<string, AnyTool>,
): Readonly<Record<string, readonly string[]>> {
  const given: Readonly<Record<string, StepSource>> =
    typeof input === 'string' || Array.isArray(input)
      ? { '': input as StepSource }
      : (input as Record<string, StepSource>);
  const sources = Object.fromEntries(Object.entries(given).map(([field, names]) => [field, listOf(names)]));
  for (const [field, names] of Object.entries(sources)) {
    const role: InputRole | undefined = Object.hasOwn(tool.inputs, field) ? tool.inputs[field] : undefined;
    if (field !== '' && role === undefined)
      throw refused(
        step,
        `expected one of ${Object.keys(tool.inputs).join(', ')} in input but received ${shownName(field)}`,
      );
    for (const name of names) {
      if (name !== chainFiles && fileNumber(name) === null && !known.has(name))
        throw refused(
          step,
          `its input ${shownName(name)} is no earlier step; ${whatWasMeant(name, [chainFiles, ...known.keys()])}`,
        );
      if (role?.kind !== 'text' && known.get(name)?.writesText === true)
        throw refused(step, `expected sound or video as its input but ${shownName(name)} writes text`);
    }
  }
  return sources;
}

function optionsOf(step: string, tool: AnyTool, options: object): Readonly<Record<string, unknown>> {
  try {
    return tool.parseOptions(options);
  } catch (thrown) {
    const { message, nextAction } = EarshotError.from(thrown);
    throw refused(step, message, nextAction);
  }
}

/** A chosen format, of the options that tools have for it. */
function soundFormatOf({ format, output_format: choice = format }: Readonly<Record<string, unknown>>): string | null {
  return typeof choice === 'string' && choice !== 'same' ? choice : null;
}

function formatsOf(
  step: string,
  { formats: known = [] }: AnyTool,
  formats?: readonly string[],
): readonly string[] | null {
  const unknown = formats?.find((format) => !known.some((each) => each === format));
  if (unknown !== undefined)
    throw refused(
      step,
      'expected ' +
        `${known.length === 0 ? 'no formats: this tool has no choice of them' : `some of ${known.join(', ')}`} but ` +
        `received ${shownName(unknown)}`,
    );
  return formats ?? null;
}
