import type { FastifyBaseLogger } from 'fastify';
import { randomBytes } from 'node:crypto';
import { createLinkFetcher } from '../adapters/links/link-fetcher.ts';
import { readFleetOverview } from '../adapters/postgres/fleet/fleet-overview.ts';
import { type BeatingHeart, createHeartbeat } from '../adapters/postgres/shared/heartbeat.ts';
import { shareRates } from '../adapters/postgres/shared/shared-rates.ts';
import { shareTallies } from '../adapters/postgres/shared/tallies.ts';
import { shareUploads } from '../adapters/postgres/shared/shared-uploads.ts';
import { AttemptCounts } from '../rules/jobs/attempt-counts.ts';
import { createArrivals } from '../rules/files/arrivals.ts';
import { createRunnerEntries } from '../adapters/queue/runner-entries.ts';
import { createWorkQueue } from '../adapters/queue/work-queue.ts';
import { dialects, legacyDialects } from '../http/dialects.ts';
import { createApp, type AppDeps } from '../http/server/app.ts';
import type { RunnerRouteDeps } from '../http/runners/routes.ts';
import type { Traces } from '../adapters/traces/open-traces.ts';
import type { MetricsSources } from '../http/server/metrics.ts';
import { createRateLimiter } from '../http/server/rate-limit.ts';
import type { Config } from '../rules/settings/config.ts';
import type { QueuedWork } from '../rules/jobs/job-store.ts';
import { utcDay } from '../rules/accounts/free.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import { createLiveVoices } from '../../library/runtime/engine/live-voices.ts';
import type { WorkQueue } from '../rules/worker/work-queue.ts';
import { expectedCpuSeconds } from '../rules/worker/time-bound.ts';
import { createService } from './create-service.ts';
import { createVisitors } from '../rules/free-runs/visitors.ts';
import { RunnerDesk } from '../rules/runners/desk.ts';
import { createTokens } from '../rules/shared/tokens.ts';
import { indexTools } from '../rules/tools/tool-facts.ts';
import { offeredTools as tools } from '../offers/offers.ts';
import { type Backend, openBackend, processUrls } from './backend.ts';
import { createLog } from './log.ts';
import { describeListening } from './listening.ts';
import { listenForMetrics } from './metrics-listener.ts';
import { createObjects, fileChecks } from './objects.ts';
import { createMailer } from './mailer.ts';
import { createPaymentProvider } from './payment-provider.ts';
import { packageVersion } from '../../library/core/start/package-version.ts';
import { readRunnerAnswer, readRunnerError } from './runner-answers.ts';
import { tracesHere } from './tracing.ts';
import type { RunningPart } from './running-part.ts';
import { createTokenIssue } from './token-issue.ts';
import { busyPart, databaseClock, workerFacts } from './worker-facts.ts';
import type { DialectDeps } from '../http/interface/dialect-deps.ts';

/** The running API of one process. */
export interface RunningApi extends RunningPart {
  /** After a fatal error: answers all open requests with an outage error. */
  fail(cause: unknown): Promise<void>;
}

/**
 * Starts the API, which does no media work itself. Resolves when it listens.
 * @param databaseUrl of a database that `prepareDatabase` has migrated
 * @throws EarshotError conflict when it cannot listen on the address
 */
export async function startApi(config: Config, databaseUrl: string): Promise<RunningApi> {
  const log = createLog(config.logLevel, 'api');
  const facts = workerFacts('api', config);
  const backend = await openBackend(processUrls(databaseUrl, config), 'api', log, facts);
  const heartbeat = createHeartbeat(backend.database, facts, () => ({
    running: 0,
    load: busyPart(config.cores),
  }));
  // Only for its depth: tasks are handled by the supervisor.
  const queue = createWorkQueue(backend.database, null);
  const release = async (): Promise<void> => {
    await heartbeat.stop();
    await queue.stop(0);
    await backend[Symbol.asyncDispose]();
  };
  try {
    await heartbeat.start();
    const { apps, address, legacyAddress } = await listen(config, log, backend, queue, heartbeat);
    return {
      address,
      legacyAddress,
      async stop() {
        await closeAll(apps);
        await release();
      },
      async fail(cause) {
        await Promise.all(apps.map(async (app) => app.failRequests?.(cause, failingMs)));
      },
    };
  } catch (thrown) {
    await release();
    throw thrown;
  }
}

/** Longest time to send the responses of a failing process. */
const failingMs = 1000;

/** Dependencies of all HTTP servers of one process. */
export interface ApiDeps {
  readonly deps: DialectDeps;
  readonly runners: RunnerRouteDeps;
  /** null without a collector. */
  readonly traces: Traces | null;
  /** Without dialects: each server has its own. */
  readonly shared: Omit<AppDeps, 'dialects'>;
  readonly metrics: MetricsSources;
  /** Stops sharing counts of requests, uploads and attempts with other processes. */
  leave(): Promise<void>;
}

/** @param baseUrl the public address, called for every link */
export async function createApiDeps(
  config: Config,
  log: FastifyBaseLogger,
  { stores, database }: Backend,
  queue: WorkQueue,
  baseUrl: () => string,
  heartbeat: BeatingHeart,
): Promise<ApiDeps> {
  const objects = await createObjects(config);
  const now = databaseClock(heartbeat);
  const limiter = createRateLimiter();
  const arrivals = createArrivals(config.accountUploads);
  const leaving = [shareRates(database, heartbeat, limiter), shareUploads(database, heartbeat, arrivals)];
  const counts = new AttemptCounts();
  const sharing = shareTallies(database, heartbeat.workerId, counts);
  const tokens = await createTokens(stores.tokenKeys, now);
  const traces = await tracesHere('api');
  const files = fileChecks(objects, config);
  const service = createService({
    now,
    config,
    arrivals,
    baseUrl,
    stores: traces === null ? stores : { ...stores, jobs: traces.jobs.jobs(stores.jobs) },
    objects,
    links: createLinkFetcher(),
    tokens,
    visitors: await createVisitors(stores.settings),
    provider: await createPaymentProvider(config),
    mailer: createMailer(config),
    log,
    ...createTokenIssue(config, stores, baseUrl, now),
    tools,
  });
  return {
    traces,
    async leave() {
      for (const leave of leaving) leave();
      await sharing.stop();
    },
    deps: { service, config, tools },
    runners: {
      desk: new RunnerDesk({
        ...stores,
        jobs: counts.of(stores.jobs),
        entries: createRunnerEntries(database.kysely),
        objects,
        tokens,
        tools: indexTools(tools),
        config,
        baseUrl,
        readAnswer: readRunnerAnswer,
        log,
        version: packageVersion(),
        now,
      }),
      readError: readRunnerError,
    },
    // One rate limiter for all servers.
    shared: {
      config,
      log,
      limiter,
      checks: { database: () => database.ping(), ...files.checks },
      sharedChecks: files.sharedChecks,
    },
    metrics: {
      jobs: () => stores.jobs.counts(),
      queue: () => queue.depth(),
      queuedSeconds: async () => {
        const queued = Object.entries(await stores.jobs.queued()) as [ToolId, QueuedWork][];
        return Object.fromEntries(queued.map(([tool, { seconds }]) => [tool, expectedCpuSeconds(tool, seconds)]));
      },
      files: () => stores.files.totals(),
      free: () => stores.freeRuns.overview(utcDay(now()), now()),
      payments: () => stores.payments.counts(),
      fleet: () => readFleetOverview(database),
    },
  };
}

async function listen(
  config: Config,
  log: FastifyBaseLogger,
  backend: Backend,
  queue: WorkQueue,
  heartbeat: BeatingHeart,
): Promise<{ readonly apps: readonly Closable[]; readonly address: string; readonly legacyAddress: string | null }> {
  let address = '';
  // For links; without a configured public address, the one that we listen on.
  const { deps, runners, shared, metrics, traces, leave } = await createApiDeps(
    config,
    log,
    backend,
    queue,
    () => config.baseUrl ?? address,
    heartbeat,
  );
  const metricsToken = config.metricsToken ?? (config.metricsPort === null ? null : randomBytes(32).toString('hex'));
  const withMetrics = { ...shared, config: { ...config, metricsToken } };
  const liveVoices = createLiveVoices(config.modelsDir);
  const app = await createApp({ ...withMetrics, dialects: dialects({ ...deps, liveVoices }, runners), metrics });
  const apps: Closable[] = [app, { close: leave }, { close: () => Promise.resolve(liveVoices.close()) }];
  if (traces !== null) apps.push(traces);
  let legacyAddress: string | null = null;
  try {
    address = await listenAt(app, config.host, config.port, 'port');
    if (config.legacyPort !== null) {
      const legacy = await createApp({ ...shared, dialects: legacyDialects(deps) });
      apps.push(legacy);
      legacyAddress = await listenAt(legacy, config.host, config.legacyPort, 'legacyPort');
    }
    if (config.metricsPort !== null && metricsToken !== null) {
      const { metricsHost: host, metricsPort: port } = config;
      const server = await listenForMetrics(app, metricsToken, { host, port }).catch((thrown: unknown) => {
        throw describeListening(thrown as NodeJS.ErrnoException, host, port, 'metricsPort');
      });
      apps.push({ close: () => new Promise<void>((resolve) => void server.close(() => resolve())) });
      log.info({ address: server.address() }, 'Serving metrics');
    }
  } catch (thrown) {
    await closeAll(apps);
    throw thrown;
  }
  return { apps, address, legacyAddress };
}

type App = Awaited<ReturnType<typeof createApp>>;

/** A listening server. */
interface Closable extends Partial<Pick<App, 'failRequests'>> {
  close(): PromiseLike<unknown>;
}

const closeAll = async (apps: readonly Closable[]): Promise<void> => {
  await Promise.all(apps.map((app) => app.close()));
};

async function listenAt(app: App, host: string, port: number, setting: 'port' | 'legacyPort'): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (thrown) {
    throw describeListening(thrown as NodeJS.ErrnoException, host, port, setting);
  }
}
