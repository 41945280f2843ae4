import { isAbortError } from '../../../library/core/abort.ts';
import { EarshotError, type ErrorJson } from '../../../library/core/errors/errors.ts';
import { type MachineLack, lacking, machineLacks } from '../../../library/core/errors/machine-lacks.ts';
import { hashOf } from '../../rules/shared/hash-of.ts';
import type { Progress } from '../../../library/core/progress/progress.ts';
import type { MediaWork, ToolRunOutcome } from '../../../library/contract/media-work.ts';
import type { Log } from '../../rules/shared/log.ts';
import type { CheckedOutFile } from '../../rules/files/object-store.ts';
import type { RunnerOrder } from '../../rules/runners/order.ts';
import type { RunnerInput } from '../../rules/runners/input-links.ts';
import type { RunnerFile } from '../../rules/runners/runner-store.ts';
import type { DiskRoom } from '../../rules/worker/output-estimate.ts';
import { outputsOf } from '../../rules/worker/result-file.ts';
import type { RunFolders } from '../../rules/worker/run-folders.ts';
import { modelField, withoutPaths, writingOf } from '../../rules/worker/run-inputs.ts';
import type { LocalCopies } from '../local-copies.ts';
import type { RunnerClient } from './runner-client.ts';

export interface RunOrderDeps {
  readonly client: RunnerClient;
  readonly media: MediaWork;
  readonly folders: RunFolders;
  readonly disk: DiskRoom;
  readonly copies: LocalCopies;
  readonly log: Log;
  /** Shortest time between two reports while there is news. */
  readonly newsMs: number;
}

type Stop = 'cancelled' | 'lost' | 'shutdown';
/**
 * 'later': it could not be run or reported here; ask for the next one after a pause. A lack: this machine lacks
 * something for all jobs.
 */
export type OrderEnd = 'ended' | 'later' | MachineLack;

/**
 * Runs one job of the service and reports its result.
 * @param shutdown hands the job back
 * @param onRun called when the tool has ended: the machine is free for another job, while outputs are sent
 */
export async function runOrder(
  deps: RunOrderDeps,
  order: RunnerOrder,
  shutdown: AbortSignal,
  onRun: () => void,
): Promise<OrderEnd> {
  return await new Run(deps, order).end(shutdown, onRun);
}

class Run {
  private readonly deps: RunOrderDeps;
  private readonly order: RunnerOrder;
  private readonly stopping = new AbortController();
  private firstStop: Stop | null = null;
  private progress: Progress = { progress: 0, stage: 'starting', estimatedSecondsLeft: null };
  private isNews = true;
  private folder: string | null = null;
  /** What the machine lacks for all jobs, as far as known. */
  private lacks: MachineLack | null = null;

  constructor(deps: RunOrderDeps, order: RunnerOrder) {
    this.deps = deps;
    this.order = order;
  }

  async end(shutdown: AbortSignal, onRun: () => void): Promise<OrderEnd> {
    const { log, folders } = this.deps;
    const onShutdown = (): void => this.stop('shutdown');
    shutdown.addEventListener('abort', onShutdown, { once: true });
    if (shutdown.aborted) onShutdown();
    const beats = this.beat();
    const startedAt = performance.now();
    log.info({ tool: this.order.tool }, 'A job started');
    try {
      const ended = await this.run(onRun);
      log.info({ tool: this.order.tool, ended, ms: Math.round(performance.now() - startedAt) }, 'A job ended');
      return this.lacks ?? (ended === 'unfit' ? 'later' : 'ended');
    } catch (thrown) {
      log.error({ err: thrown, tool: this.order.tool }, 'The end of a job could not be reported');
      return 'later';
    } finally {
      clearInterval(beats);
      shutdown.removeEventListener('abort', onShutdown);
      if (this.folder !== null)
        await folders
          .remove(this.folder)
          .catch((thrown: unknown) => log.warn({ err: thrown }, 'Could not remove the work folder of a job'));
    }
  }

  /** The first reason wins. */
  private stop(reason: Stop): void {
    this.firstStop ??= reason;
    this.stopping.abort();
  }

  /** Reports with news, and often enough to keep the lease. */
  private beat(): NodeJS.Timeout {
    const { client, log, newsMs } = this.deps;
    const keepMs = (this.order.leaseSeconds * 1000) / 6;
    let lastAt = -Infinity;
    let busy = false;
    let failing = false;
    const report = async (): Promise<void> => {
      busy = true;
      this.isNews = false;
      lastAt = performance.now();
      try {
        const { current, cancelRequested } = await client.report(this.order.token, this.progress);
        if (cancelRequested) this.stop('cancelled');
        else if (!current) this.stop('lost');
        failing = false;
      } catch (thrown) {
        // Keep working: the service may be back before the lease ends.
        if (!failing) log.warn({ err: thrown }, 'Could not report the progress of a job; retrying');
        failing = true;
        if (EarshotError.from(thrown).code === 'unauthorized') this.stop('lost');
      }
      busy = false;
    };
    return setInterval(
      () => {
        if (!busy && performance.now() - lastAt >= (this.isNews ? newsMs : keepMs)) void report();
      },
      Math.min(newsMs, keepMs),
    );
  }

  private async run(onRun: () => void): Promise<'succeeded' | 'dropped' | 'unfit' | Stop | ErrorJson['code']> {
    const { client, log } = this.deps;
    const { token } = this.order;
    const never = new AbortController().signal;
    try {
      const run = await this.work().finally(onRun);
      const by = this.firstStop;
      if (by === 'cancelled' || by === 'lost') return await this.endStopped(by);
      // A result that is complete is still sent after a shutdown request.
      return await this.answer(run).catch((thrown: unknown) => {
        throw this.firstStop !== null || EarshotError.from(thrown).details?.['lost'] === true ? thrown : unsent(thrown);
      });
    } catch (thrown) {
      const by = this.firstStop ?? (isAbortError(thrown) ? 'shutdown' : null);
      if (by !== null) return await this.endStopped(by);
      const error = EarshotError.from(thrown);
      if (error.details?.['lost'] === true) return 'lost';
      const lacks = machineLacks(error);
      // A missing model is final: handed back, the job could come here for ever.
      if (lacks !== null && lacks !== 'tool') {
        log.error({ err: thrown, lacks }, 'A job lacks something on this machine; handing it back');
        const isForAll = lacks !== 'disk' || !(await this.deps.disk.hasRoom().catch(() => false));
        if (isForAll) this.lacks = lacks;
        await client.end(token, isForAll ? 'unfit' : 'no-room', never);
        return 'unfit';
      }
      if (error.details?.['unfit'] === true) {
        log.error({ err: thrown }, 'A job could not be run on this machine; handing it back');
        await client.end(token, 'back', never);
        return 'unfit';
      }
      if (error.details?.['crashed'] === true) {
        log.error({ err: thrown }, 'The process of a job died, or its answer was not accepted');
        await client.end(token, 'again', never);
        return 'internal_error';
      }
      if (error.code === 'internal_error') log.error({ err: thrown }, 'A tool failed with an internal error');
      const json = error.toJSON();
      await client.end(token, { ...json, message: this.shown(json.message) }, never);
      return error.code;
    }
  }

  private async answer(run: ToolRunOutcome): Promise<'succeeded' | 'dropped'> {
    const files = await this.sendAll(run);
    const { result, warnings, processedSeconds } = run;
    const said = { files, result, warnings, processedSeconds };
    const accepted = await this.deps.client.handOver(this.order.token, said, new AbortController().signal);
    return accepted ? 'succeeded' : 'dropped';
  }

  private async endStopped(by: Stop): Promise<Stop> {
    const never = new AbortController().signal;
    if (by !== 'lost') await this.deps.client.end(this.order.token, by === 'shutdown' ? 'back' : by, never);
    return by;
  }

  private readonly lent: (CheckedOutFile & RunnerInput)[] = [];

  private async work(): Promise<ToolRunOutcome> {
    const { media, folders, disk, copies, client } = this.deps;
    const { order, stopping } = this;
    const { signal } = stopping;
    this.folder = await folders.make().catch(withoutDisk);
    const room = await disk.reserve(order.outputBytes);
    try {
      if (room === null) await withoutDisk(new Error('The disk has no room for the outputs of a job'));
      for (const input of order.inputs) {
        const { key, sha256, sizeBytes, url } = input;
        const read = () => client.read(url, signal);
        const file = await copies.checkOut({ key, etag: sha256 ?? key, sizeBytes, sha256, read }).catch((thrown) => {
          const { code } = EarshotError.from(thrown);
          // The input is gone for every machine.
          throw signal.aborted || code === 'file_expired' ? thrown : asUnfit(thrown);
        });
        this.lent.push({ ...input, ...file });
      }
      const fields = [...new Set(order.inputs.map(({ field }) => field))].filter((field) => field !== modelField);
      const model = this.lent.find(({ field }) => field === modelField) ?? null;
      const run = await media.run({
        tool: order.tool,
        inputs: Object.fromEntries(
          fields.map((field) => [
            field,
            this.lent.filter((each) => each.field === field).map(({ path, name }) => ({ path, name })),
          ]),
        ),
        options: order.options,
        ...(order.knownVoices === undefined ? {} : { knownVoices: order.knownVoices }),
        ...(order.voiceReferences === undefined ? {} : { voiceReferences: order.voiceReferences }),
        owner: order.owner,
        windowSeconds: order.windowSeconds,
        ...writingOf(order, model),
        outputDir: this.folder,
        maxOutputBytes: order.maxOutputBytes,
        maxSeconds: order.maxSeconds,
        signal,
        onProgress: (now) => {
          this.progress = now.stage === 'queued' ? { ...now, stage: 'starting' } : now;
          this.isNews = true;
        },
      });
      const names = this.lent.filter((each) => each !== model).map(({ name }) => name);
      return { ...run, outputs: await outputsOf(run, order.tool, names, this.folder) };
    } finally {
      room?.();
      for (const file of this.lent) await file.release();
    }
  }

  private async sendAll({ outputs }: ToolRunOutcome): Promise<readonly RunnerFile[]> {
    // After a request to shut down, finished work is still sent: only the loss of the job stops that.
    const signal = this.firstStop === 'shutdown' ? new AbortController().signal : this.stopping.signal;
    const files: RunnerFile[] = [];
    for (const { path, filename, contentType, format, durationSeconds, hasVideo, hasAudio, media } of outputs) {
      const facts = { filename, contentType, format, durationSeconds, hasVideo, hasAudio, media };
      const sha256 = await hashOf(path);
      files.push({ ...facts, sha256, output: await this.deps.client.send(this.order.token, path, signal) });
    }
    return files;
  }

  private shown(text: string): string {
    return withoutPaths(text, this.lent, this.folder ?? '');
  }
}

/** An input that did not come. A disk that was full for it keeps its mark. */
const asUnfit = (thrown: unknown): EarshotError => {
  const { message, details } = EarshotError.from(thrown);
  return new EarshotError('internal_error', message, { cause: thrown, details: { ...details, unfit: true } });
};
/** The result cannot be sent, which is not the job's fault: another machine tries. */
const unsent = (thrown: unknown): EarshotError =>
  new EarshotError('internal_error', EarshotError.from(thrown).message, { cause: thrown, details: { crashed: true } });
const withoutDisk = (thrown: unknown): Promise<never> =>
  Promise.reject(
    new EarshotError('internal_error', EarshotError.from(thrown).message, { cause: thrown, details: lacking('disk') }),
  );
