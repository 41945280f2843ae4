import { tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { AbortError, throwIfAborted } from '../core/abort.ts';
import { EarshotError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { freeMemoryBytes, usableCores, usableMemoryBytes } from '../core/machine.ts';
import { libraryRestBytes, shareOut } from '../core/sizing.ts';
import type { OnProgress, Progress, Warning } from '../core/progress.ts';
import { type BegunPass, createRunMeter } from '../core/run-meter.ts';
import type { FilesByField } from '../contract/tool-inputs.ts';
import type { AnyTool } from '../tools/declare/define.ts';
import type { ToolOptionsById } from '../tools/option-types.ts';
import { requireTool, tools } from '../tools/registry.ts';
import type { ToolResultById } from '../tools/results.ts';
import type { ToolIdOf, ToolId, ToolName } from '../contract/tool-ids.ts';
import type { JobGroups } from './confine/job-groups.ts';
import { type Confinement, wantedConfinement } from './confine/confinement.ts';
import type { ByteSource } from './byte-sources.ts';
import { compileAhead } from './compile-ahead.ts';
import { createHashKeeper } from './keep-hashes.ts';
import { type PendingInput, resolveInputs, type ResolvedInput, type RunInputs } from './inputs.ts';
import { nodeProgram, refuseInJob } from './node-program.ts';
import { openOutputs, type OutputStream } from './output-streams.ts';
import { createPlaces, type Place } from './places.ts';
import { safeFileName } from './named-inputs.ts';
import { expectedNames, extensionWarning, outputFilename } from './output-names.ts';
import { chosenFormats, inFormats, requireAtLeast, shapesOf, windowOf } from './run-checks.ts';
import { createRunCosts, type KindOfRun } from './run-costs.ts';
import { runJob } from './run-job.ts';
import { createSlots } from './slots.ts';
import { abandonAll, adoptSources, defaultMaxSpooledBytes, spoolInputs } from './spooled-inputs.ts';
import {
  prepareDestination,
  publish,
  removeStaleWorkFolders,
  type Destination,
  type OutputFile,
  workPartOf,
} from './work-folder.ts';
import { moduleUrl } from '../core/running-files.ts';

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

const workOf = (toolId: string): string => moduleUrl(`library/tools/${toolId}/run`);

/**
 * The public tools: the work of each lies beside its declaration, in a folder named by its id. The two that are loaded
 * ahead bring along what nearly all tools are made of: decoding, encoding, meters, the limiter.
 */
export const publicTools: ToolSource = {
  tools,
  runModuleUrl: workOf,
  preloadUrls: [workOf('analyze_audio'), workOf('adjust_loudness')],
  compiledUrls: tools.map(({ id }) => workOf(id)),
};

/**
 * @throws EarshotError bad_request for an option out of range; tool_unavailable where there is no Node for runs, and in a
 *   process that was started for one
 */
export function createEngine(options: EngineOptions = {}): Engine {
  // The declarations prove that each tool's work answers the result of its type.
  return createUntypedEngine(options) as Engine;
}

/** `createEngine` for callers who learn at run time which tool they run. */
export function createUntypedEngine(options: EngineOptions = {}): UntypedEngine {
  return createEngineWith(publicTools, { runsPerProcess: 50, ...options });
}

/** Nobody reads more, and a process that has been taken over may send millions. */
const mostWarnings = 100;

/** @param groups where processes get control groups of their own, which only a service has; default: nowhere */
export function createEngineWith(
  source: ToolSource,
  options: EngineOptions = {},
  groups: JobGroups | null = null,
): UntypedEngine {
  const {
    cores = usableCores(),
    maxQueuedRuns = 10_000,
    tempDir = tmpdir(),
    modelsDir,
    maxJobSeconds = 6 * 3600,
    maxSpooledBytes = defaultMaxSpooledBytes,
    prefork = false,
    niceness = 0,
    runsPerProcess = 1,
  } = options;
  refuseInJob();
  requireAtLeast('cores', cores, 1, true);
  const share = shareOut({ cores, memoryBytes: usableMemoryBytes() }, libraryRestBytes, {
    ...(options.concurrency === undefined ? {} : { slots: options.concurrency }),
    ...(options.maxJobMemoryBytes === undefined ? {} : { jobMemoryBytes: options.maxJobMemoryBytes }),
  });
  const { concurrency = share.slots, maxJobMemoryBytes = share.jobMemoryBytes } = options;
  requireAtLeast('concurrency', concurrency, 1, true);
  requireAtLeast('maxQueuedRuns', maxQueuedRuns, 0, true);
  requireAtLeast('maxJobMemoryBytes', maxJobMemoryBytes, 1, false);
  requireAtLeast('niceness', niceness, 0, true);
  requireAtLeast('runsPerProcess', runsPerProcess, 1, true);
  requireAtLeast('maxSpooledBytes', maxSpooledBytes, 1, false);
  requireAtLeast('maxJobSeconds', maxJobSeconds, 0.001, false);

  const node = nodeProgram(options.nodePath);
  const slots = createSlots(concurrency, maxQueuedRuns);
  const closing = new AbortController();
  const active = new Set<Promise<unknown>>();
  const housekeeping = removeStaleWorkFolders(tempDir);
  const places = createPlaces({
    tempDir,
    modelsDir,
    maxJobMemoryBytes,
    prefork,
    runsPerProcess,
    concurrency,
    cores,
    node,
    niceness,
    confinement: options.confinement ?? wantedConfinement(),
    groups,
    preloadUrls: source.preloadUrls,
    runModuleUrls: source.tools.map(({ id }) => source.runModuleUrl(id)),
  });
  const rememberHash = createHashKeeper(modelsDir);
  const costs = createRunCosts();

  async function run(
    toolId: string,
    inputs: RunInputs,
    sources: readonly ByteSource[],
    toolOptions: object,
    control: RunOptions,
  ): Promise<ToolRun<string>> {
    const tool = requireTool(toolId, source.tools);
    const signal = control.signal ? AbortSignal.any([control.signal, closing.signal]) : closing.signal;
    throwIfAborted(signal);
    const formats = chosenFormats(tool.formats ?? [], control);
    if (control.windowSeconds !== undefined) requireAtLeast('windowSeconds', control.windowSeconds, 0.001, false);
    if (control.maxSeconds !== undefined) requireAtLeast('maxSeconds', control.maxSeconds, 0.001, false);
    if (control.maxOutputBytes !== undefined) requireAtLeast('maxOutputBytes', control.maxOutputBytes, 1, false);
    const parsed = tool.parseOptions(toolOptions);
    // Before anything is awaited, so that runs start in the order of the calls, however long the checks below take.
    const leaving = new AbortController();
    control.onProgress?.({ progress: 0, stage: 'queued', estimatedSecondsLeft: null });
    const queue = (): Promise<() => void> => slots.acquire(AbortSignal.any([signal, leaving.signal]));
    // A stream is read at once, since whoever sends it may not wait; a slow one keeps no run from its place.
    const placing = sources.length === 0 ? queue() : null;
    placing?.catch(() => undefined);
    const leave = (thrown: unknown): never => {
      leaving.abort();
      void placing?.then(
        (unused) => unused(),
        () => undefined,
      );
      throw thrown;
    };
    const { resolved, destination } = await check(tool, inputs, parsed, formats, control).catch(leave);
    const spooled = await spoolInputs(resolved, tempDir, maxSpooledBytes, signal).catch(leave);

    const report = (progress: Progress): void => control.onProgress?.(progress);
    const giveBack = await (placing ?? queue()).catch(async (thrown: unknown) => {
      await spooled.remove();
      throw thrown;
    });
    let place: Place | undefined;
    let well = false;
    const warnings: Warning[] = [];
    /** Once each: a file that is written in several passes would say the same several times. */
    const warn = (warning: Warning): void => {
      if (warnings.length >= mostWarnings) return;
      if (warnings.some(({ code, message }) => code === warning.code && message === warning.message)) return;
      warnings.push(warning);
      control.onWarning?.(warning);
    };
    try {
      // Inside the destination, so that publishing is a rename and never a copy.
      throwIfAborted(signal);
      const kind: KindOfRun = {
        toolId: tool.id,
        inputs: namesOf(resolved),
        options: parsed,
        // A lone run gets every core; a full house gets one each.
        parallelism: Math.max(1, Math.floor(cores / Math.min(concurrency, slots.demand))),
      };
      const meter = createRunMeter(await costs.of(kind));
      const window = control.windowSeconds === undefined ? null : windowOf(tool, parsed, control.windowSeconds);
      place = await places.take(
        destination && !destination.intoStream ? destination.outputDir : tempDir,
        spooled.inputs,
        {
          owner: control.owner === undefined ? '' : control.owner,
          toolId: tool.id,
        },
      );
      const { folder } = place;
      const workDir = workPartOf(folder);
      const request = {
        toolId: tool.id,
        runModuleUrl: source.runModuleUrl(tool.id),
        inputs: place.inputs,
        inputShapes: shapesOf(tool.inputs),
        options: parsed,
        folder,
        workDir,
        parallelism: kind.parallelism,
        cores,
        // What threads are planned with: no more than is free now.
        memoryBytes: Math.min(maxJobMemoryBytes, freeMemoryBytes()),
        maxFileBytes: control.maxOutputBytes ?? null,
        mayStay: place.mayStay,
        modelsDir,
        wantsPartials: control.onPartial !== undefined,
        window,
      };
      const listeners = {
        onFraction: (fraction: number, stage: string) => report(meter.report(fraction, stage)),
        onPass: (pass: BegunPass) => report(meter.begin(pass)),
        onWarning: warn,
        onPartial: (part: JsonObject) => control.onPartial?.(part),
        onUnremembered: rememberHash,
      };
      const limits = {
        maxJobMemoryBytes,
        maxJobSeconds: Math.min(maxJobSeconds, control.maxSeconds ?? Infinity),
        maxOutputBytes: control.maxOutputBytes ?? Infinity,
      };
      const done = await runJob(place.process, request, limits, signal, listeners, place.mayStay);
      const names = namesOf(resolved);
      const named = done.outputs.map((output) => ({
        ...output,
        filename: outputFilename(tool, basename(output.filename), names),
      }));
      const chosen = formats === null ? named : inFormats(named, formats, control.output);
      const target = destination ?? {
        outputDir: chosen.length === 0 ? tempDir : await mkdtemp(join(tempDir, 'earshot-')),
      };
      const outputs = await publish(chosen, workDir, target, pathsOf(resolved), signal).catch(
        async (thrown: unknown) => {
          if (!destination && chosen.length > 0) await rm(target.outputDir, { recursive: true, force: true });
          throw thrown;
        },
      );
      const misnamed = destination?.output && outputs[0] && extensionWarning(destination.output, outputs[0].format);
      if (misnamed) warn(misnamed);
      report(meter.finish('done'));
      void costs.learn(kind, meter.passes());
      well = true;
      return { tool: tool.id, outputs, result: done.result, warnings, processedSeconds: done.processedSeconds };
    } finally {
      places.refill();
      // Only what has been seen to be a Node is started for it.
      if (well) compileAhead(source.compiledUrls ?? [], node);
      await Promise.all([place?.finish(well), spooled.remove()]);
      giveBack();
    }
  }

  return {
    run(toolId, inputs, toolOptions, control = {}) {
      const sources = adoptSources(inputs);
      if (closing.signal.aborted) {
        abandonAll(sources);
        return Promise.reject(
          new EarshotError('conflict', 'The engine is closed', { nextAction: 'Create another engine.' }),
        );
      }
      const promise = run(toolId, inputs, sources, toolOptions ?? {}, control);
      active.add(promise);
      const forget = (): void => {
        active.delete(promise);
        abandonAll(sources);
      };
      promise.then(forget, forget);
      return promise;
    },
    async stream(toolId, inputs, toolOptions, control) {
      const { outputs, ...done } = await this.run(toolId, inputs, toolOptions, control);
      return { ...done, outputs: await openOutputs(outputs) };
    },
    async close() {
      closing.abort(new AbortError('The engine was closed'));
      await Promise.allSettled([...active, housekeeping, places.close()]);
      await costs.close();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** Whatever can be refused is refused before the run waits for its turn. */
async function check(
  tool: Runnable,
  inputs: RunInputs,
  options: Readonly<Record<string, unknown>>,
  formats: readonly string[] | null,
  control: RunOptions,
): Promise<{ resolved: FilesByField<ResolvedInput | PendingInput>; destination: Destination | null }> {
  const resolved = await resolveInputs(tool, inputs);
  const { nameOutput, overwrite } = control;
  const destination = await prepareDestination(
    { output: absolute(control.output), outputDir: absolute(control.outputDir), nameOutput, overwrite },
    pathsOf(resolved),
    expectedNames(tool, namesOf(resolved), options, formats),
  );
  return { resolved, destination };
}

type Inputs = FilesByField<ResolvedInput | PendingInput>;

/** What the inputs are called in a run's folder: outputs are named after that. */
const namesOf = (inputs: Inputs): string[] =>
  Object.values(inputs)
    .flat()
    .map((input) => (input.name === null ? basename('path' in input ? input.path : '') : safeFileName(input.name)));

/** Where the inputs lie that are files of the caller. */
const pathsOf = (inputs: Inputs): string[] =>
  Object.values(inputs)
    .flat()
    .flatMap((input) => ('path' in input ? [input.path] : []));

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}
