// The context and the result of a tool's run.
import type { TSchema } from 'typebox/type';
import type { HeldStreams } from '../../contract/media-work.ts';
import type { InputFile, InputRoles, InputsOf } from '../../contract/tool-inputs.ts';
import type { KnownVoice, VoiceReference } from '../../contract/voice-print.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import type { FinishedParts } from '../../core/progress/finished-parts.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StartPass } from '../../core/progress/passes.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { RunStage } from '../../core/progress/stages.ts';
import type { OptionsOf } from './options.ts';

/** The context of a tool's run, which has its own process. */
export interface RunContext<Options = Readonly<Record<string, unknown>>, Roles extends InputRoles = InputRoles> {
  /** Files by input field, in the shape of the declaration's `inputs`. */
  readonly inputs: InputsOf<Roles, InputFile>;
  /** Validated, with defaults, frozen. */
  readonly options: Options;
  /** An existing folder, private to this run; removed with everything in it except returned outputs. */
  readonly workDir: string;
  /** Check once a block. */
  readonly signal: AbortSignal;
  /** Cores that the run may use, at least 1. For threads see `fanOut.lanes`. */
  readonly parallelism: number;
  /** Folder of model files; undefined: the default place. */
  readonly modelsDir: string | undefined;
  /** Voices that an option may choose from; default: none. */
  readonly knownVoices?: readonly KnownVoice[];
  /** People to be named in this run alone; default: none. */
  readonly voiceReferences?: readonly VoiceReference[];
  /** Fraction of the whole run, 0 to 1, for tools with one pass; cheap to call often. */
  progress(fraction: number, stage: RunStage): void;
  /** For tools with several passes over the material; cheap to call often. Not together with `progress`. */
  readonly pass: StartPass;
  warn(warning: Warning): void;
  /** Reports a finished part of the result during the run: small, and as the result will hold it. */
  partial(part: JsonObject): void;
  /** Of an interrupted run of the same order; what this run finishes is added. */
  readonly finished: FinishedParts;
  readonly fanOut: FanOut;
}

export interface RunOutput {
  /** Absolute, inside `workDir`. */
  readonly path: string;
  /** Suggested file name with extension, without folder. */
  readonly filename: string;
  readonly contentType: string;
  /** Container, such as "wav"; for text "json", "srt". */
  readonly format: string;
  /** null for text. */
  readonly durationSeconds: number | null;
  /** Tells several outputs apart: "speaker-1". */
  readonly role?: string;
  /** Facts from reading the file back. Default: it was not read back, and the engine checks it. */
  readonly readBack?: HeldStreams;
}

export interface RunResult<Result extends object = JsonObject> {
  /** May be empty: analyze_audio returns JSON only. */
  readonly outputs: readonly RunOutput[];
  /** Plain JSON. */
  readonly result: Result;
  /** Seconds of the input that were processed. */
  readonly processedSeconds: number;
}

/** The context of a tool's run: ContextOf<typeof inputs, typeof options>. */
export type ContextOf<Roles extends InputRoles, Schema extends TSchema> = RunContext<OptionsOf<Schema>, Roles>;

/** The exports of a tool's run.ts. */
export interface RunModule<
  Options = Readonly<Record<string, unknown>>,
  Roles extends InputRoles = InputRoles,
  Result extends object = JsonObject,
> {
  run(context: RunContext<Options, Roles>): Promise<RunResult<Result>>;
}

/** How a run of only the first seconds differs. Default: every media input is cut to those seconds. */
export interface WindowPlan {
  /** By field: seconds of an input that are used, where they differ. */
  readonly secondsByField?: Readonly<Record<string, number>>;
  /** The window applies to the result: the files of this field in a row, each overlapping the one before. */
  readonly joined?: { readonly field: string; readonly overlapSeconds: number };
  /** The options of the run if anything was cut off. Default: unchanged. */
  readonly optionsWhenCut?: Readonly<Record<string, unknown>>;
}
