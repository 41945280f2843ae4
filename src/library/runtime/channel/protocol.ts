import type { ErrorJson } from '../../core/errors/errors.ts';
import type { FinishedPart } from '../../core/progress/finished-parts.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { BegunPass } from '../../core/progress/run-meter.ts';
import type { PassageOrder } from '../../contract/passage-order.ts';
import type { Carried } from '../../contract/media-work.ts';
import type { FilesByField, InputFile, InputShapes } from '../../contract/tool-inputs.ts';
import type { KnownVoice, VoiceReference } from '../../contract/voice-print.ts';
import type { SoundChoice } from '../../media/ffmpeg/sound-choice.ts';
import type { LikeForm, WrittenForm } from '../../media/write/written-form.ts';
import type { RunOutput, RunResult, WindowPlan } from '../../tools/declare/run.ts';

/** A request to a job process. JSON: it crosses the process border. */
export interface ProcessRequest {
  readonly toolId: string;
  /** The tool's run.ts (or .js). The job process loads only this: the declaration and its validator cost 150 ms. */
  readonly runModuleUrl: string;
  readonly inputs: FilesByField<InputFile>;
  /** How the tool reads each field; the job process loads no declaration. */
  readonly inputShapes: InputShapes;
  readonly options: Readonly<Record<string, unknown>>;
  /** The run's folder: linked inputs in `in`, the work in `run`. */
  readonly folder: string;
  /** Where the tool works: `run` in `folder`. */
  readonly workDir: string;
  /** Cores that this run may keep busy. */
  readonly parallelism: number;
  /** Cores that any run of this process may keep busy. */
  readonly cores: number;
  readonly memoryBytes: number;
  /** Longest file that it may write; null: the system's own limit. */
  readonly maxFileBytes: number | null;
  /** Will the process do more runs, with other limits? */
  readonly reusable: boolean;
  readonly modelsDir: string | undefined;
  /** Are parts of the result wanted during the run? */
  readonly wantsPartials: boolean;
  /** What an interrupted run had finished; null: finished parts are not wanted. */
  readonly finishedParts: readonly FinishedPart[] | null;
  /** Only the first seconds are processed; null: all. */
  readonly window: JobWindow | null;
  /** Only a passage is made, beside what it was; null: a whole recording. */
  readonly passage: PassageOrder | null;
  /** Of the sound tracks of its inputs; null: each file's own default, alone. */
  readonly sound: SoundChoice | null;
  /** Of its outputs; null: as the inputs. */
  readonly form: WrittenForm | LikeForm | null;
  /** Voices that the tool may be asked for; default: none. */
  readonly knownVoices?: readonly KnownVoice[];
  /** People to be named in this run alone; default: none. */
  readonly voiceReferences?: readonly VoiceReference[];
}

export interface JobWindow extends Pick<WindowPlan, 'joined' | 'optionsWhenCut'> {
  readonly seconds: number;
  /** How much of each media input is used, by field. */
  readonly secondsByField: Readonly<Record<string, number>>;
}

export type ToJob =
  | { readonly type: 'preload'; readonly moduleUrls: readonly string[] }
  | { readonly type: 'start'; readonly request: ProcessRequest }
  /** The run's cores have changed, because others came or ended. */
  | { readonly type: 'cores'; readonly parallelism: number }
  | { readonly type: 'abort' };

/** A tool's result, its outputs checked again. */
export interface ProcessResult extends Omit<RunResult, 'outputs'> {
  readonly outputs: readonly (Omit<RunOutput, 'readBack'> & Carried)[];
}

export type FromJob =
  /** The first message: the runtime ("node", "bun") and its version. */
  | { readonly type: 'ready'; readonly runtime: string; readonly version: string }
  /** Of the current pass; of the whole run if none was begun. */
  | { readonly type: 'progress'; readonly fraction: number; readonly stage: string }
  /** A pass begins: see `StartPass`. */
  | ({ readonly type: 'pass' } & BegunPass)
  | { readonly type: 'warning'; readonly warning: Warning }
  /** A finished part of the result, before `done`. */
  | { readonly type: 'partial'; readonly part: JsonObject }
  /** A part of the work that need not be done again if the run is interrupted. */
  | { readonly type: 'finished'; readonly part: FinishedPart }
  /** A model file was hashed, and the process may not save the hash. */
  | { readonly type: 'unremembered'; readonly path: string }
  | { readonly type: 'done'; readonly result: ProcessResult }
  /** `stack` is for debugging and never reaches a client. */
  | { readonly type: 'failed'; readonly error: ErrorJson; readonly stack: string | undefined }
  | { readonly type: 'aborted' };

/** Set in the environment of job processes. An app that finds it was started in place of Node. */
export const jobMark = { EARSHOT_JOB_PROCESS: '1' } as const;

/** First argument of a process that fills the compile cache; then follow the cache folder and the modules. */
export const compileOnly = 'compile-only';

/** First argument of a process that was started with a filter of system calls, and adds the second one itself. */
export const addsFilter = 'adds-filter';

/** The descriptor for messages: JSON lines, both ways. */
export const channelFd = 3;

/** Without /proc, the job process writes its resident bytes to this descriptor, one number per line. */
export const memoryReportFd = 4;
