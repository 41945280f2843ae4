/**
 * The entry of a job process: waits for one job, runs it, tells the engine, and is then killed by it.
 * A native crash, a leak or an endless loop in here costs this one job and nothing else.
 */
import { Worker } from 'node:worker_threads';
import { AbortError, isAbortError } from '../core/abort.ts';
import { EarshotError } from '../core/errors.ts';
import { shapeInputs } from '../contract/tool-inputs.ts';
import type { RunContext, RunModule } from '../tools/declare/run.ts';
import { createFanOut } from './fan-out.ts';
import { describeOutput } from './media-record.ts';
import { runningExtension, type FromJob, type ProcessRequest, type ToJob } from './protocol.ts';
import { applyWindow } from './window.ts';

const progressIntervalMilliseconds = 100;
const abort = new AbortController();
let workDir: string | undefined;

// Ctrl-C reaches the whole terminal group; only the engine decides what becomes of a job.
process.on('SIGINT', () => undefined);

/** The engine's end is the job's end, even while this thread is deep in a native loop: so another thread watches. */
const watch = new Worker(new URL(`./parent-watch${runningExtension}`, import.meta.url), {
  workerData: { parentPid: process.ppid, reportMemory: process.platform !== 'linux' },
});
watch.on('error', () => undefined);
watch.unref();
process.once('disconnect', () => watch.postMessage({ type: 'parent-gone' }));

function send(message: FromJob, after?: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => after?.());
}

/** An error keeps its code and its details, unless they hold what no message can carry. */
function sendFailure(thrown: unknown, after?: () => void): void {
  const error = EarshotError.from(thrown).toJSON();
  const stack = thrown instanceof Error ? thrown.stack : undefined;
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

// Also unhandled rejections, which Node raises as uncaught exceptions.
process.on('uncaughtException', (thrown) => {
  sendFailure(thrown, () => process.exit(1));
});

function createProgress(): RunContext['progress'] {
  let sentAt = -Infinity;
  let sentStage = '';
  return (fraction, stage) => {
    const now = performance.now();
    if (now - sentAt < progressIntervalMilliseconds && stage === sentStage) return;
    sentAt = now;
    sentStage = stage;
    send({ type: 'progress', fraction, stage });
  };
}

async function start(request: ProcessRequest): Promise<void> {
  workDir = request.workDir;
  watch.postMessage({ type: 'work-folder', workDir });
  const whole = { inputs: request.inputs, options: request.options };
  const context: Omit<RunContext, 'inputs' | 'options'> = {
    workDir,
    signal: abort.signal,
    parallelism: request.parallelism,
    memoryBytes: request.memoryBytes,
    modelsDir: request.modelsDir,
    progress: createProgress(),
    warn: (warning) => send({ type: 'warning', warning }),
    partial: (part) => {
      if (request.wantsPartials) send({ type: 'partial', part });
    },
    fanOut: createFanOut(request.parallelism, abort.signal),
  };
  try {
    const { run } = (await import(request.runModuleUrl)) as RunModule;
    const { inputs, options, cut } =
      request.window === null
        ? { ...whole, cut: false }
        : await applyWindow(whole, request.window, request.workDir, abort.signal);
    const shaped = shapeInputs(request.inputShapes, inputs);
    const result = await run({ ...context, inputs: shaped, options: Object.freeze(options) });
    // Sound is cut at a packet's edge, which may lie a few hundredths of a second behind the window's.
    const processedSeconds =
      cut && request.window !== null
        ? Math.min(result.processedSeconds, request.window.seconds)
        : result.processedSeconds;
    const outputs = await Promise.all(
      result.outputs.map(async (output) => ({ ...output, ...(await describeOutput(output)) })),
    );
    send({ type: 'done', result: { ...result, outputs, processedSeconds } });
  } catch (thrown) {
    if (abort.signal.aborted || isAbortError(thrown)) send({ type: 'aborted' });
    else sendFailure(thrown);
  }
}

process.on('message', (message: ToJob) => {
  switch (message.type) {
    case 'preload':
      // A module that does not load will say so again when the job needs it.
      for (const url of message.moduleUrls) void import(url).catch(() => undefined);
      break;
    case 'start':
      void start(message.request);
      break;
    case 'abort':
      abort.abort(new AbortError());
      break;
  }
});
