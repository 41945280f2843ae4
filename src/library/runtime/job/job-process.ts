/**
 * The entry of a job process: waits for a job, runs it and reports to the engine, which then kills the process or gives
 * it another job of the same owner. A native crash, a leak or an endless loop costs this one job and nothing else.
 */
import { Socket } from 'node:net';
import { AbortError, isAbortError } from '../../core/abort.ts';
import { leaveInterruptsToStarter } from '../../core/machine/child-processes.ts';
import { isFileTooLong } from '../../core/errors/disk-full.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { type FinishedParts, noFinishedParts } from '../../core/progress/finished-parts.ts';
import { nativeProcesses } from '../../kernels/processes.ts';
import { shapeInputs } from '../../contract/tool-inputs.ts';
import type { RunContext, RunModule, RunResult } from '../../tools/declare/run.ts';
import { onUnremembered } from '../../models/remembered-hashes.ts';
import { replaceCompiled } from '../process/compile-cache.ts';
import { createFanOut, type RunFanOut } from './fan-out.ts';
import { type LineChannel, openLineChannel } from '../channel/line-channel.ts';
import { describeOutput } from './media-record.ts';
import { outputExceeded } from './limit-errors.ts';
import { shortened } from '../channel/messages.ts';
import { type ParentWatch, watchParent } from '../process/parent-watch.ts';
import {
  addsFilter,
  channelFd,
  compileOnly,
  type FromJob,
  type ProcessRequest,
  type ToJob,
} from '../channel/protocol.ts';
import { applyWindow } from './window.ts';

const progressIntervalMilliseconds = 100;
/** Of the current run. */
let current: AbortController | undefined;
let currentFanOut: RunFanOut | undefined;

let channel: LineChannel | undefined;
let watch: ParentWatch | undefined;

function send(message: FromJob, after?: () => void): void {
  channel?.send(message, after);
}

/** An error keeps its code, and its details if they can be serialized. */
function sendFailure(thrown: unknown, after?: () => void): void {
  const whole = EarshotError.from(thrown).toJSON();
  const error = { ...whole, message: shortened(whole.message), nextAction: shortened(whole.nextAction) };
  const stack = thrown instanceof Error && thrown.stack !== undefined ? shortened(thrown.stack) : undefined;
  try {
    send({ type: 'failed', error, stack }, after);
  } catch {
    const { code, message, retryable, nextAction } = error;
    send(
      {
        type: 'failed',
        error: {
          code,
          message,
          retryable,
          nextAction,
          details: { dropped: 'the details cannot cross a process border' },
        },
        stack,
      },
      after,
    );
  }
}

function createProgress(say: typeof send): Pick<RunContext, 'progress' | 'pass'> {
  let sentAt = -Infinity;
  let sentStage = '';
  let pass = 0;
  const progress = (fraction: number, stage: string): void => {
    const now = performance.now();
    if (now - sentAt < progressIntervalMilliseconds && stage === sentStage) return;
    sentAt = now;
    sentStage = stage;
    say({ type: 'progress', fraction, stage });
  };
  return {
    progress,
    pass(stage, after = [], maybe = []) {
      pass += 1;
      const own = pass;
      say({ type: 'pass', stage, after, maybe });
      sentStage = stage;
      // A pass that is over reports no progress for the next one.
      return (fraction) => {
        if (own === pass) progress(fraction, stage);
      };
    },
  };
}

function finishedIn({ finishedParts }: ProcessRequest, add: FinishedParts['add']): FinishedParts {
  if (finishedParts === null) return noFinishedParts;
  const known = new Map(finishedParts.map(({ key, value }) => [key, value]));
  return { get: (key) => known.get(key), add };
}

async function start(request: ProcessRequest): Promise<void> {
  const { workDir } = request;
  const abort = new AbortController();
  current = abort;
  /** Late messages of a run that has ended are dropped. */
  const say = (message: FromJob): void => {
    if (current === abort) send(message);
  };
  watch?.setWorkFolder(request.folder);
  limitFiles(request);
  completeFilters();
  const fanOut = (currentFanOut = createFanOut(request.parallelism, abort.signal, {
    memoryBytes: request.memoryBytes,
    mostThreads: request.cores,
  }));
  const whole = { inputs: request.inputs, options: request.options };
  const context: Omit<RunContext, 'inputs' | 'options'> = {
    workDir,
    signal: abort.signal,
    parallelism: request.parallelism,
    modelsDir: request.modelsDir,
    ...(request.knownVoices === undefined ? {} : { knownVoices: request.knownVoices }),
    ...(request.voiceReferences === undefined ? {} : { voiceReferences: request.voiceReferences }),
    ...createProgress(say),
    warn: ({ code, message }) => say({ type: 'warning', warning: { code, message: shortened(message) } }),
    partial: (part) => {
      if (request.wantsPartials) say({ type: 'partial', part });
    },
    finished: finishedIn(request, (part) => say({ type: 'finished', part })),
    fanOut,
  };
  try {
    const { run } = (await import(request.runModuleUrl)) as RunModule;
    await chooseSounds(request.sound, whole.inputs, true);
    await chooseForm(request.form);
    const { inputs, options, cut } =
      request.window === null
        ? { ...whole, cut: false }
        : await applyWindow(whole, request.window, request.workDir, abort.signal);
    if (cut) await chooseSounds(request.sound, inputs, false);
    const runOn = (given: typeof whole): Promise<RunResult> => {
      const shaped = shapeInputs(request.inputShapes, given.inputs);
      return run({ ...context, inputs: shaped, options: Object.freeze(given.options) });
    };
    const result = request.passage === null ? await runOn({ inputs, options }) : await passageOf(request, abort, runOn);
    // Sound is cut at the edge of a packet, which may be a few hundredths of a second beyond the window.
    const processedSeconds =
      cut && request.window !== null
        ? Math.min(result.processedSeconds, request.window.seconds)
        : result.processedSeconds;
    const outputs = await Promise.all(
      result.outputs.map(async (output) => {
        const { readBack: _, ...file } = output;
        return { ...file, ...(await describeOutput(output)) };
      }),
    );
    current = undefined;
    send({ type: 'done', result: { ...result, outputs, processedSeconds } });
  } catch (thrown) {
    current = undefined;
    if (abort.signal.aborted || isAbortError(thrown)) send({ type: 'aborted' });
    else
      sendFailure(
        request.maxFileBytes !== null && isFileTooLong(thrown) ? outputExceeded(request.maxFileBytes, null) : thrown,
      );
  }
}

/** Runs the tool on a passage of its only input. */
async function passageOf(
  { toolId, inputs, options, workDir, passage }: ProcessRequest,
  { signal }: AbortController,
  runOn: (given: Pick<ProcessRequest, 'inputs' | 'options'>) => Promise<RunResult>,
): Promise<RunResult> {
  const { runPassage } = await import('../previews/run-passage.ts');
  const [field = '', [input] = []] = Object.entries(inputs).find(([, files]) => files.length > 0) ?? [];
  if (passage === null || input === undefined) throw new TypeError('Expected a passage of an input');
  return runPassage(passage, {
    toolId,
    input,
    options,
    workDir,
    signal,
    run: (file, given) => runOn({ inputs: { ...inputs, [field]: [file] }, options: given }),
  });
}

/** Has an earlier run of this process chosen sound tracks? */
let soundsChosen = false;

async function chooseSounds(
  sound: ProcessRequest['sound'],
  inputs: ProcessRequest['inputs'],
  required: boolean,
): Promise<void> {
  if (sound === null && !soundsChosen) return;
  const { chooseSound, forgetSoundChoices } = await import('../../media/ffmpeg/sound-choice.ts');
  if (required) forgetSoundChoices();
  soundsChosen = sound !== null;
  if (sound === null) return;
  for (const { path } of Object.values(inputs).flat()) chooseSound(path, sound, required);
}

/** Has an earlier run of this process written in another form? */
let formChosen = false;

async function chooseForm(form: ProcessRequest['form']): Promise<void> {
  if (form === null && !formChosen) return;
  const { writeAs } = await import('../../media/write/written-form.ts');
  const { formLike } = await import('../../media/write/form-like.ts');
  writeAs(typeof form === 'object' && form !== null && 'like' in form ? formLike(form.like, form.format) : form);
  formChosen = form !== null;
}

/**
 * The host checks the folder's size only now and then; this limits each file meanwhile. Set before any untrusted file
 * is opened: code that runs later cannot lift it.
 */
function limitFiles({ maxFileBytes, reusable }: ProcessRequest): void {
  try {
    nativeProcesses().limitFileBytes(maxFileBytes === null ? undefined : Math.ceil(maxFileBytes), !reusable);
  } catch {
    // No addon: a tool that needs it will say so, and the host still watches the folder.
  }
}

let isFilterMissing = process.argv[2] === addsFilter;

/**
 * The launcher has to leave room for becoming Node. From here on no thread starts or becomes another program, whatever
 * the files that are opened next do to it.
 */
function completeFilters(): void {
  if (!isFilterMissing) return;
  isFilterMissing = false;
  nativeProcesses().addSecondFilter();
}

function receive(message: ToJob): void {
  switch (message.type) {
    case 'preload':
      // A module that fails to load reports it again when the job needs it.
      for (const url of message.moduleUrls) void import(url).catch(() => undefined);
      break;
    case 'start':
      void start(message.request);
      break;
    case 'cores':
      currentFanOut?.setCores(message.parallelism);
      break;
    case 'abort':
      current?.abort(new AbortError());
      break;
  }
}

function waitForJob(): void {
  // Ctrl-C reaches the whole terminal group; the engine alone ends jobs.
  leaveInterruptsToStarter();
  // Includes unhandled rejections, which Node raises as uncaught exceptions.
  process.on('uncaughtException', (thrown) => {
    sendFailure(thrown, () => process.exit(1));
  });
  onUnremembered((path) => send({ type: 'unremembered', path }));
  const stream = new Socket({ fd: channelFd, readable: true, writable: true });
  channel = openLineChannel(stream, Infinity, {
    onMessage: (message) => receive(message as ToJob),
    onGarbage: () => undefined,
  });
  // The job ends with the engine.
  watch = watchParent(stream);
  const runtime = ['bun', 'deno'].find((name) => name in process.versions) ?? 'node';
  send({ type: 'ready', runtime, version: process.versions[runtime] ?? '' });
}

const [role, folder, ...moduleUrls] = process.argv.slice(2);
if (role === compileOnly && folder !== undefined) {
  await Promise.allSettled(moduleUrls.map((url) => import(url)));
  const { warmUp } = await import('../process/warm-up.ts');
  await warmUp(start).catch(() => undefined);
  replaceCompiled(folder);
  process.exit();
}
waitForJob();
