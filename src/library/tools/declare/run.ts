// What a tool's work gets and answers.
import type { TSchema } from 'typebox/type';
import type { HeldStreams } from '../../contract/media-work.ts';
import type { InputRoles, InputsOf } from '../../contract/tool-inputs.ts';
import type { FanOut } from '../../core/fan-out.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StartPass } from '../../core/passes.ts';
import type { Warning } from '../../core/progress.ts';
import type { OptionsOf } from './options.ts';

/** All that a tool's work gets. It runs in a process of its own. */
export interface RunContext<Options = Readonly<Record<string, unknown>>, Roles extends InputRoles = InputRoles> {
  /** Absolute paths by input field, in the shape that the declaration's `inputs` say. */
  readonly inputs: InputsOf<Roles, string>;
  /** Validated, defaulted, frozen. */
  readonly options: Options;
  /** Exists, private to this run; everything in it is removed unless it is returned as an output. */
  readonly workDir: string;
  /** Check once a block. */
  readonly signal: AbortSignal;
  /** How many cores the run may use, at least 1. Threads are what `fanOut.lanes` says. */
  readonly parallelism: number;
  /** Where model files lie, or undefined for the default place. */
  readonly modelsDir: string | undefined;
  /** fraction 0 to 1 of the whole run, of tools that do one thing; cheap to call often. */
  progress(fraction: number, stage: string): void;
  /** Of tools that go over the material several times; cheap to call often. Not together with `progress`. */
  readonly pass: StartPass;
  warn(warning: Warning): void;
  /** Hands out a finished part of the result while the run goes on: small, and as the result will hold it. */
  partial(part: JsonObject): void;
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
  /** What the tool found when it read the file back. Default: it did not, and the file is looked at once more. */
  readonly readBack?: HeldStreams;
}

export interface RunResult<Result extends object = JsonObject> {
  /** May be empty: analyze_audio answers JSON only. */
  readonly outputs: readonly RunOutput[];
  /** Plain JSON. */
  readonly result: Result;
  /** Seconds of the input that were processed. */
  readonly processedSeconds: number;
}

/** The context of a tool's work: ContextOf<typeof inputs, typeof options>. */
export type ContextOf<Roles extends InputRoles, Schema extends TSchema> = RunContext<OptionsOf<Schema>, Roles>;

/** What a tool's run.ts exports. */
export interface RunModule<
  Options = Readonly<Record<string, unknown>>,
  Roles extends InputRoles = InputRoles,
  Result extends object = JsonObject,
> {
  run(context: RunContext<Options, Roles>): Promise<RunResult<Result>>;
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
