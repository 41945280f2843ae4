// The engine on a page: a worker for each run.
import { AbortError, abortErrorOf, throwIfAborted } from '../../library/core/abort.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { JsonObject } from '../../library/core/json.ts';
import type { OnProgress, Warning } from '../../library/core/progress/progress.ts';
import type { ToolId, ToolIdOf, ToolName } from '../../library/contract/tool-ids.ts';
import { createSlots } from '../../library/runtime/engine/slots.ts';
import type { RunArguments } from '../../library/runtime/engine/engine-types.ts';
import type { ToolResultById } from '../../library/tools/results.ts';
import type { FromWorker, NamedBlob, Places, TabInputs, TabOutput, ToWorker } from '../messages.ts';
import { type TabModels, tabModels } from './models.ts';
import { holdPage, removeStale, removeStore, storeName } from './stores.ts';

/** A file of the page: as users choose it, or bytes with a name. */
export type TabInput = File | { readonly name: string; readonly data: Blob | ArrayBuffer | Uint8Array };

/** How much of the machine an engine may use, and where its files are. */
export interface TabEngineOptions {
  /** Runs at the same time, each in a worker of its own. At least 1. Default: half the cores, at most 4. */
  readonly concurrency?: number;
  /** Runs that may wait for a slot; one more is refused with limit_exceeded. Default 1000. */
  readonly maxQueuedRuns?: number;
  /** Makes a worker out of `earshot/browser/worker.js`. Default: the file beside this one. */
  readonly createWorker?: () => Worker;
  /** Address of `earshot.wasm`. Default: the file beside the worker. */
  readonly kernelsUrl?: string | URL;
  /** Address of `rnnoise.bin`, which is fetched by tools that take noise away. Default: the file beside the worker. */
  readonly rnnoiseUrl?: string | URL;
  /**
   * Address of a folder with the models that transcripts need, as docs/browser.md lists them. Tools fetch what they
   * need from there once; this browser keeps it. Default: none, and tools that need models are refused.
   */
  readonly models?: string | URL;
}

/** How one run is done. */
export interface TabRunOptions {
  /** Ends the run within half a second; its promise rejects with an AbortError. Default: nothing ends it. */
  readonly signal?: AbortSignal;
  /** Called at most about ten times a second; `progress` never falls. Default: none. */
  readonly onProgress?: OnProgress;
  /** Called for each warning as it comes up; the result holds all of them. Default: none. */
  readonly onWarning?: (warning: Warning) => void;
}

/** The result of a run; its files lie on the browser's disk until the page is gone, or in memory where it has none. */
export interface TabRun<Id extends string = ToolId> {
  /** The tool's public id. */
  readonly tool: Id;
  readonly outputs: readonly TabOutput[];
  /** The tool's answer, besides files. */
  readonly result: Id extends ToolId ? ToolResultById[Id] : JsonObject;
  readonly warnings: readonly Warning[];
  /** Seconds of the input that were processed. */
  readonly processedSeconds: number;
  /**
   * Removes the outputs from the browser's disk; their files cannot be read any more. Default: when the page is gone.
   */
  discard(): Promise<void>;
}

/** Runs tools on files of the page: nothing is uploaded. */
export interface TabEngine extends AsyncDisposable {
  /**
   * Runs one tool.
   * @param tool public id ("adjust_loudness") or slug ("loudness")
   * @param inputs a file, several in order, or files by input field
   * @param options the tool's options; default: its defaults
   * @throws EarshotError with a code of the catalogue; AbortError when the signal fired or the engine was closed
   */
  run<Name extends ToolName>(
    tool: Name,
    inputs: TabInput | readonly TabInput[] | Readonly<Record<string, TabInput | readonly TabInput[]>>,
    ...[options, control]: RunArguments<ToolIdOf<Name>, TabRunOptions>
  ): Promise<TabRun<ToolIdOf<Name>>>;
  /** What this browser keeps of models, for all pages of the origin. */
  readonly models: TabModels;
  /** Aborts all runs, also waiting ones, and resolves when they have ended. Later runs are refused. */
  close(): Promise<void>;
}

/** An aborted run may take so long to end by itself. */
const abortGraceMilliseconds = 300;
/** More would not be read. */
const maxWarnings = 100;
const mostWorkers = 4;

const isInput = (value: unknown): value is TabInput =>
  value instanceof Blob || (typeof value === 'object' && value !== null && 'data' in value && 'name' in value);

function named(input: TabInput): NamedBlob {
  if (input instanceof File) return { name: input.name, data: input };
  if (!isInput(input) || input instanceof Blob)
    throw new EarshotError('bad_request', 'Expected a File, or bytes with a name');
  const { name, data } = input;
  return { name, data: data instanceof Blob ? data : new Blob([data as ArrayBuffer]) };
}

function sent(inputs: unknown): TabInputs {
  if (isInput(inputs)) return named(inputs);
  if (Array.isArray(inputs)) return inputs.map((each: TabInput) => named(each));
  return Object.fromEntries(
    Object.entries((inputs ?? {}) as Readonly<Record<string, TabInput | readonly TabInput[] | undefined>>).flatMap(
      ([field, value]) =>
        value === undefined
          ? []
          : [[field, Array.isArray(value) ? value.map((each: TabInput) => named(each)) : named(value as TabInput)]],
    ),
  );
}

interface Order {
  readonly tool: string;
  readonly inputs: TabInputs;
  readonly options: object;
}

/** One run in a worker that is ended with it. */
function runInWorker(
  worker: Worker,
  order: Order,
  places: Places,
  signal: AbortSignal,
  { onProgress, onWarning }: TabRunOptions,
): Promise<TabRun<string>> {
  const store = storeName();
  let isKept = false;
  const warnings: Warning[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise<TabRun<string>>((resolve, reject) => {
    const send = (message: ToWorker): void => worker.postMessage(message);
    const onAbort = (): void => {
      send({ type: 'abort' });
      timer = setTimeout(() => reject(abortErrorOf(signal)), abortGraceMilliseconds);
    };
    const warn = (warning: Warning): void => {
      const isKnown = warnings.some(({ code, message }) => code === warning.code && message === warning.message);
      if (isKnown || warnings.length >= maxWarnings) return;
      warnings.push(warning);
      onWarning?.(warning);
    };
    const take = (message: FromWorker): void => {
      if (signal.aborted && message.type !== 'aborted') return;
      if (message.type === 'progress') onProgress?.(message.progress);
      else if (message.type === 'warning') warn(message.warning);
      else if (message.type === 'failed') reject(EarshotError.fromJSON(message.error));
      else if (message.type === 'aborted') reject(abortErrorOf(signal));
      else {
        isKept = message.run.outputs.length > 0;
        const result = message.run.result as JsonObject;
        resolve({ ...message.run, result, warnings, discard: () => removeStore(store) });
      }
    };
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      try {
        take(data);
      } catch (thrown) {
        // A listener that throws ends its run.
        reject(thrown);
      }
    });
    worker.addEventListener('error', ({ message }) =>
      reject(new EarshotError('internal_error', `The worker of ${order.tool} ended: ${message || 'it did not load'}`)),
    );
    signal.addEventListener('abort', onAbort, { once: true });
    send({ type: 'start', store, ...order, places });
  }).finally(() => {
    clearTimeout(timer);
    worker.terminate();
    if (!isKept) void removeStore(store);
  });
}

/**
 * An engine for a page. Everything runs in this browser: kernels as WebAssembly in workers, files in the origin's
 * private file system while a run needs them.
 */
export function createEngine(options: TabEngineOptions = {}): TabEngine {
  const cores = Math.max(1, Math.floor(navigator.hardwareConcurrency / 2));
  const { concurrency = Math.min(mostWorkers, cores), maxQueuedRuns = 1000 } = options;
  const slots = createSlots(concurrency, maxQueuedRuns);
  const places: Places = {
    // Written out, so that bundlers find the files.
    kernels: String(options.kernelsUrl ?? new URL('./browser/earshot.wasm', import.meta.url)),
    rnnoise: String(options.rnnoiseUrl ?? new URL('./browser/rnnoise.bin', import.meta.url)),
    // A worker resolves addresses from where it lies.
    models: options.models === undefined ? null : new URL(options.models, location.href).href,
  };
  const createWorker =
    options.createWorker ??
    (() => new Worker(new URL('./browser/worker.js', import.meta.url), { type: 'module', name: 'earshot' }));
  const closing = new AbortController();
  const active = new Set<Promise<unknown>>();
  void removeStale();
  const run = async (tool: string, inputs: unknown, given: object, control: TabRunOptions): Promise<TabRun<string>> => {
    const signal = control.signal ? AbortSignal.any([control.signal, closing.signal]) : closing.signal;
    throwIfAborted(signal);
    const order: Order = { tool, inputs: sent(inputs), options: given };
    control.onProgress?.({ progress: 0, stage: 'queued', estimatedSecondsLeft: null });
    await holdPage();
    const release = await slots.acquire(signal);
    try {
      return await runInWorker(createWorker(), order, places, signal, control);
    } finally {
      release();
    }
  };
  const close = async (): Promise<void> => {
    closing.abort(new AbortError('The engine was closed'));
    await Promise.allSettled(active);
  };
  const engine = {
    run(tool: string, inputs: unknown, given: object = {}, control: TabRunOptions = {}): Promise<TabRun<string>> {
      const promise = run(tool, inputs, given, control);
      active.add(promise);
      const forget = (): void => void active.delete(promise);
      promise.then(forget, forget);
      return promise;
    },
    models: tabModels(places.models),
    close,
    [Symbol.asyncDispose]: close,
  };
  return engine as unknown as TabEngine;
}
