import { context, type Span, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { createHash } from 'node:crypto';
import type { MediaWork } from '../../../library/contract/media-work.ts';
import type { JobStore } from '../../rules/jobs/job-store.ts';
import type { StoredJob } from '../../rules/jobs/stored-job.ts';

/** Ids of the next span: the job's own span has an id that every process can derive from the job's id. */
export interface SpanIds {
  traceId: string | null;
  spanId: string | null;
}

interface Attempt {
  readonly job: StoredJob;
  readonly startedAt: number;
  readonly span: Span;
}

const hex = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length);
export const traceIdOf = (jobId: string): string => hex(`trace ${jobId}`, 32);
export const rootIdOf = (jobId: string): string => hex(`root ${jobId}`, 16);

/**
 * One trace for each job, across all processes. Its id and that of its first span are derived from the job's id, so no
 * context has to be passed on. The process that settles the job writes the job's own span; waiting, running and storing
 * are its children.
 */
export class JobTraces {
  private readonly tracer: Tracer;
  private readonly ids: SpanIds;
  private readonly running = new Map<string, Attempt>();

  constructor(tracer: Tracer, ids: SpanIds) {
    this.tracer = tracer;
    this.ids = ids;
  }

  /** The store, with spans for a job's creation, its attempts and its end. */
  jobs(store: JobStore): JobStore {
    const ended =
      <Rest extends unknown[]>(
        kind: string,
        settle: (id: string, attempt: number, ...rest: Rest) => Promise<boolean>,
      ) =>
      async (id: string, attempt: number, ...rest: Rest): Promise<boolean> => {
        const settled = await this.within(id, 'settle', () => settle(id, attempt, ...rest));
        this.end(id, settled ? kind : 'lost');
        return settled;
      };
    return {
      ...store,
      create: async (job) => {
        const startTime = Date.now();
        const answer = await store.create(job);
        if (answer.created) this.below(answer.job.id, 'create', startTime).end();
        return answer;
      },
      start: async (...args) => {
        const job = await store.start(...args);
        if (job !== null) this.begin(job, args[1]);
        return job;
      },
      succeed: ended('succeeded', store.succeed),
      fail: ended('failed', store.fail),
      cancel: ended('cancelled', store.cancel),
      requeue: ended('queued', store.requeue),
      passOn: ended('queued', store.passOn),
    };
  }

  /** The work, with a span for the run and one for each of its stages. */
  media(work: MediaWork): MediaWork {
    return {
      run: async (request) => {
        const { jobId } = request;
        if (jobId === undefined) return await work.run(request);
        const run = this.below(jobId, 'run', Date.now());
        let stage: { readonly name: string; readonly span: Span } | null = null;
        const enter = (name: string): void => {
          if (stage?.name === name) return;
          stage?.span.end();
          const span = this.tracer.startSpan(name, {}, trace.setSpan(context.active(), run));
          stage = { name, span };
        };
        try {
          return await work.run({
            ...request,
            onProgress: (now) => {
              enter(now.stage);
              request.onProgress(now);
            },
          });
        } catch (thrown) {
          run.setStatus({ code: SpanStatusCode.ERROR, message: (thrown as Error).message });
          throw thrown;
        } finally {
          (stage as { readonly span: Span } | null)?.span.end();
          run.end();
        }
      },
      check: work.check.bind(work),
      peaks: work.peaks.bind(work),
      voicePrint: work.voicePrint.bind(work),
      close: work.close.bind(work),
    };
  }

  private begin(job: StoredJob, workerId: string): void {
    const startedAt = Date.now();
    // Later attempts waited since the previous one ended, a time that this process may not know.
    if (job.attempt === 1) this.below(job.id, 'queued', job.createdAt.getTime()).end(startedAt);
    this.running.get(job.id)?.span.end();
    const span = this.tracer.startSpan(
      'attempt',
      { startTime: startedAt, attributes: { 'earshot.attempt': job.attempt, 'earshot.worker': workerId } },
      this.rootContext(job.id),
    );
    this.running.set(job.id, { job, startedAt, span });
  }

  private end(id: string, kind: string): void {
    const attempt = this.running.get(id);
    if (attempt === undefined) return;
    this.running.delete(id);
    attempt.span.setAttribute('earshot.end', kind);
    attempt.span.end();
    if (!['succeeded', 'failed', 'cancelled'].includes(kind)) return;
    const { tool, createdAt } = attempt.job;
    this.ids.traceId = traceIdOf(id);
    this.ids.spanId = rootIdOf(id);
    const span = this.tracer.startSpan(
      `job ${tool}`,
      {
        root: true,
        startTime: createdAt,
        attributes: {
          'earshot.job': id,
          'earshot.tool': tool,
          'earshot.status': kind,
          'earshot.attempts': attempt.job.attempt,
        },
      },
      context.active(),
    );
    if (kind === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  private async within<Answer>(id: string, name: string, work: () => Promise<Answer>): Promise<Answer> {
    const span = this.below(id, name, Date.now());
    try {
      return await work();
    } finally {
      span.end();
    }
  }

  /** Child of the running attempt, or of the job itself. */
  private below(id: string, name: string, startTime: number): Span {
    const attempt = this.running.get(id);
    const parent = attempt === undefined ? this.rootContext(id) : trace.setSpan(context.active(), attempt.span);
    return this.tracer.startSpan(name, { startTime }, parent);
  }

  private rootContext(id: string) {
    return trace.setSpanContext(context.active(), {
      traceId: traceIdOf(id),
      spanId: rootIdOf(id),
      traceFlags: TraceFlags.SAMPLED,
      isRemote: true,
    });
  }
}
