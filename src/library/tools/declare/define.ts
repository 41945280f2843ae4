import type { TimeRange } from '../../core/time-range.ts';
import type { TObject, TProperties } from 'typebox/type';
import { createOptionsParser, type OptionSchema, type OptionsSource } from '../../core/checks/schema.ts';
import type { StageWeights } from '../../core/progress/run-meter.ts';
import type { Plan, Refusal, ToolFacts, ToolWork } from '../../contract/tool-facts.ts';
import {
  type FilesByField,
  type InputFacts,
  type InputRoles,
  type InputsOf,
  shapeInputs,
} from '../../contract/tool-inputs.ts';
import type { ToolId, ToolSlug } from '../../contract/tool-ids.ts';
import type { TextFormat } from '../../contract/text-files.ts';
import type { PassagePreview, PlacedInput, Shown, TimeLine, Typed } from './facts.ts';
import { type FieldRules, givenFields, type OptionRule, refuseFields, refuseUnsuitable } from './refusals.ts';
import type { OptionsOf } from './options.ts';
import type { RunContext, RunModule, RunResult, WindowPlan } from './run.ts';

export interface ToolExample {
  readonly description: string;
  /** A command line without the leading `earshot `. */
  readonly command: string;
}

/** A tool's description of itself for people and programs; part of the declaration and of the tool. */
interface Described<Id extends ToolId> extends Pick<ToolFacts, 'writesText'> {
  readonly id: Id;
  /** Its name in addresses and on the command line: "remove-noise". */
  readonly slug: ToolSlug;
  readonly title: string;
  /** Its purpose in one short sentence without a full stop, for lists: "Take the noise away". */
  readonly summary: string;
  /** One or two sentences for users. */
  readonly description: string;
  readonly examples: readonly ToolExample[];
  readonly shown: Shown;
  /** Further names of its command, which users of other programs type. Default: none. */
  readonly aliases?: readonly string[];
  /** What users of other programs type for it, beyond a name. Default: nothing. */
  readonly typed?: Typed;
  /** What a run costs and needs; machines, time limits and pools go by it. */
  readonly work: ToolWork;
  /** null: the tool does not make another version of one recording. */
  readonly preview: PassagePreview | null;
  /**
   * true: it also runs in a browser's tab, by `earshot/browser`; 'lighter': there with a smaller network than with the
   * models installed, so that the website leaves it to people. Default: false.
   */
  readonly runsInTab?: boolean | 'lighter';
  /** true: it does nothing but change the level. Default: false. */
  readonly changesLevelOnly?: boolean;
  /**
   * Formats in which every run writes its result, one output each: a transcript as json, srt, vtt, txt. The free API's
   * `format` chooses the answer, `RunOptions.formats` the files. The first is the free API's default. Default: none.
   */
  readonly formats?: readonly TextFormat[];
  /**
   * What one pass of each stage that it begins costs beside one of another, with MP3 as output: time left is judged by
   * it, and by the run's own pace. Default: all cost the same.
   */
  readonly passes?: StageWeights;
  /** What `RunContext.partial` reports during the run, for users: "sentences". Default: nothing. */
  readonly live?: string;
}

/** The typed part of both. */
interface Declared<Id extends ToolId, Roles extends InputRoles, Properties extends TProperties> extends Described<Id> {
  readonly inputs: Roles;
  /** snake_case names and defaults of the interface; additionalProperties: false. */
  readonly options: TObject<Properties>;
  /** Checks rules between options that a schema cannot express. Throws EarshotError bad_request. */
  check?(options: OptionsOf<TObject<Properties>>): void;
  /** Pure. Plans a run of only the first `seconds`. */
  planWindow?(options: OptionsOf<TObject<Properties>>, seconds: number): WindowPlan;
}

interface ToolDeclaration<
  Id extends ToolId,
  Roles extends InputRoles,
  Properties extends TProperties,
  Result extends object,
> extends Declared<Id, Roles, Properties> {
  readonly timeLine: TimeLine<NoInfer<Result>>;
  /**
   * Pure. Where each input lies in the output, in their order, for editing programs; null: nowhere. Default: unknown.
   */
  placed?(result: NoInfer<Result>): readonly PlacedInput[] | null;
  /** Pure. What of the input is silent in the output, in order, seconds. Default: nothing. */
  silent?(result: NoInfer<Result>): readonly TimeRange[];
  /** Pure. What a run did in a few words, behind the names of its files; '': its result says it. */
  inWords(result: NoInfer<Result>): string;
  /** Pure. Does the recording meet what was asked? The command's exit code says it. Default: nothing is judged. */
  passed?(result: NoInfer<Result>): boolean;
  readonly fieldRules?: FieldRules;
  /** As in ToolFacts. */
  readonly listedIds?: NonNullable<ToolFacts['listedIds']>;
  /** By option: the rules of `check`, for the published schema. */
  readonly optionRules?: Readonly<Record<string, OptionRule>>;
  /** Pure. Why these files do not go with each other or the options, beyond `fieldRules`. Default: they do. */
  refuse?(inputs: InputsOf<Roles, object>, options: OptionsOf<TObject<Properties>>): readonly Refusal[];
  /**
   * Pure. The files' facts by input field, in the shape of `inputs`. `refusals` are those that only the facts tell,
   * besides what `inputs` say. Default: none.
   */
  plan(
    facts: InputsOf<Roles, InputFacts>,
    options: OptionsOf<TObject<Properties>>,
  ): Omit<Plan, 'refusals'> & Partial<Pick<Plan, 'refusals'>>;
  /** Why the tool cannot run here; null or left out: it can. */
  unavailable?: ToolFacts['unavailable'];
  /** `() => import('./run.ts')`: loads native code only when the tool runs. */
  run(): Promise<{
    readonly run: (context: RunContext<OptionsOf<TObject<Properties>>, NoInfer<Roles>>) => Promise<RunResult<Result>>;
  }>;
}

/** The fields that `defineTool` adds. */
interface Completed {
  readonly fieldRules: FieldRules;
  /** By option: the rules of `check`, for the published schema. */
  readonly optionRules: Readonly<Record<string, OptionRule>>;
}

/** A declared tool. REST bodies, form parsing, CLI flags, prices and docs derive from it. */
export interface Tool<
  Id extends ToolId = ToolId,
  Roles extends InputRoles = InputRoles,
  Properties extends TProperties = TProperties,
  Result extends object = object,
>
  extends Declared<Id, Roles, Properties>, Completed, ToolFacts {
  readonly id: Id;
  readonly inputs: Roles;
  /** How the times of an output follow those of its input. */
  readonly timeLine: TimeLine<Result>;
  /** Pure. Where each input lies in the output. */
  placed?(result: Result): readonly PlacedInput[] | null;
  /** Pure. What of the input is silent in the output. */
  silent?(result: Result): readonly TimeRange[];
  /** Pure. What a run did in a few words, behind the names of its files; '': its result says it. */
  inWords(result: Result): string;
  /** Pure. Does the recording meet what was asked? The command's exit code says it. Default: nothing is judged. */
  passed?(result: Result): boolean;
  /** Pure. @throws EarshotError bad_request when a required file has no facts, or a single file has several */
  plan(facts: FilesByField<InputFacts>, options: OptionsOf<TObject<Properties>>): Plan;
  /** Loads the tool's run.ts with its native code; called only when the tool runs. */
  run(): Promise<RunModule<OptionsOf<TObject<Properties>>, Roles, Result>>;
  /** As `AnyTool.refuse`. */
  refuse(inputs: FilesByField<object>, options: OptionsOf<TObject<Properties>>): readonly Refusal[];
  /** As `AnyTool.parseOptions`. */
  parseOptions(options: unknown, source?: OptionsSource): OptionsOf<TObject<Properties>>;
}

/**
 * A tool whose options are not known at compile time, for the registry, the CLI, the engine and hosts. Independent of
 * the schema library, since it is part of the public API.
 */
export interface AnyTool extends Described<ToolId>, Completed, ToolFacts {
  readonly id: ToolId;
  /** How the times of an output follow those of its input. */
  readonly timeLine: TimeLine;
  /** Pure. Where each input lies in the output, in their order; null: nowhere. Left out: it is not known. */
  placed?(result: object): readonly PlacedInput[] | null;
  /** Pure. What of the input is silent in the output, in order, seconds. Left out: nothing. */
  silent?(result: object): readonly TimeRange[];
  /** Pure. What a run did in a few words, behind the names of its files; '': its result says it. */
  inWords(result: object): string;
  /** Pure. Does the recording meet what was asked? The command's exit code says it. Default: nothing is judged. */
  passed?(result: object): boolean;
  /** JSON Schema of the options: snake_case names and defaults of the interface; additionalProperties: false. */
  readonly options: OptionSchema;
  /**
   * Validates options once, at the edge: fills in defaults, checks rules between options, freezes the result. What it
   * has returned is returned again as it is.
   * @param source 'json' for typed values; 'text' also for text from command lines and forms
   * @throws EarshotError bad_request with details {field, expected, received}
   */
  parseOptions(options: unknown, source?: OptionsSource): Readonly<Record<string, unknown>>;
  /** Checks rules between options, which a schema cannot express; part of `parseOptions`. @throws EarshotError */
  check?(options: Readonly<Record<string, unknown>>): void;
  /** Pure. Why the files that are given do not go with each other or the options; part of `plan`. [] if they do. */
  refuse(inputs: FilesByField<object>, options: Readonly<Record<string, unknown>>): readonly Refusal[];
  /**
   * Pure. Plans a run with these files. `options` come from `parseOptions`.
   * @throws EarshotError bad_request when a required file has no facts, or a single file has several
   */
  plan(facts: FilesByField<InputFacts>, options: Readonly<Record<string, unknown>>): Plan;
  /** Pure. Plans a run of only the first `seconds`. */
  planWindow?(options: Readonly<Record<string, unknown>>, seconds: number): WindowPlan;
  /** Loads the tool's run.ts with its native code; called only when the tool runs. */
  run(): Promise<RunModule<Readonly<Record<string, unknown>>, InputRoles, object>>;
}

/** Declares a tool; see docs/architecture.md, "One declaration per tool". Loads nothing native. */
export function defineTool<
  const Id extends ToolId,
  Roles extends InputRoles,
  Properties extends TProperties,
  Result extends object,
>(declaration: ToolDeclaration<Id, Roles, Properties, Result>): Tool<Id, Roles, Properties, Result> {
  type Options = OptionsOf<TObject<Properties>>;
  const parse = createOptionsParser<Options>(declaration.id, declaration.options);
  const refuse = (given: FilesByField<object>, options: Options): Refusal[] => {
    const files = shapeInputs<Roles, object>(declaration.inputs, given);
    const own = declaration.refuse?.(files, options) ?? [];
    return own.length > 0 ? [...own] : refuseFields(declaration.fieldRules ?? {}, givenFields(files, options));
  };
  return Object.freeze({
    fieldRules: {},
    optionRules: {},
    unavailable: () => Promise.resolve(null),
    ...declaration,
    refuse,
    plan(given: FilesByField<InputFacts>, options: Options): Plan {
      const facts = shapeInputs<Roles, InputFacts>(declaration.inputs, given);
      const { refusals = [], ...plan } = declaration.plan(facts, options);
      const unsuitable = refuseUnsuitable(declaration.inputs, facts);
      return { ...plan, refusals: [...refuse(given, options), ...unsuitable, ...refusals] };
    },
    parseOptions(options: unknown, source: OptionsSource = 'json'): Options {
      const parsed = parse(options, source);
      declaration.check?.(parsed);
      return parsed;
    },
  });
}
