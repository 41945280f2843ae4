import { isAbortError } from '../core/abort.ts';
import { EarshotError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Progress } from '../core/progress.ts';
import type { ToolId } from '../contract/tool-ids.ts';
import type { InputRole } from '../tools/define.ts';
import { createEngine, createEngineWith, type Runnable, type ToolSource } from './engine.ts';
import { runningExtension } from './protocol.ts';
import type { Checked } from './tasks/check.ts';
import type { WrittenPeaks } from './tasks/peaks.ts';
import type { OutputFile } from './work-folder.ts';

export interface MediaWorkOptions {
  /** Jobs at the same time. */
  readonly jobSlots: number;
  /** Of one job with everything it started; also of a check. */
  readonly maxJobMemoryBytes: number;
  readonly maxJobSeconds: number;
  /** For work in progress that has no folder of its own. Exists. */
  readonly workDir: string;
  /** null: the models' own default place. */
  readonly modelsDir: string | null;
}

export interface RunRequest {
  readonly tool: ToolId;
  /** By input field, in order, with the names that people gave the files. */
  readonly inputs: Readonly<Record<string, readonly { readonly path: string; readonly filename: string }[]>>;
  readonly options: JsonObject;
  readonly windowSeconds: number | null;
  readonly outputDir: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface RunOutcome {
  readonly outputs: readonly OutputFile[];
  readonly result: JsonObject;
  readonly processedSeconds: number;
}

/** The service's work on media; fits its port of the same name. Nothing here runs in the calling process. */
export interface MediaWork {
  run(request: RunRequest): Promise<RunOutcome>;
  check(path: string, filename: string, contentType: string, signal: AbortSignal): Promise<Checked>;
  peaks(path: string, outputPath: string, signal: AbortSignal): Promise<WrittenPeaks | null>;
  close(): Promise<void>;
}

/** Uploads are looked at beside the jobs, never behind them: two at a time, so that one huge file holds nobody up. */
const checksAtOnce = 2;
const maxCheckSeconds = 300;

/** Whoever asks for a status must not wait for the cores that jobs keep busy; drawings wait for both. */
const jobNiceness = 10;
const drawingNiceness = 15;

const anyFile: InputRole = {
  kind: 'media',
  title: 'File',
  min: 1,
  max: 1,
  minGiven: 1,
  multiple: false,
  needs: 'any',
  extensions: [],
  maxBytes: null,
};
const task = (id: string): Runnable => ({ id, slug: id, inputs: { file: anyFile }, parseOptions: () => ({}) });

/** Work that is no tool: people never see it. */
const tasks: ToolSource = {
  tools: [task('check'), task('peaks')],
  runModuleUrl: (id) => new URL(`./tasks/${id}${runningExtension}`, import.meta.url).href,
  preloadUrls: [new URL(`./tasks/check${runningExtension}`, import.meta.url).href],
};

/** How a parser that a file has broken ends. A process that is killed from outside says nothing about the file. */
const crashSignals: readonly unknown[] = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGTRAP'];

/** What a failed check says about the file; null when it says nothing. */
function badFile({ code, message, details }: EarshotError): Checked | null {
  if (details?.['crashed'] === true && crashSignals.includes(details['signal']))
    return {
      ok: false,
      error: { code: 'file_invalid', message: 'The file is damaged in a way that makes it unreadable' },
    };
  return code === 'limit_exceeded'
    ? { ok: false, error: { code: 'file_invalid', message: `The file cannot be looked at: ${message}` } }
    : null;
}

const unknownContentType = 'application/octet-stream';

/** What the sender says of a medium that has no usual content type. */
const trusted = (contentType: string): boolean => /^(audio|video)\/[\w.+-]+$/.test(contentType);

/**
 * Three lanes of job processes: tools in `jobSlots` places, checks of uploads beside them, waveforms one at a time.
 * A process for the next tool and one for the next check are kept ready.
 */
export function createMediaWork(options: MediaWorkOptions): MediaWork {
  const { jobSlots, maxJobMemoryBytes, maxJobSeconds, workDir: tempDir, modelsDir } = options;
  const shared = { tempDir, maxJobMemoryBytes, ...(modelsDir === null ? {} : { modelsDir }) };
  const jobs = createEngine({ ...shared, concurrency: jobSlots, maxJobSeconds, prefork: true, niceness: jobNiceness });
  const checks = createEngineWith(tasks, {
    ...shared,
    concurrency: checksAtOnce,
    maxJobSeconds: Math.min(maxJobSeconds, maxCheckSeconds),
    prefork: true,
  });
  const drawings = createEngineWith(tasks, { ...shared, concurrency: 1, maxJobSeconds, niceness: drawingNiceness });

  return {
    async run({ tool, inputs, options: toolOptions, windowSeconds, outputDir, signal, onProgress }) {
      const named = Object.entries(inputs).map(
        ([field, files]) => [field, files.map(({ path, filename }) => ({ path, name: filename }))] as const,
      );
      const control = { outputDir, signal, onProgress, ...(windowSeconds === null ? {} : { windowSeconds }) };
      const { outputs, result, processedSeconds } = await jobs.run<string>(
        tool,
        Object.fromEntries(named),
        toolOptions,
        control,
      );
      return { outputs, result, processedSeconds };
    },
    async check(path, filename, contentType, signal) {
      try {
        const { result } = await checks.run<string>('check', { file: [{ path, name: filename }] }, {}, { signal });
        const checked = result['checked'] as unknown as Checked;
        return checked.ok && checked.contentType === unknownContentType && trusted(contentType)
          ? { ...checked, contentType }
          : checked;
      } catch (thrown) {
        if (isAbortError(thrown)) throw thrown;
        const error = EarshotError.from(thrown);
        const bad = badFile(error);
        if (bad) return bad;
        throw error;
      }
    },
    async peaks(path, outputPath, signal) {
      const { result } = await drawings.run<string>('peaks', { file: [path] }, {}, { signal, output: outputPath });
      return result['peaks'] as unknown as WrittenPeaks | null;
    },
    async close() {
      await Promise.all([jobs.close(), checks.close(), drawings.close()]);
    },
  };
}
