import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { FleetOverview } from '../../rules/fleet/fleet-overview.ts';
import type { FileStore } from '../../rules/files/file-store.ts';
import type { FreeOverview } from '../../rules/free-runs/free-run-store.ts';
import type { JobStore } from '../../rules/jobs/job-store.ts';
import type { PaymentStore } from '../../rules/money/payment-store.ts';
import type { WorkQueue } from '../../rules/worker/work-queue.ts';
import { fleetReader } from './fleet-metrics.ts';

/** Sources of metrics outside of the HTTP server, read at every request of /metrics. */
export interface MetricsSources {
  /** Jobs by status. Default: not shown. */
  readonly jobs?: JobStore['counts'];
  /** Queued tasks by kind. Default: not shown. */
  readonly queue?: WorkQueue['depth'];
  /** CPU seconds that queued jobs are expected to take, by tool. Default: not shown. */
  readonly queuedSeconds?: () => Promise<Readonly<Record<string, number>>>;
  /** Files by status and the bytes kept. Default: not shown. */
  readonly files?: FileStore['totals'];
  /** Free uses of today, and runs that wait for a payment. Default: not shown. */
  readonly free?: () => Promise<FreeOverview>;
  /** Payments by status. Default: not shown. */
  readonly payments?: PaymentStore['counts'];
  /** Processes of the fleet, what waits, and the age of the housekeeping. Default: not shown. */
  readonly fleet?: () => Promise<FleetOverview>;
  /** What the checks of /readyz find, by name; null: success. Default: not shown. */
  readonly checks?: () => Promise<readonly (readonly [name: string, error: unknown])[]>;
}

/** Called for every request at its end. */
export type RequestObserver = (request: FastifyRequest, reply: FastifyReply, status: number) => void;

/** Sources are read at most this often, to protect the database. */
const readEveryMs = 5000;

/**
 * GET /metrics, in Prometheus format.
 * @param token required bearer token; null: no such route
 */
export function metricsRoutes(
  app: FastifyInstance,
  sources: MetricsSources,
  observe: (observer: RequestObserver) => void,
  token: string | null,
): void {
  if (token === null || token === '') return;
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register, prefix: 'earshot_' });

  const durations = new Histogram({
    name: 'earshot_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  observe((request, reply, status) =>
    durations.observe(
      { method: request.method, route: request.routeOptions.url ?? 'none', status: String(status) },
      reply.elapsedTime / 1000,
    ),
  );

  const refusals = new Counter({
    name: 'earshot_http_errors_total',
    help: 'Error responses, by route and error code',
    labelNames: ['route', 'code'],
    registers,
  });
  observe((request) => {
    if (request.errorCode !== null)
      refusals.inc({ route: request.routeOptions.url ?? 'none', code: request.errorCode });
  });

  const readers = readersOf(sources, registers);

  app.route({ method: 'GET', url: '/metrics', config: { access: 'health' }, schema: { hide: true }, handler: send });

  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(`Bearer ${token}`);
  const isToken = (given: string | undefined): boolean => timingSafeEqual(digest(given ?? ''), wanted);

  app.addHook('onClose', (_app, done) => {
    register.clear();
    done();
  });

  let readAt = -Infinity;
  async function send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!isToken(request.headers.authorization))
      throw new EarshotError('unauthorized', 'Expected the bearer token of /metrics', {
        nextAction: 'Send Authorization: Bearer with the value of EARSHOT_METRICS_TOKEN.',
      });
    const at = performance.now();
    const due = at - readAt >= readEveryMs ? readers : [];
    if (due.length > 0) readAt = at;
    // A failing source must not hide the other metrics.
    for (const { reason } of (await Promise.allSettled(due.map((read) => read()))).filter(
      (result) => result.status === 'rejected',
    ))
      request.log.error({ err: reason as unknown }, 'metrics source failed');
    return reply
      .type(register.contentType)
      .header('cache-control', 'no-store')
      .send(await register.metrics());
  }
}

/** Reads each source into its gauges. */
function readersOf(
  { jobs, queue, queuedSeconds, files, free, payments, fleet, checks }: MetricsSources,
  registers: Registry[],
): (() => Promise<void>)[] {
  const gauge = (name: string, help: string, labelNames: string[] = []): Gauge =>
    new Gauge({ name, help, labelNames, registers });
  const byLabel = (made: Gauge, label: string, counts: Readonly<Record<string, number>>): void => {
    for (const [value, count] of Object.entries(counts)) made.set({ [label]: value }, count);
  };
  const readers: (() => Promise<void>)[] = [];
  if (jobs !== undefined) {
    const made = gauge('earshot_jobs', 'Jobs by status; ended ones are counted for good', ['status']);
    // The ended ones as what they are, for rates; the gauge keeps them for dashboards that know no other.
    const ended = new Counter({
      name: 'earshot_jobs_ended_total',
      help: 'Jobs that have ended, by status',
      labelNames: ['status'],
      registers,
    });
    readers.push(async () => {
      const { queued, running, ...over } = await jobs();
      byLabel(made, 'status', { queued, running, ...over });
      ended.reset();
      for (const [status, count] of Object.entries(over)) ended.inc({ status }, count);
    });
  }
  if (queue !== undefined) {
    const made = gauge('earshot_queue_depth', 'Queued tasks, by kind', ['kind']);
    readers.push(async () => byLabel(made, 'kind', await queue()));
  }
  if (queuedSeconds !== undefined) {
    const made = gauge('earshot_queued_work_seconds', 'CPU seconds that queued jobs are expected to take', ['tool']);
    readers.push(async () => {
      made.reset();
      byLabel(made, 'tool', await queuedSeconds());
    });
  }
  if (files !== undefined) {
    const bytes = gauge('earshot_stored_bytes', 'Bytes of uploads and outputs kept');
    const count = gauge('earshot_stored_files', 'Files kept');
    readers.push(async () => {
      const totals = await files();
      bytes.set(totals.bytes);
      count.set(totals.files);
    });
  }

  if (free !== undefined) {
    const uses = gauge('earshot_free_uses_today', 'Free uses of this UTC day, by tool', ['tool']);
    const seconds = gauge('earshot_free_seconds_today', 'Seconds of the free budget used on this UTC day');
    const waiting = gauge('earshot_free_runs_waiting', 'Runs that wait for a payment (at most 100)');
    readers.push(async () => {
      const today = await free();
      uses.reset();
      for (const [tool, taken] of Object.entries(today.uses)) uses.set({ tool }, taken.uses);
      seconds.set(today.seconds);
      waiting.set(today.waiting.length);
    });
  }
  if (payments !== undefined) {
    const made = gauge('earshot_payments', 'Payments by status', ['status']);
    readers.push(async () => byLabel(made, 'status', await payments()));
  }
  if (checks !== undefined) {
    const made = gauge('earshot_check_ok', 'Whether a check of /readyz succeeds: 1 or 0', ['check']);
    readers.push(async () => {
      for (const [check, error] of await checks()) made.set({ check }, error === null ? 1 : 0);
    });
  }
  if (fleet !== undefined) readers.push(fleetReader(fleet, registers));
  return readers;
}
