import { setTimeout as sleep } from 'node:timers/promises';
import { AbortError, isAbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Config } from '../settings/config.ts';
import { createOwnerQueues } from '../files/tasks/owner-queues.ts';
import type { OrderJob } from '../jobs/order.ts';
import type { LegacyJob, LegacyJobStore } from './legacy-job-store.ts';
import type { Log } from '../shared/log.ts';
import type { FileStore } from '../files/file-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { LinkSender } from '../files/links.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { QueueHandler } from '../shared/queue-handler.ts';
import type { StoredError } from '../shared/stored-error.ts';
import type { FactsByTool } from '../tools/tool-facts.ts';
import { orderLegacyJob } from './order-legacy-job.ts';

export interface LegacyTaskDeps {
  readonly legacyJobs: LegacyJobStore;
  readonly files: Pick<FileStore, 'get'>;
  readonly jobs: JobStore;
  readonly objects: Pick<ObjectStore, 'read' | 'stat' | 'remove'>;
  readonly links: LinkSender;
  readonly order: OrderJob;
  readonly tools: FactsByTool;
  readonly config: Pick<Config, 'importSeconds'>;
  readonly log: Log;
  /** Pauses before the retries of a failed delivery. Default: 1, 5 and 20 s. */
  readonly pausesMs?: readonly number[];
}

/** The worker's tasks of the older API. Both are idempotent. */
export interface LegacyTasks {
  /** Called when the file is checked or deleted: orders the job, or fails it. */
  readonly order: QueueHandler;
  /** Sends the result to the job's output URL. */
  readonly deliver: QueueHandler;
}

export function createLegacyTasks(deps: LegacyTaskDeps): LegacyTasks {
  const { legacyJobs, files, objects, tools, log, pausesMs = [1000, 5000, 20_000] } = deps;
  // A slow server must delay only the deliveries of its own account.
  const inOwnerQueue = createOwnerQueues((waiting) =>
    log.info({ waiting }, 'Deliveries wait for the next reconciliation of the queue'),
  );

  async function order(id: string): Promise<void> {
    const job = await legacyJobs.get(id);
    if (job?.status !== 'arriving') return;
    const field = Object.keys(tools[job.tool].inputs)[0] ?? '';
    // While the file is being checked there is nothing to do: this task runs again after the check.
    const refusal = await orderLegacyJob(deps, job, field, await files.get(job.fileId));
    if (refusal !== null) await legacyJobs.failed(id, { code: refusal.code, message: refusal.message });
  }

  async function deliver(id: string, signal: AbortSignal): Promise<void> {
    const job = await legacyJobs.get(id);
    if (!isToDeliver(job)) return;
    for (let tries = 0; ; tries += 1) {
      const failure = await send(job, signal);
      if (failure === null) return legacyJobs.delivered(id);
      const pauseMs = failure.retryable ? pausesMs[tries] : undefined;
      if (pauseMs === undefined) return giveUp(job, { code: failure.code, message: failure.message });
      log.warn({ jobId: id, reason: failure.message, pauseMs }, 'A result could not be delivered; trying again');
      await sleep(pauseMs, undefined, { signal });
    }
  }

  /** null: success. @throws AbortError when the worker shuts down; internal errors */
  async function send({ id, outputUrl }: LegacyJob, signal: AbortSignal): Promise<EarshotError | null> {
    const summary = await deps.jobs.getSummary(id);
    const output = summary?.outputFileIds[0];
    const file = output === undefined ? null : await files.get(output);
    const objectKey = file?.status === 'ready' ? file.objectKey : null;
    const stat = objectKey === null ? null : await objects.stat(objectKey);
    if (file === null || objectKey === null || stat === null || outputUrl === null) return gone();
    const timeout = AbortSignal.timeout(deps.config.importSeconds * 1000);
    try {
      const { contentType } = file;
      const bytes = { contentType, sizeBytes: stat.sizeBytes, read: () => objects.read(objectKey) };
      await deps.links.put(new URL(outputUrl), bytes, AbortSignal.any([signal, timeout]));
      return null;
    } catch (thrown) {
      if (signal.aborted) throw new AbortError();
      if (isAbortError(thrown))
        return new EarshotError('fetch_failed', `Sending the result took longer than ${deps.config.importSeconds} s`, {
          retryable: false,
        });
      if (thrown instanceof EarshotError && thrown.code === 'fetch_failed') return thrown;
      throw thrown;
    }
  }

  async function giveUp({ id }: LegacyJob, error: StoredError): Promise<void> {
    log.warn({ jobId: id, reason: error.message }, 'A result could not be delivered; its credits are returned');
    const keys = await legacyJobs.undeliverable(id, error);
    // After a failure the sweeper removes it.
    for (const key of keys ?? []) await objects.remove(key).catch(() => undefined);
  }

  return {
    order,
    async deliver(id, signal) {
      const job = await legacyJobs.get(id);
      if (isToDeliver(job)) await inOwnerQueue(job.accountId, id, signal, deliver);
    },
  };
}

const isToDeliver = (job: LegacyJob | null): job is LegacyJob => job?.status === 'ordered' && job.outputUrl !== null;

const gone = (): EarshotError => new EarshotError('file_expired', 'The file was deleted or has expired');
