import type { Job, ToolId } from './api-types.ts';
import type { InputsByTool } from './tool-inputs.ts';
import { ApiError, JobError } from './errors.ts';
import { poll } from './poll.ts';
import type { Requests } from './request.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. Default: none */
  readonly signal?: AbortSignal;
}

/** Options for starting a job, besides its inputs. */
export interface StartOptions extends CallOptions {
  /**
   * 1 to 200 characters. The same key with the same inputs returns the same job, also from another process. Default: a
   * new one for each call, so that a call's own retries start one job
   */
  readonly idempotencyKey?: string;
}

/** Options for waiting for a job. */
export interface WaitOptions extends CallOptions {
  /** Called on every change of progress, stage or status. Default: none */
  readonly onProgress?: (job: Job) => void;
}

/** A job that this client has started. */
interface Order {
  /** Sends the same order with the same key. */
  send(signal: AbortSignal | undefined): Promise<Job>;
  /** The job that is for it now. */
  jobId: string;
  timesSent: number;
}

/** So many orders are remembered, the latest. */
const mostOrders = 200;
/** So often an order is sent, the first time included. */
const mostTimesSent = 4;

const jobPath = (jobId: string): string => `/api/v1/jobs/${encodeURIComponent(jobId)}`;
const hasEnded = ({ status }: Job): boolean => status === 'succeeded' || status === 'failed' || status === 'cancelled';

/** Starts jobs, and follows them. */
export function createJobs({ requests, newKey }: { readonly requests: Requests; newKey(): string }) {
  /** By the id that the caller knows: that of the first answer. */
  const orders = new Map<string, Order>();

  async function start<Tool extends ToolId>(
    tool: Tool,
    inputs: InputsByTool[Tool],
    { idempotencyKey = newKey(), signal }: StartOptions,
  ): Promise<Job> {
    // Media info accepts no key and needs none: it is free.
    const headers: Record<string, string> = tool === 'analyze_audio' ? {} : { 'idempotency-key': idempotencyKey };
    const json = { ...inputs, tool };
    const send: Order['send'] = (now) =>
      requests.json<Job>({ method: 'POST', to: '/api/v1/jobs', json, headers, signal: now });
    const job = await send(signal);
    if (!hasEnded(job)) orders.set(job.id, { send, jobId: job.id, timesSent: 1 });
    const [oldest] = orders.keys();
    if (oldest !== undefined && orders.size > mostOrders) orders.delete(oldest);
    return job;
  }

  async function look(jobId: string, signal: AbortSignal | undefined): Promise<Job> {
    const order = orders.get(jobId);
    let job: Job;
    try {
      job = await requests.json<Job>({ to: jobPath(order?.jobId ?? jobId), signal });
    } catch (thrown) {
      const isLost = thrown instanceof ApiError && thrown.code === 'not_found';
      if (!isLost || order === undefined || order.timesSent >= mostTimesSent) throw thrown;
      // It was answered 201: a fail-over of the database has lost its row. The same key starts at most one job.
      order.timesSent += 1;
      job = await order.send(signal);
      order.jobId = job.id;
    }
    if (hasEnded(job)) orders.delete(jobId);
    return job;
  }

  async function wait(jobId: string, { onProgress, signal }: WaitOptions, started?: Job): Promise<Job> {
    let before = started;
    const job = await poll<Job>(
      {
        look: async (now) => {
          const found = await look(jobId, now);
          const isNew =
            before !== undefined &&
            (before.progress !== found.progress || before.stage !== found.stage || before.status !== found.status);
          before = found;
          if (isNew) onProgress?.(found);
          return found;
        },
        hasEnded,
        signal,
      },
      started,
    );
    if (job.status !== 'succeeded') throw new JobError(job);
    return job;
  }

  const cancel = (jobId: string, signal?: AbortSignal): Promise<Job> =>
    requests.json<Job>({
      method: 'POST',
      to: `${jobPath(orders.get(jobId)?.jobId ?? jobId)}/cancel`,
      signal,
      repeatable: false,
    });

  return {
    start,
    look,
    wait,
    cancel,
    async run<Tool extends ToolId>(
      tool: Tool,
      inputs: InputsByTool[Tool],
      runOptions: StartOptions & WaitOptions,
    ): Promise<Job> {
      const job = await start(tool, inputs, runOptions);
      try {
        return await wait(job.id, runOptions, job);
      } catch (thrown) {
        // It may have ended meanwhile; the caller gets the signal's reason.
        if (runOptions.signal?.aborted) await cancel(job.id, AbortSignal.timeout(5000)).catch(() => undefined);
        throw thrown;
      }
    },
  };
}
