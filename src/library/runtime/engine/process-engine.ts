// Admits runs in order, and does each in a job process.
import { throwIfRefused } from '../../tools/declare/refusals.ts';
import { tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { AbortError, throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { freeMemoryBytes, usableCores, usableMemoryBytes } from '../../core/machine/machine.ts';
import { libraryRestBytes, shareOut } from '../../core/machine/sizing.ts';
import type { Progress, Warning } from '../../core/progress/progress.ts';
import { roundTime, withRoundTimes } from '../../core/round-times.ts';
import { createRunMeter, type RunMeter } from '../../core/progress/run-meter.ts';
import type { FilesByField, InputFile } from '../../contract/tool-inputs.ts';
import { requireTool } from '../../tools/registry.ts';
import type { JobGroups } from '../confine/job-groups.ts';
import { wantedConfinement } from '../confine/confinement.ts';
import type { ByteSource } from '../files/byte-sources.ts';
import { compileAhead } from '../process/compile-ahead.ts';
import { createHashKeeper } from '../files/keep-hashes.ts';
import type {
  EngineOptions,
  Runnable,
  InnerRunOptions,
  SampledRun,
  StartedRun,
  StreamedRun,
  StreamOptions,
  ToolRun,
  ToolSource,
  UntypedEngine,
} from './engine-types.ts';
import { splitModel, withModel } from './form-model.ts';
import { ProgressFeed, RunEvents, type RunTeller } from './run-events.ts';
import { handOver, keptParts } from './kept-parts.ts';
import { type PendingInput, resolveInputs, type RunInputs } from '../files/inputs.ts';
import { type NodeProgram, nodeProgram, refuseInJob } from '../process/node-program.ts';
import { openOutputs } from '../files/output-streams.ts';
import { passWeights } from './pass-weights.ts';
import { type Lease, ProcessPool } from '../process/process-pool.ts';
import { askedFormat, expectedNames, extensionWarning, outputFilename } from '../files/output-names.ts';
import { chosenFormats, inFormats, requireAtLeast, shapesOf, soundChoice, windowOf } from './run-checks.ts';
import type { JobWindow, ProcessRequest, ProcessResult } from '../channel/protocol.ts';
import { type JobLimits, type JobListeners, runJob } from './run-job.ts';
import { createShares, type Shares } from './shares.ts';
import { createSlots, type Slots } from './slots.ts';
import { abandonAll, adoptSources, defaultMaxSpooledBytes, spoolInputs } from '../files/spooled-inputs.ts';
import {
  prepareDestination,
  publish,
  removeStaleWorkFolders,
  type Destination,
  type OutputFile,
  workPartOf,
} from '../files/work-folder.ts';

/** More would not be read, and a compromised process may send millions. */
const maxWarnings = 100;

/** Options with their defaults. */
function settingsOf(options: EngineOptions) {
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
  return {
    cores,
    maxQueuedRuns,
    tempDir,
    modelsDir,
    maxJobSeconds,
    maxSpooledBytes,
    prefork,
    niceness,
    runsPerProcess,
    concurrency,
    maxJobMemoryBytes,
  };
}

/** A run as it was asked for, checked as far as that goes without looking at files. */
interface RunCall {
  readonly tool: Runnable;
  readonly options: Readonly<Record<string, unknown>>;
  readonly formats: readonly string[] | null;
  readonly control: InnerRunOptions;
  readonly signal: AbortSignal;
  readonly teller: RunTeller;
}

/** A run whose inputs are on the disk, and which has a slot. */
interface AdmittedRun extends RunCall {
  readonly resolved: Inputs;
  readonly destination: Destination | null;
  readonly spooled: Awaited<ReturnType<typeof spoolInputs>>;
  releaseSlot(): void;
}

/** An engine that runs each tool in a job process. */
export class ProcessEngine implements UntypedEngine {
  private readonly settings: ReturnType<typeof settingsOf>;
  private readonly node: NodeProgram;
  private readonly slots: Slots;
  private readonly shares: Shares;
  private readonly pool: ProcessPool;
  private readonly rememberHash: (path: string) => void;
  private readonly housekeeping: Promise<void>;
  private readonly closing = new AbortController();
  private readonly active = new Set<Promise<unknown>>();
  private readonly events = new RunEvents();
  private readonly source: ToolSource;

  constructor(source: ToolSource, options: EngineOptions, groups: JobGroups | null) {
    refuseInJob();
    this.source = source;
    const settings = settingsOf(options);
    this.settings = settings;
    this.node = nodeProgram(options.nodePath);
    this.slots = createSlots(settings.concurrency, settings.maxQueuedRuns, () => this.shares.redivide());
    this.shares = createShares(settings.cores, settings.concurrency, () => this.slots.demand);
    this.housekeeping = removeStaleWorkFolders(settings.tempDir);
    this.pool = new ProcessPool({
      ...settings,
      node: this.node,
      confinement: options.confinement ?? wantedConfinement(),
      groups,
      preloadUrls: source.preloadUrls,
      runModuleUrls: source.tools.map(({ id }) => source.runModuleUrl(id)),
    });
    this.rememberHash = createHashKeeper(settings.modelsDir);
  }

  /** See `Engine.on`. */
  readonly on = this.events.on;

  // Bound, as `close`: callers may take it out of the engine.
  readonly run = (
    toolId: string,
    inputs: RunInputs,
    options?: object,
    control: InnerRunOptions = {},
  ): StartedRun<ToolRun<string>> => {
    const sources = adoptSources(inputs);
    const feed = new ProgressFeed(control.onProgress);
    const promise = this.closing.signal.aborted
      ? Promise.reject(new EarshotError('conflict', 'The engine is closed', { nextAction: 'Create another engine.' }))
      : this.start(toolId, inputs, sources, options ?? {}, { ...control, onProgress: feed.report });
    this.active.add(promise);
    const forget = (): void => {
      this.active.delete(promise);
      abandonAll(sources);
    };
    promise.then(forget, forget);
    return Object.assign(promise, { [Symbol.asyncIterator]: () => feed.until(promise) });
  };

  async stream(
    toolId: string,
    inputs: RunInputs,
    options?: object,
    control?: StreamOptions,
  ): Promise<StreamedRun<string>> {
    const { outputs, ...done } = await this.run(toolId, inputs, options, control);
    return { ...done, outputs: await openOutputs(outputs) };
  }

  async samples(
    toolId: string,
    inputs: RunInputs,
    options?: object,
    control?: StreamOptions,
  ): Promise<SampledRun<string>> {
    const isAsked = askedFormat((options ?? {}) as Readonly<Record<string, unknown>>) !== null;
    const form = isAsked ? {} : { form: 'working' as const };
    const { outputs, ...done } = await this.run(toolId, inputs, options, { ...form, ...control });
    // Loaded when it is asked for: it decodes in this process.
    const { sampleOutputs } = await import('../files/output-samples.ts');
    return { ...done, ...(await sampleOutputs(outputs, control?.signal)) };
  }

  readonly close = async (): Promise<void> => {
    this.closing.abort(new AbortError('The engine was closed'));
    await Promise.allSettled([...this.active, this.housekeeping, this.pool.close()]);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private async start(
    toolId: string,
    inputs: RunInputs,
    sources: readonly ByteSource[],
    options: object,
    control: InnerRunOptions,
  ): Promise<ToolRun<string>> {
    const tool = requireTool(toolId, this.source.tools);
    const signal = control.signal ? AbortSignal.any([control.signal, this.closing.signal]) : this.closing.signal;
    throwIfAborted(signal);
    const formats = chosenFormats(tool.formats ?? [], control);
    if (control.windowSeconds !== undefined) requireAtLeast('windowSeconds', control.windowSeconds, 0.001, false);
    if (control.maxSeconds !== undefined) requireAtLeast('maxSeconds', control.maxSeconds, 0.001, false);
    if (control.maxOutputBytes !== undefined) requireAtLeast('maxOutputBytes', control.maxOutputBytes, 1, false);
    soundChoice(control);
    const call = { tool, options: tool.parseOptions(options), formats, control, signal };
    const teller = this.events.queued(tool.id);
    const done = this.admit({ ...call, teller }, inputs, sources).then((admitted) => this.execute(admitted));
    teller.ended(done);
    return done;
  }

  /** Checks the files, sets streams aside and waits for a slot. */
  private async admit(call: RunCall, inputs: RunInputs, sources: readonly ByteSource[]): Promise<AdmittedRun> {
    const { signal, control } = call;
    const { tempDir, maxSpooledBytes } = this.settings;
    const leaving = new AbortController();
    control.onProgress?.({ progress: 0, stage: 'queued', estimatedSecondsLeft: null });
    const queue = (): Promise<() => void> => this.slots.acquire(AbortSignal.any([signal, leaving.signal]));
    // Runs queue before anything is awaited, so that they start in the order of the calls. Only streams come first:
    // their senders may not wait, and a slow one must not hold a slot.
    const queued = sources.length === 0 ? queue() : null;
    queued?.catch(() => undefined);
    const leave = (thrown: unknown): never => {
      leaving.abort();
      void queued?.then(
        (releaseUnused) => releaseUnused(),
        () => undefined,
      );
      throw thrown;
    };
    const { resolved, destination } = await checkFiles(call, inputs).catch(leave);
    const spooled = await spoolInputs(resolved, tempDir, maxSpooledBytes, signal).catch(leave);
    const releaseSlot = await (queued ?? queue()).catch(async (thrown: unknown) => {
      await spooled.remove();
      throw thrown;
    });
    return { ...call, resolved, destination, spooled, releaseSlot };
  }

  private async execute(run: AdmittedRun): Promise<ToolRun<string>> {
    const { tool, options, control, signal, teller, resolved, destination, spooled } = run;
    const { tempDir } = this.settings;
    teller.started();
    let lease: Lease | undefined;
    let succeeded = false;
    try {
      throwIfAborted(signal);
      const parallelism = this.shares.share;
      const meter = createRunMeter(passWeights(tool.passes ?? {}, namesOf(resolved)[0] ?? '', options));
      const window = control.windowSeconds === undefined ? null : windowOf(tool, options, control.windowSeconds);
      lease = await this.pool.acquire({
        // Inside the destination, so that publishing is a rename and never a copy.
        parent: destination && !destination.intoStream ? destination.outputDir : tempDir,
        inputs: withModel(spooled.inputs, control.form),
        owner: control.owner === undefined ? '' : control.owner,
        toolId: tool.id,
      });
      const { warnings, warn } = collectWarnings((warning) => {
        teller.warning(warning);
        control.onWarning?.(warning);
      });
      const done = await this.runIn(lease, run, parallelism, meter, window, warn);
      const published = await this.publishOutputs(run, done.outputs, workPartOf(lease.folder));
      const outputs = published.map((output) => ({ ...output, durationSeconds: roundTime(output.durationSeconds) }));
      const misnamed = destination?.output && outputs[0] && extensionWarning(destination.output, outputs[0].format);
      if (misnamed) warn(misnamed);
      control.onProgress?.(meter.finish('done'));
      succeeded = true;
      const { result, processedSeconds } = done;
      return {
        tool: tool.id,
        outputs,
        result: withRoundTimes(result),
        warnings,
        processedSeconds: roundTime(processedSeconds),
      };
    } finally {
      this.pool.prepare();
      // A run has succeeded, so this is a working Node.
      if (succeeded) compileAhead(this.source.compiledUrls ?? [], this.node);
      await Promise.all([lease?.release(succeeded), spooled.remove()]);
      run.releaseSlot();
    }
  }

  private runIn(
    lease: Lease,
    { tool, options, control, signal }: AdmittedRun,
    parallelism: number,
    meter: RunMeter,
    window: JobWindow | null,
    warn: (warning: Warning) => void,
  ): Promise<ProcessResult> {
    const { maxJobMemoryBytes, maxJobSeconds, cores, modelsDir } = this.settings;
    const { folder, reusable } = lease;
    const { inputs, form } = splitModel(lease.inputs, control.form);
    const request: ProcessRequest = {
      toolId: tool.id,
      runModuleUrl: this.source.runModuleUrl(tool.id),
      inputs,
      inputShapes: shapesOf(tool.inputs),
      options,
      folder,
      workDir: workPartOf(folder),
      parallelism,
      cores,
      // Threads are planned with what is free now.
      memoryBytes: Math.min(maxJobMemoryBytes, freeMemoryBytes()),
      maxFileBytes: control.maxOutputBytes ?? null,
      reusable,
      modelsDir,
      wantsPartials: control.onPartial !== undefined,
      finishedParts: keptParts(control),
      window,
      passage: control.passage ?? null,
      sound: soundChoice(control),
      form,
      ...(control.knownVoices === undefined ? {} : { knownVoices: control.knownVoices }),
      ...(control.voiceReferences === undefined ? {} : { voiceReferences: control.voiceReferences }),
    };
    const report = (progress: Progress): void => control.onProgress?.(progress);
    const listeners: JobListeners = {
      onFraction: (fraction, stage) => report(meter.report(fraction, stage)),
      onPass: (pass) => report(meter.begin(pass)),
      onWarning: warn,
      onPartial: (part) => control.onPartial?.(part),
      onFinishedPart: handOver(control),
      onUnremembered: this.rememberHash,
    };
    const limits: JobLimits = {
      maxJobMemoryBytes,
      maxJobSeconds: Math.min(maxJobSeconds, control.maxSeconds ?? Infinity),
      maxOutputBytes: control.maxOutputBytes ?? Infinity,
    };
    const done = runJob(lease.process, request, limits, signal, listeners, reusable);
    const leave = this.shares.follow(parallelism, (share) => lease.process.send({ type: 'cores', parallelism: share }));
    return done.finally(leave);
  }

  /** Names the outputs and moves them to the destination, or into a fresh folder. */
  private async publishOutputs(
    { tool, formats, control, signal, resolved, destination }: AdmittedRun,
    outputs: ProcessResult['outputs'],
    workDir: string,
  ): Promise<OutputFile[]> {
    const { tempDir } = this.settings;
    const names = namesOf(resolved);
    const named = outputs.map((output) => ({
      ...output,
      filename: outputFilename(tool, basename(output.filename), names),
    }));
    const chosen = formats === null ? named : inFormats(named, formats, tool.formats ?? [], control.output);
    const target = destination ?? {
      outputDir: chosen.length === 0 ? tempDir : await mkdtemp(join(tempDir, 'earshot-')),
    };
    return publish(chosen, workDir, target, pathsOf(resolved), signal).catch(async (thrown: unknown) => {
      if (!destination && chosen.length > 0) await rm(target.outputDir, { recursive: true, force: true });
      throw thrown;
    });
  }
}

/** Reports each warning once: a file that is written in several passes raises the same one several times. */
function collectWarnings(onWarning: (warning: Warning) => void): {
  warnings: Warning[];
  warn: (warning: Warning) => void;
} {
  const warnings: Warning[] = [];
  return {
    warnings,
    warn(warning) {
      if (warnings.length >= maxWarnings) return;
      if (warnings.some(({ code, message }) => code === warning.code && message === warning.message)) return;
      warnings.push(warning);
      onWarning(warning);
    },
  };
}

/** Refuses what it can before the run waits for its turn. */
async function checkFiles(
  { tool, options, formats, control }: RunCall,
  inputs: RunInputs,
): Promise<Pick<AdmittedRun, 'resolved' | 'destination'>> {
  const resolved = await resolveInputs(tool, inputs);
  throwIfRefused(tool.refuse?.(resolved, options) ?? []);
  const { nameOutput, overwrite } = control;
  const destination = await prepareDestination(
    { output: absolute(control.output), outputDir: absolute(control.outputDir), nameOutput, overwrite },
    pathsOf(resolved),
    expectedNames(tool, namesOf(resolved), options, formats),
  );
  return { resolved, destination };
}

type Inputs = FilesByField<InputFile | PendingInput>;

/** What outputs are named after. */
const namesOf = (inputs: Inputs): string[] =>
  Object.values(inputs)
    .flat()
    .map(({ name }) => name);

/** Where the inputs lie that are files of the caller. */
const pathsOf = (inputs: Inputs): string[] =>
  Object.values(inputs)
    .flat()
    .flatMap((input) => ('path' in input ? [input.path] : []));

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}
