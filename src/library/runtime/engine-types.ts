// What an engine takes and answers.
import type { JsonObject } from '../core/json.ts';
import type { OnProgress, Warning } from '../core/progress.ts';
import type { ToolIdOf, ToolId, ToolName } from '../contract/tool-ids.ts';
import type { AnyTool } from '../tools/declare/define.ts';
import type { ToolOptionsById } from '../tools/option-types.ts';
import type { ToolResultById } from '../tools/results.ts';
import type { Confinement } from './confine/confinement.ts';
import type { RunInputs } from './inputs.ts';
import type { OutputStream } from './output-streams.ts';
import type { OutputFile } from './work-folder.ts';

/** How much of the machine an engine may use. */
export interface EngineOptions {
  /**
   * Runs at the same time, each in a process of its own. At least 1; default: one a core, as far as each can have 1280 MiB
   * of the machine's memory.
   */
  readonly concurrency?: number;
  /**
   * Cores that runs share out, at least 1. Default: EARSHOT_CORES, else those that the scheduler and the cgroups give this
   * process.
   */
  readonly cores?: number;
  /** Runs that may wait for a place; one more is refused with limit_exceeded. Default 10000. */
  readonly maxQueuedRuns?: number;
  /** Where runs without a destination work. Default: the system's temporary folder. */
  readonly tempDir?: string;
  /** Where model files lie. Default: the models' own default place. */
  readonly modelsDir?: string;
  /**
   * Memory that one run may use with everything it started, in bytes: resident, swapped out, page tables, and files of
   * its own that lie in memory. Default: its share of the machine's memory (EARSHOT_MEMORY_BYTES), at most 2 GiB.
   */
  readonly maxJobMemoryBytes?: number;
  /** Largest input that is given as bytes or as a stream and set aside in `tempDir`, in bytes. Default 16 GiB. */
  readonly maxSpooledBytes?: number;
  /** Wall-clock time of one run, in seconds, from its start. Default 6 hours. */
  readonly maxJobSeconds?: number;
  /**
   * Keeps one idle process ready with the media layer loaded: saves about 300 ms a run, costs about 130 MB, half of it
   * shared. Default false.
   */
  readonly prefork?: boolean;
  /**
   * What fences a run's process off from the machine: best, off, landlock, namespaces or uid, see docs/confinement.md.
   * Default: EARSHOT_CONFINEMENT, or best, which is as much as the system offers.
   */
  readonly confinement?: Confinement;
  /**
   * How many runs of one owner (`RunOptions.owner`) a process does one after the other: starting a process is most of what a
   * short run costs, and model weights stay loaded (a run of 5 s of sound: 15 ms of CPU instead of 75). A process ends sooner
   * after any error or abort, above half of `maxJobMemoryBytes`, after 30 s without a run, and where the environment has
   * changed; where it is confined, and inputs or outputs lie on another disk than `tempDir`, it does one run. A run may find
   * out what the ones before it in its process left in memory. 1: each run has a process of its own. Default 50.
   */
  readonly runsPerProcess?: number;
  /** How much runs stand back for everything else where cores are short, 0 to 19 as in nice(1). Default 0. */
  readonly niceness?: number;
  /**
   * Path of the Node, 22.12 or newer, that runs' processes run on. Default: EARSHOT_NODE, else what this process runs on
   * (also Electron's own), else, in Bun, Deno and apps compiled into one executable, `node` of PATH.
   */
  readonly nodePath?: string;
}

/** What surrounds one run: where its files go, who hears of it and who may end it. */
export interface RunOptions {
  /**
   * Ends the run within half a second; its promise rejects with an AbortError and its partial files are gone. Default:
   * nothing ends it but the engine's own limits.
   */
  readonly signal?: AbortSignal;
  /**
   * Called at most about ten times a second; `progress` never falls. If it throws, the run fails with what it threw.
   * Default: nobody is told.
   */
  readonly onProgress?: OnProgress;
  /** Called for each warning as it comes up; the result holds all of them. Default: nobody is told. */
  readonly onWarning?: (warning: Warning) => void;
  /**
   * Called for each finished part of the result while the run goes on, in order: transcribe_audio hands out
   * `{ sentences: [...] }` as the transcript will hold them (see `transcribeLive`). If it throws, the run fails with what
   * it threw. Default: nobody is told.
   */
  readonly onPartial?: (part: JsonObject) => void;
  /**
   * Which formats to write, for a tool that writes one result in several: transcribe_audio json, srt, vtt and txt.
   * Default: the one that `output` ends in, or all.
   */
  readonly formats?: readonly string[];
  /**
   * Path of the output file; written in one step, only after success. Further outputs of the run lie beside it. A file
   * that the run reads is never replaced (bad_request), under whatever name. Default: a name in `outputDir`.
   */
  readonly output?: string;
  /**
   * Folder for the outputs, made when missing. Files are called like the input with the tool's slug before the extension
   * (talk.loudness.wav), transcripts like the input alone (talk.srt); `nameOutput` changes that. Default: a fresh folder in
   * the engine's `tempDir`, which belongs to the caller.
   */
  readonly outputDir?: string;
  /** From the usual file name to the one to use in `outputDir`; without folder. Called before the run, too. */
  readonly nameOutput?: (usual: string) => string;
  /**
   * true: replaces files that are there already. Default false: the run fails with `conflict`, before the work where its
   * names are known by then, and nothing is replaced.
   */
  readonly overwrite?: boolean;
  /**
   * Whose run it is, where the engine serves several: a process never does runs of two owners. null: nobody's, and its
   * process does this run alone. Default: the engine's own.
   */
  readonly owner?: string | null;
  /** Wall-clock time of this run in seconds, where less than the engine's `maxJobSeconds`. Default: that. */
  readonly maxSeconds?: number;
  /** What this run may have on the disk in its folder at a time, in bytes. Default: no limit but the disk. */
  readonly maxOutputBytes?: number;
  /**
   * Processes only the first seconds of the inputs (join_audio: of the result), above 0. Sound ends at the edge of a
   * packet, up to 0.1 s later; uncompressed sound at the frame. Ranges of cut_audio behind the window are left out.
   * Default: everything.
   */
  readonly windowSeconds?: number;
}

/** What a run answers once its files are in place. */
export interface ToolRun<Id extends string = ToolId> {
  /** The tool's public id. */
  readonly tool: Id;
  readonly outputs: readonly OutputFile[];
  /** What the tool answers besides files. */
  readonly result: Id extends ToolId ? ToolResultById[Id] : JsonObject;
  readonly warnings: readonly Warning[];
  /** Seconds of the input that were processed. */
  readonly processedSeconds: number;
}

/** A run whose outputs are streams. */
export interface StreamedRun<Id extends string = ToolId> extends Omit<ToolRun<Id>, 'outputs'> {
  /** Read each to its end, or destroy it. */
  readonly outputs: readonly OutputStream[];
}

/** What surrounds a run whose outputs are streams: they lie nowhere. */
export type StreamOptions = Omit<RunOptions, 'output' | 'outputDir' | 'nameOutput' | 'overwrite'>;

/** What follows a run's inputs: options may be left out where none of them is required. */
export type RunArguments<Id extends ToolId, Control = RunOptions> = {} extends ToolOptionsById[Id]
  ? [options?: ToolOptionsById[Id], control?: Control]
  : [options: ToolOptionsById[Id], control?: Control];

/** Runs tools, each run in a process of its own: a crash, a leak or an endless loop costs one run and nothing else. */
export interface Engine extends AsyncDisposable {
  /**
   * Runs one tool.
   * @param tool public id ("adjust_loudness") or slug ("loudness")
   * @param inputs a path, bytes, or a stream; several of them in order, or by input field
   * @param options the tool's options; default: its defaults
   * Without `output` and `outputDir` the files lie in a fresh folder in `tempDir`, which belongs to the caller.
   * @throws EarshotError with a code of the catalogue; AbortError when the signal fired or the engine was closed
   */
  run<Name extends ToolName>(
    tool: Name,
    inputs: RunInputs,
    ...[options, control]: RunArguments<ToolIdOf<Name>>
  ): Promise<ToolRun<ToolIdOf<Name>>>;
  /**
   * Runs one tool, and hands out its outputs as streams once they are done: files of which nothing stays on the disk.
   * Parameters and errors as `run`.
   */
  stream<Name extends ToolName>(
    tool: Name,
    inputs: RunInputs,
    ...[options, control]: RunArguments<ToolIdOf<Name>, StreamOptions>
  ): Promise<StreamedRun<ToolIdOf<Name>>>;
  /** Aborts what runs and what waits, and resolves when all of it is gone. Later runs are refused. */
  close(): Promise<void>;
}

/** An engine whose tools are known at run time only: the service's tasks, the command line, a test's. */
export interface UntypedEngine extends AsyncDisposable {
  run(tool: string, inputs: RunInputs, options?: object, control?: RunOptions): Promise<ToolRun<string>>;
  stream(tool: string, inputs: RunInputs, options?: object, control?: StreamOptions): Promise<StreamedRun<string>>;
  close(): Promise<void>;
}

/** What the engine needs of a tool's declaration. */
export type Runnable = Pick<AnyTool, 'inputs' | 'parseOptions' | 'planWindow'> & {
  /** See `Tool.formats`; default: none. */
  readonly formats?: readonly string[];
  readonly id: string;
  readonly slug: string;
};

/** What the engine runs: the public tools, the service's own tasks, or a test's. */
export interface ToolSource {
  readonly tools: readonly Runnable[];
  /** The module whose `run` does the tool's work. */
  runModuleUrl(toolId: string): string;
  /** Loaded ahead by a preforked process. */
  readonly preloadUrls: readonly string[];
  /** Compiled for the processes to come once the first run has ended; default: none. */
  readonly compiledUrls?: readonly string[];
}
