import type { ErrorJson } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Warning } from '../core/progress.ts';
import type { BegunPass } from '../core/run-meter.ts';
import type { Carried } from '../contract/media-work.ts';
import type { FilesByField, InputShapes } from '../contract/tool-inputs.ts';
import type { RunOutput, RunResult, WindowPlan } from '../tools/declare/run.ts';

/** What one job process is asked to do. JSON: it crosses the process border. */
export interface ProcessRequest {
  readonly toolId: string;
  /** The tool's run.ts (or .js). The job process loads this alone: the declaration and its validator cost 150 ms. */
  readonly runModuleUrl: string;
  /** Absolute paths. */
  readonly inputs: FilesByField<string>;
  /** By field, how the tool reads them; the job process loads no declaration. */
  readonly inputShapes: InputShapes;
  readonly options: Readonly<Record<string, unknown>>;
  /** What belongs to the run: inputs by their names in `in`, the work in `run`. */
  readonly folder: string;
  /** Where the tool works: `run` in `folder`. */
  readonly workDir: string;
  /** Cores that this run may keep busy. */
  readonly parallelism: number;
  /** Cores that any run of this process may keep busy. */
  readonly cores: number;
  readonly memoryBytes: number;
  /** Longest file that it may write; null: the system's own bound. */
  readonly maxFileBytes: number | null;
  /** Will the process do more runs, with other bounds? */
  readonly reusable: boolean;
  readonly modelsDir: string | undefined;
  /** Does anybody listen to parts of the result? */
  readonly wantsPartials: boolean;
  /** Only the first seconds are processed; null: all. */
  readonly window: JobWindow | null;
}

export interface JobWindow extends Pick<WindowPlan, 'joined' | 'optionsWhenCut'> {
  readonly seconds: number;
  /** What of each media input is used, by field. */
  readonly secondsByField: Readonly<Record<string, number>>;
}

export type ToJob =
  | { readonly type: 'preload'; readonly moduleUrls: readonly string[] }
  | { readonly type: 'start'; readonly request: ProcessRequest }
  | { readonly type: 'abort' };

/** What a tool answers, its outputs looked at once more. */
export interface ProcessResult extends Omit<RunResult, 'outputs'> {
  readonly outputs: readonly (Omit<RunOutput, 'readBack'> & Carried)[];
}

export type FromJob =
  /** First: what it runs on ("node", "bun") and its version. */
  | { readonly type: 'ready'; readonly runtime: string; readonly version: string }
  /** Of the pass that runs; of the whole run where none was begun. */
  | { readonly type: 'progress'; readonly fraction: number; readonly stage: string }
  /** A pass begins: see `StartPass`. */
  | ({ readonly type: 'pass' } & BegunPass)
  | { readonly type: 'warning'; readonly warning: Warning }
  /** A finished part of the result, before `done`. */
  | { readonly type: 'partial'; readonly part: JsonObject }
  /** A model file was hashed, and the process may not write down that it was. */
  | { readonly type: 'unremembered'; readonly path: string }
  | { readonly type: 'done'; readonly result: ProcessResult }
  /** `stack` is for the one who debugs; it never reaches a client. */
  | { readonly type: 'failed'; readonly error: ErrorJson; readonly stack: string | undefined }
  | { readonly type: 'aborted' };

/** In the environment of job processes: an app that finds it was started in place of a Node. */
export const jobMark = { EARSHOT_JOB_PROCESS: '1' } as const;

/** The first argument of a job process that fills the compile cache named behind it with the modules named behind that. */
export const compileOnly = 'compile-only';

/** Messages travel over this descriptor as JSON lines, both ways. */
export const channelFd = 3;

/** On systems without /proc the job process writes its resident bytes, a line each, to this descriptor. */
export const memoryReportFd = 4;
