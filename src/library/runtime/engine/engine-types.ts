// What an engine takes and answers.
import type { FinishedPart } from '../../core/progress/finished-parts.ts';
import type { EarshotError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { OnProgress, Progress, Warning } from '../../core/progress/progress.ts';
import type { PassageOrder } from '../../contract/passage-order.ts';
import type { ToolIdOf, ToolId, ToolName } from '../../contract/tool-ids.ts';
import type { KnownVoice, VoiceReference } from '../../contract/voice-print.ts';
import type { AnyTool } from '../../tools/declare/define.ts';
import type { OptionsWithAll, OptionUnlessInput, ToolOptionsById } from '../../tools/option-types.ts';
import type { ToolResultById } from '../../tools/results.ts';
import type { LikeForm, WrittenForm } from '../../media/write/written-form.ts';
import type { Confinement } from '../confine/confinement.ts';
import type { RunInput, RunInputs } from '../files/inputs.ts';
import type { SoundOutput } from '../files/output-samples.ts';
import type { OutputStream } from '../files/output-streams.ts';
import type { OutputFile } from '../files/work-folder.ts';

/** How much of the machine an engine may use. */
export interface EngineOptions {
  /**
   * Runs at the same time, each in a process of its own. At least 1. Default: one per core, as long as each can have
   * 1280 MiB of the machine's memory.
   */
  readonly concurrency?: number;
  /**
   * Cores that runs share, at least 1. Default: EARSHOT_CORES, else the cores that the scheduler and the cgroups give
   * this process.
   */
  readonly cores?: number;
  /** Runs that may wait for a slot; one more is refused with limit_exceeded. Default 10000. */
  readonly maxQueuedRuns?: number;
  /** Folder for the work of runs without a destination. Default: the system's temporary folder. */
  readonly tempDir?: string;
  /** Folder with model files. Default: the models' own default place. */
  readonly modelsDir?: string;
  /**
   * Memory that one run may use with all its processes, in bytes: resident, swapped out, page tables, and its files in
   * memory file systems. Default: its share of the machine's memory (EARSHOT_MEMORY_BYTES), at most 2 GiB.
   */
  readonly maxJobMemoryBytes?: number;
  /** Largest input given as bytes or as a stream, in bytes: it is written to `tempDir` first. Default 16 GiB. */
  readonly maxSpooledBytes?: number;
  /** Wall-clock time of one run, in seconds, from its start. Default 6 hours. */
  readonly maxJobSeconds?: number;
  /**
   * Keeps one unused process ready with the media layer loaded: saves about 300 ms a run, costs about 130 MB, half of
   * it shared. Default false.
   */
  readonly prefork?: boolean;
  /**
   * How a run's process is isolated from the machine: best, off, landlock, namespaces or uid, see docs/confinement.md.
   * Default: EARSHOT_CONFINEMENT, or best, which is as much as the system offers.
   */
  readonly confinement?: Confinement;
  /**
   * How many runs of one owner (`RunOptions.owner`) a process does, one after the other. Starting a process is most of
   * what a short run costs, and model weights stay loaded (a run of 5 s of sound: 15 ms of CPU instead of 75). A
   * process ends sooner after any error or abort, above half of `maxJobMemoryBytes`, after 30 s without a run, or when
   * the environment has changed. A confined process whose inputs or outputs are on another disk than `tempDir` does one
   * run. A run may find out what earlier runs in its process left in memory. 1: each run has a process of its own.
   * Default 50.
   */
  readonly runsPerProcess?: number;
  /** Scheduling priority of runs, 0 to 19 as in nice(1): higher gives way to other programs. Default 0. */
  readonly niceness?: number;
  /**
   * Path of the Node, 22.12 or newer, that job processes run on. Default: EARSHOT_NODE, else the program of this
   * process (Electron included), else, in Bun, Deno and apps compiled into one executable, `node` on PATH.
   */
  readonly nodePath?: string;
}

/** How one run is done: where its files go, who is told of its progress, and what may end it. */
export interface RunOptions {
  /**
   * Ends the run within half a second; its promise rejects with an AbortError and its partial files are removed.
   * Default:
   * only the engine's limits end a run.
   */
  readonly signal?: AbortSignal;
  /**
   * Called at most about ten times a second; `progress` never falls. If it throws, the run fails with what it threw.
   * Default: none.
   */
  readonly onProgress?: OnProgress;
  /** Called for each warning as it comes up; the result holds all of them. Default: none. */
  readonly onWarning?: (warning: Warning) => void;
  /**
   * Called for each finished part of the result during the run, in order: transcribe_audio passes `{ sentences: [...]
   * }` as the transcript will hold them (see `transcribeLive`). If it throws, the run fails with what it threw.
   * Default: none.
   */
  readonly onPartial?: (part: JsonObject) => void;
  /**
   * Called for each part of the work that need not be done again if the run is interrupted: transcribe_audio passes the
   * words of each group of windows. Keep them (together at most a few MB), and pass them as `finishedParts` to the next
   * run of the same order. If it throws, the run fails with what it threw. Default: none.
   */
  readonly onFinishedPart?: (part: FinishedPart) => void;
  /**
   * What an interrupted run of this tool on the same input with the same options had finished: see `onFinishedPart`.
   * The result is that of a run from the start. Parts of other versions, models, inputs or options are left out.
   * Default: none.
   */
  readonly finishedParts?: readonly FinishedPart[];
  /**
   * Formats to write, for a tool that writes one result in several: transcribe_audio json, srt, vtt and txt. Default:
   * the format that `output` ends in, or all.
   */
  readonly formats?: readonly string[];
  /**
   * Path of the output file; written in one step, only after success. Further outputs go beside it. An input of the run
   * is never replaced (bad_request), under any name. Default: a name in `outputDir`.
   */
  readonly output?: string;
  /**
   * Folder for the outputs, made when missing. A file is named like the input with the tool's slug before the extension
   * (talk.loudness.wav), a transcript like the input alone (talk.srt); `nameOutput` changes that. Default: a fresh
   * folder in the engine's `tempDir`, for the caller to remove.
   */
  readonly outputDir?: string;
  /** Maps the usual file name to the one to use in `outputDir`, without folder. Also called before the run. */
  readonly nameOutput?: (usual: string) => string;
  /**
   * true: replaces existing files. Default false: the run fails with `conflict` and replaces nothing, before the work
   * where its output names are known by then.
   */
  readonly overwrite?: boolean;
  /**
   * The owner of the run, where the engine serves several: a process never does runs of two owners. null: its process
   * does this run alone. Default: the engine's own.
   */
  readonly owner?: string | null;
  /** Wall-clock limit of this run in seconds, if lower than the engine's `maxJobSeconds`. Default: that. */
  readonly maxSeconds?: number;
  /** Most disk space that this run's folder may take at a time, in bytes. Default: no limit but the disk. */
  readonly maxOutputBytes?: number;
  /**
   * Processes only the first seconds of the inputs (join_audio: of the result), above 0. Sound ends at the edge of a
   * packet, up to 0.1 s later; uncompressed sound at the frame. Ranges of cut_audio beyond the window are left out.
   * Default: everything.
   */
  readonly windowSeconds?: number;
  /**
   * The sound track of the inputs that is processed: a number from 1 in the order of the file, or a language ("deu",
   * "de"). Default: the one that the file marks as its default, else the first. bad_request where an input with sound
   * has no such track.
   */
  readonly soundTrack?: number | string;
  /**
   * true: a video's other sound tracks are copied behind the processed one, as they are, where nothing is cut. Default
   * false: they are left out, with the warning `other_sound_dropped`.
   */
  readonly keepSoundTracks?: boolean;
  /**
   * The voices that the option `voices` of transcribe_audio chooses from, by name: see `makeVoicePrint`. Default: none.
   */
  readonly knownVoices?: readonly KnownVoice[];
  /**
   * How an edited copy is written where no option chooses a format. 'working': as 32-bit float without loss, for a file
   * that another run reads (WAV; a video as MOV or Matroska, its picture as it is); a FileForm: as a file of that kind;
   * a LikeForm: as that file. Default: as the input.
   */
  readonly form?: WrittenForm | LikeForm;
}

/** The result of a run; its files are in place. */
export interface ToolRun<Id extends string = ToolId> {
  /** The tool's public id. */
  readonly tool: Id;
  readonly outputs: readonly OutputFile[];
  /** The tool's answer, besides files. */
  readonly result: Id extends ToolId ? ToolResultById[Id] : JsonObject;
  readonly warnings: readonly Warning[];
  /** Seconds of the input that were processed. */
  readonly processedSeconds: number;
}

/** The result of a run whose outputs are streams. */
export interface StreamedRun<Id extends string = ToolId> extends Omit<ToolRun<Id>, 'outputs'> {
  /** Read each to its end, or destroy it. */
  readonly outputs: readonly OutputStream[];
}

/** The result of a run whose outputs are samples in memory. */
export interface SampledRun<Id extends string = ToolId> extends Omit<ToolRun<Id>, 'outputs'> {
  /** Those with sound, in their order; of a video its sound. */
  readonly outputs: readonly SoundOutput[];
  /** Those without sound, such as transcripts. Read each to its end, or destroy it. */
  readonly others: readonly OutputStream[];
}

/** How a run is done whose outputs are streams. */
export type StreamOptions = Omit<RunOptions, 'output' | 'outputDir' | 'nameOutput' | 'overwrite'>;

/** The inputs of a tool that take the place of one of its options. */
type Instead<Id extends keyof OptionUnlessInput> = OptionUnlessInput[Id][keyof OptionUnlessInput[Id]];

/** A tool's options for a run over these inputs. What no input takes the place of is required; a list may have it. */
type OptionsFor<Id extends ToolId, Inputs> = Id extends keyof OptionUnlessInput
  ? Inputs extends RunInput
    ? OptionsWithAll<Id>
    : Inputs extends readonly unknown[]
      ? ToolOptionsById[Id]
      : [Instead<Id> & keyof Inputs] extends [never]
        ? OptionsWithAll<Id>
        : ToolOptionsById[Id]
  : ToolOptionsById[Id];

/** What follows a run's inputs: options may be left out where none is required. */
export type RunArguments<Id extends ToolId, Control = RunOptions, Inputs extends RunInputs = RunInputs> =
  {} extends OptionsFor<Id, Inputs>
    ? [options?: OptionsFor<Id, Inputs>, control?: Control]
    : [options: OptionsFor<Id, Inputs>, control?: Control];

/** How far a run has come: it waits for its turn, it works, or how it ended. Seconds count from the call. */
export type RunState =
  | { readonly state: 'queued' }
  | { readonly state: 'started'; readonly waitedSeconds: number }
  | { readonly state: 'succeeded'; readonly seconds: number; readonly processedSeconds: number }
  | { readonly state: 'failed'; readonly seconds: number; readonly error: EarshotError }
  | { readonly state: 'aborted'; readonly seconds: number };

/** A turn of one of an engine's runs. */
export type RunEvent = RunState & {
  /** From 1, in the order of the calls. */
  readonly runId: number;
  /** The tool's public id. */
  readonly tool: string;
};

/** A warning of one of an engine's runs. */
export interface RunWarning {
  /** As of `RunEvent`, from 1. */
  readonly runId: number;
  /** The tool's public id. */
  readonly tool: string;
  readonly warning: Warning;
}

/** What `Engine.on` tells, by the event's name. */
export interface EngineEvents {
  /** Each run several times: when it is queued, when it starts, and when it ends. */
  readonly run: RunEvent;
  /** Each warning of a run once, as it comes up. */
  readonly warning: RunWarning;
}

/**
 * A run as it goes: a promise of its end, and a loop over its progress. The loop always gets the newest, ends with the
 * run and throws what the run throws; leaving it early ends nothing.
 * @example
 *   const run = engine.run('remove_noise', 'talk.wav');
 *   for await (const { progress, stage } of run) console.log(stage, progress);
 *   const { outputs } = await run;
 */
export interface StartedRun<Done> extends Promise<Done>, AsyncIterable<Progress> {}

/** Runs tools, each run in its own process: a crash, a leak or an endless loop costs one run and nothing else. */
export interface Engine extends AsyncDisposable {
  /**
   * Runs one tool. Without `output` and `outputDir` the files are in a fresh folder in `tempDir`, for the caller to
   * remove. `for await` over the run gets its progress.
   * @param tool public id ("adjust_loudness") or slug ("loudness")
   * @param inputs a path, bytes, a stream, or samples; several of them in order, or by input field
   * @param options the tool's options; default: its defaults
   * @throws EarshotError with a code of the catalogue; AbortError when the signal fired or the engine was closed
   */
  run<Name extends ToolName, Inputs extends RunInputs>(
    tool: Name,
    inputs: Inputs,
    ...[options, control]: RunArguments<ToolIdOf<Name>, RunOptions, Inputs>
  ): StartedRun<ToolRun<ToolIdOf<Name>>>;
  /**
   * Runs one tool and returns its finished outputs as streams; no file stays on the disk. Parameters and errors as
   * `run`.
   */
  stream<Name extends ToolName, Inputs extends RunInputs>(
    tool: Name,
    inputs: Inputs,
    ...[options, control]: RunArguments<ToolIdOf<Name>, StreamOptions, Inputs>
  ): Promise<StreamedRun<ToolIdOf<Name>>>;
  /**
   * Runs one tool and returns the sound of its outputs as float32 samples, exactly as they leave the tool unless an
   * option chooses a format. They are held whole: an hour of stereo at 48 kHz is 1.4 GB. Parameters and errors as
   * `run`.
   */
  samples<Name extends ToolName, Inputs extends RunInputs>(
    tool: Name,
    inputs: Inputs,
    ...[options, control]: RunArguments<ToolIdOf<Name>, StreamOptions, Inputs>
  ): Promise<SampledRun<ToolIdOf<Name>>>;
  /**
   * Calls a listener for each run of the engine, also those of chains and recipes: for metrics and logs. What a
   * listener throws is an uncaught exception; no run fails for it.
   * @param event 'run' when a run is queued, starts and ends; 'warning' for each warning of a run
   * @returns a function that takes the listener off
   * @throws EarshotError bad_request for another event
   * @example
   *   engine.on('run', ({ tool, ...run }) => run.state === 'failed' && console.error(tool, run.error.code));
   */
  on<Name extends keyof EngineEvents>(event: Name, listener: (event: EngineEvents[Name]) => void): () => void;
  /** Aborts all runs, also waiting ones, and resolves when they have ended. Later runs are refused. */
  close(): Promise<void>;
}

/** `RunOptions` for callers within the library. */
export interface InnerRunOptions extends RunOptions {
  /** Makes only a passage of the only input, beside what it was: see `previewTool`. Default: all of it. */
  readonly passage?: PassageOrder;
  /** People whom transcribe_audio is to name in this run alone. Default: none. */
  readonly voiceReferences?: readonly VoiceReference[];
}

/** An engine whose tools are known only at run time: the service's tasks, the command line, tests. */
export interface UntypedEngine extends AsyncDisposable {
  run(tool: string, inputs: RunInputs, options?: object, control?: InnerRunOptions): Promise<ToolRun<string>>;
  stream(tool: string, inputs: RunInputs, options?: object, control?: StreamOptions): Promise<StreamedRun<string>>;
  samples(tool: string, inputs: RunInputs, options?: object, control?: StreamOptions): Promise<SampledRun<string>>;
  close(): Promise<void>;
}

/** What the engine needs of a tool's declaration. */
export type Runnable = Pick<AnyTool, 'inputs' | 'parseOptions' | 'passes' | 'planWindow'> & {
  /** See `AnyTool.refuse`; default: nothing is refused. */
  readonly refuse?: AnyTool['refuse'];
  /** See `Tool.formats`; default: none. */
  readonly formats?: readonly string[];
  readonly id: string;
  readonly slug: string;
};

/** What the engine runs: the public tools, the service's own tasks, or test tools. */
export interface ToolSource {
  readonly tools: readonly Runnable[];
  /** The module whose `run` does the tool's work. */
  runModuleUrl(toolId: string): string;
  /** Loaded ahead by an unused process. */
  readonly preloadUrls: readonly string[];
  /** Compiled for later processes once the first run has ended; default: none. */
  readonly compiledUrls?: readonly string[];
}
