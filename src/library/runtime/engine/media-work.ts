import { stat } from 'node:fs/promises';
import { isAbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { metBound } from '../../core/machine/run-bounds.ts';
import type { CheckOutcome, FilePeaks, MediaWork, ToolRunRequest } from '../../contract/media-work.ts';
import type { LikeForm } from '../../media/write/written-form.ts';
import type { JobGroups } from '../confine/job-groups.ts';
import { createEngineWith, publicTools } from './engine.ts';
import type { Runnable, ToolSource, UntypedEngine } from './engine-types.ts';
import type { AnyTool } from '../../tools/declare/define.ts';
import { splitPassage } from '../../contract/passage-order.ts';
import { splitSoundTrack } from '../../tools/declare/sound-track.ts';
import { tools } from '../../tools/registry.ts';
import { taskInputs } from '../job/task-context.ts';
import { checkVoicePrint } from '../../contract/voice-print.ts';
import { moduleUrl } from '../../core/running-files.ts';

export interface MediaWorkOptions {
  /** Cores that jobs share; default: see `EngineOptions.cores`. */
  readonly cores?: number;
  /** Control groups for job processes; default: none. */
  readonly groups?: JobGroups | null;
  /** Jobs at the same time. */
  readonly jobSlots: number;
  /** Of one job with all its processes; also of a check. */
  readonly maxJobMemoryBytes: number;
  readonly maxJobSeconds: number;
  /** For work in progress without a folder of its own. Exists. */
  readonly workDir: string;
  /** null: the models' own default place. */
  readonly modelsDir: string | null;
  /**
   * Reads a job's options, which the interface that took it may have allowed more than the tool does.
   * Default: `tool.parseOptions`
   */
  readonly parseOptions?: (tool: AnyTool, options: unknown) => Readonly<Record<string, unknown>>;
  /** See `EngineOptions.runsPerProcess`; also for checks. Default 1. */
  readonly runsPerProcess?: number;
}

/** Uploads are checked in parallel with jobs: two at a time, so that one huge file does not delay the others. */
const checksAtOnce = 2;
/** Time limit of a check; more is added for the file's size, since all its packets are read. */
const checkSeconds = 30;
const checkBytesPerSecond = 32 * 2 ** 20;
const maxCheckSeconds = 300;

/**
 * Status requests must not wait for cores that jobs keep busy. A user looks at an empty canvas while a waveform is
 * made, so waveforms have a lower priority than the API and a higher one than jobs.
 */
const jobNiceness = 10;
const drawingNiceness = 5;

const task = (id: string): Runnable => ({
  id,
  slug: id,
  inputs: taskInputs,
  parseOptions: (given) => given as Readonly<Record<string, unknown>>,
});

/** The service's own work, not public tools. */
const tasks: ToolSource = {
  tools: [task('check'), task('peaks'), task('voice-print')],
  runModuleUrl: (id) => moduleUrl(`library/runtime/job/tasks/${id}`),
  preloadUrls: [moduleUrl('library/runtime/job/tasks/check')],
};

const jobTools = (parseOptions: NonNullable<MediaWorkOptions['parseOptions']>): ToolSource => ({
  ...publicTools,
  tools: tools.map((tool) => ({ ...tool, parseOptions: (options: unknown) => parseOptions(tool, options) })),
});

/** Signals by which a parser crashes on a broken file. A kill from outside says nothing about the file. */
const crashSignals: readonly unknown[] = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGTRAP'];

/** What a failed check says about the file; null: nothing. */
function badFile({ code, message, details }: EarshotError): CheckOutcome | null {
  if (details?.['crashed'] === true && crashSignals.includes(details['signal']))
    return {
      ok: false,
      error: { code: 'file_invalid', message: 'The file is damaged and cannot be read' },
    };
  if (code !== 'limit_exceeded') return null;
  const met = metBound({ code, details });
  const why = met === null ? message : `the check needed more than its limit of ${met.amount}`;
  return { ok: false, error: { code: 'file_invalid', message: `The file cannot be checked: ${why}` } };
}

const unknownContentType = 'application/octet-stream';

/** Accepts the sender's content type for media without a usual one. */
const trusted = (contentType: string): boolean => /^(audio|video)\/[\w.+-]+$/.test(contentType);

const formOf = (form: NonNullable<ToolRunRequest['form']>): 'working' | LikeForm =>
  form === 'working' ? form : { like: form.like.path, name: form.like.name, format: form.format };

/** Runs a job's tool on its files. */
async function runTool(jobs: UntypedEngine, request: Parameters<MediaWork['run']>[0]): ReturnType<MediaWork['run']> {
  const { tool, inputs, windowSeconds, maxOutputBytes, maxSeconds, form, formats } = request;
  const { soundTrack, options: other } = splitSoundTrack(request.options);
  const { passage, options: toolOptions } = splitPassage(other);
  const { outputDir, signal, onProgress, owner = null, finishedParts, onFinishedPart, onPartial } = request;
  const control = {
    outputDir,
    signal,
    onProgress,
    owner,
    ...(windowSeconds === null ? {} : { windowSeconds }),
    ...(form === undefined ? {} : { form: formOf(form) }),
    ...(formats === undefined ? {} : { formats }),
    ...(soundTrack === undefined ? {} : { soundTrack }),
    ...(passage === undefined ? {} : { passage }),
    ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
    ...(maxSeconds === undefined ? {} : { maxSeconds }),
    ...(finishedParts === undefined ? {} : { finishedParts }),
    ...(request.knownVoices === undefined ? {} : { knownVoices: request.knownVoices }),
    ...(request.voiceReferences === undefined ? {} : { voiceReferences: request.voiceReferences }),
    ...(onFinishedPart === undefined ? {} : { onFinishedPart }),
    ...(onPartial === undefined ? {} : { onPartial }),
  };
  const { outputs, result, processedSeconds, warnings } = await jobs.run(tool, inputs, toolOptions, control);
  return { outputs, result, processedSeconds, warnings };
}

/**
 * The service's work on media, none of it in the calling process. Three queues of job processes: tools in `jobSlots`
 * slots, checks of uploads beside them, waveforms one at a time. A process for the next tool and one for the next check
 * are kept ready.
 */
export function createMediaWork(options: MediaWorkOptions): MediaWork {
  const {
    jobSlots,
    maxJobMemoryBytes,
    maxJobSeconds,
    workDir: tempDir,
    modelsDir,
    runsPerProcess = 1,
    groups = null,
  } = options;
  const shared = {
    ...(options.cores === undefined ? {} : { cores: options.cores }),
    tempDir,
    maxJobMemoryBytes,
    ...(modelsDir === null ? {} : { modelsDir }),
  };
  const jobs = createEngineWith(
    options.parseOptions === undefined ? publicTools : jobTools(options.parseOptions),
    {
      ...shared,
      concurrency: jobSlots,
      maxJobSeconds,
      runsPerProcess,
      prefork: true,
      niceness: jobNiceness,
    },
    groups,
  );
  const checks = createEngineWith(
    tasks,
    {
      ...shared,
      concurrency: checksAtOnce,
      maxJobSeconds: Math.min(maxJobSeconds, maxCheckSeconds),
      runsPerProcess,
      prefork: true,
    },
    groups,
  );
  const drawings = createEngineWith(
    tasks,
    { ...shared, concurrency: 1, maxJobSeconds, niceness: drawingNiceness },
    groups,
  );

  return {
    run: (request) => runTool(jobs, request),
    async check(path, filename, contentType, signal, owner = null) {
      try {
        // The run itself reports a missing file.
        const size = await stat(path).then(
          (found) => found.size,
          () => 0,
        );
        const maxSeconds = checkSeconds + size / checkBytesPerSecond;
        const control = { signal, owner, maxSeconds };
        const { result } = await checks.run('check', { file: [{ path, name: filename }] }, {}, control);
        const checked = result['checked'] as unknown as CheckOutcome;
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
      const { result } = await drawings.run('peaks', { file: [path] }, {}, { signal, output: outputPath });
      return result['peaks'] as unknown as FilePeaks | null;
    },
    async voicePrint(path, filename, ranges, signal, owner = null) {
      const input = { file: [{ path, name: filename }] };
      const { result } = await drawings.run('voice-print', input, ranges === null ? {} : { ranges }, { signal, owner });
      return checkVoicePrint(result['print']);
    },
    async close() {
      await Promise.all([jobs.close(), checks.close(), drawings.close()]);
    },
  };
}
