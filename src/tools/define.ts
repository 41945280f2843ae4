import { Optional, type Static, type TObject, type TProperties, type TSchema } from 'typebox/type';
import { EarshotError, type ErrorCode } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Warning } from '../core/progress.ts';
import { createOptionsParser, type OptionsSource } from '../core/schema.ts';
import { textFormats, type TextFormat } from '../contract/text-files.ts';
import type { toolSlugs, ToolId, ToolSlug } from '../contract/tool-ids.ts';
import type { Unavailability } from '../contract/unavailable.ts';

/** What a media input must carry: sound, a picture, both, or either. */
export type MediaNeed = 'audio' | 'video' | 'audio+video' | 'any';

/** What files one input field takes. The field's name is the one of the REST body: file_id, file_ids, video_file_id. */
export interface InputRole {
  readonly kind: 'media' | 'text';
  /** For help and forms. */
  readonly title: string;
  /** Smallest number of files; 0 makes the input optional. */
  readonly min: number;
  readonly max: number;
  /** Smallest number of files once there are any; differs from `min` for an optional list. */
  readonly minGiven: number;
  /** Does the field take a list? Decides the JSON type in the REST body. */
  readonly multiple: boolean;
  /** Only for media. */
  readonly needs: MediaNeed;
  /** Only for text: file name extensions without the dot, and the largest file in bytes. */
  readonly extensions: readonly string[];
  readonly maxBytes: number | null;
  /**
   * Set where the files stand inside a list of objects: the name of the file id in each of them. The REST body then has
   * one list under the field's name, whose items carry the file id and, beside it, the properties of the option of the
   * same name: {"tracks": [{"file_id": "file_1", "role": "music"}]}. Everywhere else the two come apart, in one order:
   * files as the input of that name, settings as the option of that name (free API: repeated `file` and `tracks`;
   * library: run('mix_tracks', [a, b], {tracks: [{role: 'music'}, {}]})).
   */
  readonly itemKey?: string;
}

export type InputRoles = Readonly<Record<string, InputRole>>;

/** One audio or video file. Default: it must have sound. */
export function mediaFile(role: { needs?: MediaNeed; title?: string; optional?: boolean } = {}): InputRole {
  const { needs = 'audio', title = 'Audio or video file', optional = false } = role;
  return {
    kind: 'media',
    title,
    min: optional ? 0 : 1,
    max: 1,
    minGiven: 1,
    multiple: false,
    needs,
    extensions: [],
    maxBytes: null,
  };
}

/** `min` to `max` audio or video files, in order. */
export function mediaFiles(role: {
  min: number;
  max: number;
  needs?: MediaNeed;
  title?: string;
  optional?: boolean;
}): InputRole {
  const { min, max, needs = 'audio', title = 'Audio or video files, in order', optional = false } = role;
  return {
    kind: 'media',
    title,
    min: optional ? 0 : min,
    max,
    minGiven: min,
    multiple: true,
    needs,
    extensions: [],
    maxBytes: null,
  };
}

/**
 * `min` to `max` audio or video files, each with settings of its own in the option of the same name; see
 * InputRole.itemKey.
 */
export function mediaTracks(role: { min: number; max: number; needs?: MediaNeed; title?: string }): InputRole {
  return { ...mediaFiles(role), itemKey: 'file_id' };
}

/** One text file, as large as files of its kind may be. Default: TXT, SRT or VTT. */
export function textFile(
  role: { title?: string; extensions?: readonly TextFormat[]; optional?: boolean } = {},
): InputRole {
  const { title = 'Text file', extensions = ['txt', 'srt', 'vtt'], optional = false } = role;
  const maxBytes = Math.max(...extensions.map((extension) => textFormats[extension].maxBytes));
  return {
    kind: 'text',
    title,
    min: optional ? 0 : 1,
    max: 1,
    minGiven: 1,
    multiple: false,
    needs: 'any',
    extensions,
    maxBytes,
  };
}

/** What `plan` knows of one input file. The probe's facts have all of these. */
export interface InputFacts {
  /** Container, such as "wav" or "mp4". */
  readonly format: string;
  readonly durationSeconds: number | null;
  readonly hasAudio: boolean;
  readonly hasVideo: boolean;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Pure JSON: what a run would do with these files and options, or why it would not. */
export interface Plan {
  /** One short sentence per step, in order. */
  readonly steps: readonly string[];
  /** What will be left out or changed although nobody asked for it: "the picture is dropped: mp3 holds sound only". */
  readonly notes: readonly string[];
  /** Not empty: the run would fail with the first of these. */
  readonly refusals: readonly Refusal[];
}

/** What the free API gives away. */
export interface FreeAllowance {
  /** Seconds of a file that a free run processes; null means the whole file. */
  readonly seconds: number | null;
  /** Uses per person and UTC day. */
  readonly dailyUses: number;
}

/** Rules between the fields of a request, files and options alike, that neither schema says alone. */
export interface FieldRules {
  /** Of each list exactly one field is given. */
  readonly exactlyOne?: readonly (readonly string[])[];
  /** The first field is only understood together with the second: {cut_ids: 'transcript_file_id'}. */
  readonly needs?: Readonly<Record<string, string>>;
}

/** What a run of the first seconds alone does differently. Default: every media input is cut to those seconds. */
export interface WindowPlan {
  /** Seconds of an input that are used, by field, where they are others. */
  readonly secondsByField?: Readonly<Record<string, number>>;
  /** The window is one of the result: the files of this field in a row, each overlapping the one before. */
  readonly joined?: { readonly field: string; readonly overlapSeconds: number };
  /** The options of the run if anything was cut off. Default: those that were given. */
  readonly optionsWhenCut?: Readonly<Record<string, unknown>>;
}

export interface ToolExample {
  readonly description: string;
  /** A command line after `earshot `. */
  readonly command: string;
}

/** Handed to one piece of work on a fan-out thread, next to its item. */
export interface FanOutTask<Item> {
  readonly item: Item;
  /**
   * Ask once a block: true as soon as the run was aborted or another task failed. A task that sees true should return
   * early.
   */
  cancelled(): boolean;
  /**
   * Names ArrayBuffers of the result that move to the receiver instead of being copied; they are empty here afterwards.
   */
  transfer(...buffers: readonly ArrayBuffer[]): void;
}

/** Runs independent pieces of one job on several cores. */
export interface FanOut {
  /**
   * Calls the function `exportName` of the module `taskModuleUrl` once per item, on at most
   * min(parallelism, items) threads, and answers the results in the order of the items.
   * Items and results are structured-cloned; an ArrayBuffer named in `transfer` moves instead, a SharedArrayBuffer is
   * shared. The first error wins, keeps its code, and cancels the other tasks.
   * @param taskModuleUrl import.meta.resolve('./task.ts') or new URL(...).href, with the extension of the running file
   */
  map<Item, Result>(
    taskModuleUrl: string,
    exportName: string,
    items: readonly Item[],
    options?: { readonly signal?: AbortSignal; readonly transfer?: (item: Item) => readonly ArrayBuffer[] },
  ): Promise<Result[]>;
}

/** All that a tool's work gets. It runs in a process of its own. */
export interface RunContext<Options = Readonly<Record<string, unknown>>> {
  /** Absolute paths by input field; a field that was not given is an empty list. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  /** Validated, defaulted, frozen. */
  readonly options: Options;
  /** Exists, private to this run; everything in it is removed unless it is returned as an output. */
  readonly workDir: string;
  /** Check once a block. */
  readonly signal: AbortSignal;
  /** How many cores the run may use, at least 1. */
  readonly parallelism: number;
  /** Where model files lie, or undefined for the default place. */
  readonly modelsDir: string | undefined;
  /** fraction 0 to 1 of the whole run; cheap to call often. */
  progress(fraction: number, stage: string): void;
  warn(warning: Warning): void;
  readonly fanOut: FanOut;
}

export interface RunOutput {
  /** Absolute, inside `workDir`. */
  readonly path: string;
  /** Suggested name for a person, with extension, without folder. */
  readonly filename: string;
  readonly contentType: string;
  /** Container, such as "wav"; for text "json", "srt". */
  readonly format: string;
  /** null for text. */
  readonly durationSeconds: number | null;
  /** Tells several outputs apart: "speaker-1". */
  readonly role?: string;
}

export interface RunResult {
  /** May be empty: analyze_audio answers JSON only. */
  readonly outputs: readonly RunOutput[];
  readonly result: JsonObject;
  /** Seconds of the input that were processed. */
  readonly processedSeconds: number;
}

/** What a tool's run.ts exports. */
export interface RunModule<Options> {
  run(context: RunContext<Options>): Promise<RunResult>;
}

export type Billing = 'main' | 'sum' | 'longest';

interface ToolDeclaration<Id extends ToolId, Properties extends TProperties> {
  readonly id: Id;
  readonly slug: (typeof toolSlugs)[Id];
  readonly title: string;
  /** One or two sentences, for people. */
  readonly description: string;
  readonly inputs: InputRoles;
  /** snake_case names and defaults of the interface; additionalProperties: false. */
  readonly options: TObject<Properties>;
  /** The two published variants of the free tier. */
  readonly free: { readonly a: FreeAllowance; readonly b: FreeAllowance };
  /** Default price; the operator's configuration wins. */
  readonly creditsPerMinute: number;
  /** Credits per minute when this optional input is given. */
  readonly creditsPerMinuteWith?: Readonly<Record<string, number>>;
  /** What of the inputs' lengths is billed: the first input's (default), the sum, or the longest. */
  readonly billing?: Billing;
  /** Does the REST body take idempotency_key, max_credits and free? Default true. */
  readonly jobFields?: boolean;
  /** Fields of the REST body that the interface does not show; see open-points. */
  readonly openPoints?: readonly string[];
  readonly fieldRules?: FieldRules;
  readonly examples: readonly ToolExample[];
  /** Rules between options that a schema cannot say. Throws EarshotError bad_request. */
  check?(options: Readonly<Static<TObject<Properties>>>): void;
  /** Pure. The files' facts by input field. */
  plan(facts: Readonly<Record<string, readonly InputFacts[]>>, options: Readonly<Static<TObject<Properties>>>): Plan;
  /** Pure. What a run of the first `seconds` alone does. */
  planWindow?(options: Readonly<Static<TObject<Properties>>>, seconds: number): WindowPlan;
  /** Why the tool cannot run here; null, also when left out: it can. */
  unavailable?(): Promise<Unavailability | null>;
  /** `() => import('./run.ts')`: loads native code only when the tool runs. */
  run(): Promise<RunModule<Readonly<Static<TObject<Properties>>>>>;
}

/** A declared tool. REST bodies, form parsing, CLI flags, prices and docs derive from it. */
export interface Tool<Id extends ToolId = ToolId, Properties extends TProperties = TProperties> extends ToolDeclaration<
  Id,
  Properties
> {
  readonly billing: Billing;
  readonly jobFields: boolean;
  readonly openPoints: readonly string[];
  readonly fieldRules: FieldRules;
  unavailable(): Promise<Unavailability | null>;
  /**
   * Validates options once, at the edge: defaults filled in, `check` applied, result frozen.
   * @param source 'json' takes typed values; 'text' also takes the text forms of command lines and forms
   * @throws EarshotError bad_request with details {field, expected, received}
   */
  parseOptions(options: unknown, source?: OptionsSource): Readonly<Static<TObject<Properties>>>;
}

/** A tool whose options are not known at compile time, as the registry, the CLI and the engine see it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the one place where the options' type is forgotten on purpose
export type AnyTool = Omit<Tool<ToolId, any>, 'slug'> & { readonly slug: ToolSlug };

export type OptionsOf<T> = T extends Tool<ToolId, infer Properties> ? Readonly<Static<TObject<Properties>>> : never;

/** Declares a tool; see DESIGN "One declaration per tool". Loads nothing native. */
export function defineTool<const Id extends ToolId, Properties extends TProperties>(
  declaration: ToolDeclaration<Id, Properties>,
): Tool<Id, Properties> {
  type Options = Readonly<Static<TObject<Properties>>>;
  const parse = createOptionsParser<Options>(declaration.id, declaration.options);
  return Object.freeze({
    billing: 'main' as const,
    jobFields: true,
    openPoints: [],
    fieldRules: {},
    unavailable: () => Promise.resolve(null),
    ...declaration,
    parseOptions(options: unknown, source: OptionsSource = 'json'): Options {
      const parsed = parse(options, source);
      declaration.check?.(parsed);
      return parsed;
    },
  });
}

/**
 * An option that may be left out because its schema has a default. Optional in the JSON Schema that callers see,
 * present in the parsed options that the tool sees: the static type says the latter.
 */
export function defaulted<Schema extends TSchema & { readonly default?: unknown }>(schema: Schema): Schema {
  if (!('default' in schema)) throw new TypeError('defaulted() needs a schema with a default');
  return Optional(schema);
}

/** The name of an input for people and for the library: file_id -> file, video_file_id -> video, file_ids -> files. */
export function inputName(field: string): string {
  if (field === 'file_id') return 'file';
  if (field === 'file_ids') return 'files';
  return field.replace(/_file_ids?$/, (suffix) => (suffix.endsWith('s') ? 's' : ''));
}

/** Refusals that follow from the input roles alone: a file without the sound or the picture that the tool needs. */
export function refuseUnsuitable(
  inputs: InputRoles,
  facts: Readonly<Record<string, readonly InputFacts[]>>,
): Refusal[] {
  const refusals: Refusal[] = [];
  for (const [field, role] of Object.entries(inputs)) {
    if (role.kind !== 'media') continue;
    for (const file of facts[field] ?? []) {
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

/** The names of the fields that a plan's files and options stand for. */
export function givenFields(
  facts: Readonly<Record<string, readonly InputFacts[]>>,
  options: Readonly<Record<string, unknown>>,
): ReadonlySet<string> {
  const files = Object.entries(facts).filter(([, list]) => list.length > 0);
  const values = Object.entries(options).filter(([, value]) => value !== undefined);
  return new Set([...files, ...values].map(([name]) => name));
}

/** Throws the first refusal of a plan as an EarshotError; does nothing when there is none. */
export function throwIfRefused(plan: Plan): void {
  const first = plan.refusals[0];
  if (first) throw new EarshotError(first.code, first.message);
}
