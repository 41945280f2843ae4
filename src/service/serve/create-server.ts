import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createHeartbeat } from '../adapters/postgres/shared/heartbeat.ts';
import { createWorkQueue } from '../adapters/queue/work-queue.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { badValue } from '../../library/core/checks/schema.ts';
import { moduleUrl } from '../../library/core/running-files.ts';
import { dialects } from '../http/dialects.ts';
import { createApp, usualPatience } from '../http/server/app.ts';
import { createMount, type Mount } from '../http/server/mount.ts';
import { type Config, configFrom } from '../rules/settings/config.ts';
import { createOperator, type Operator } from '../rules/operator/operator.ts';
import { createApiDeps } from './api.ts';
import { openBackend, prepareDatabase, processUrls } from './backend.ts';
import { createLog } from './log.ts';
import { makeDataFolder, openServiceDatabase } from './service-data.ts';
import { supervise, tidyMs } from './supervise.ts';
import { busyPart, workerFacts } from './worker-facts.ts';

/**
 * The service as a plugin of another Fastify app, registered under a prefix. It is isolated from the host's hooks,
 * parsers, error handlers, decorators and settings.
 */
export interface EmbeddedServer {
  /**
   * The plugin. Starts the service if needed, and stops it when the host app closes.
   * @throws EarshotError conflict when it is registered twice
   */
  (host: FastifyInstance): Promise<void>;
  /**
   * Starts the database, runs its migrations, and starts the supervisor of jobs in its own process. The first start
   * takes seconds and Fastify waits at most 10 s (`pluginTimeout`), so await this before registering. Idempotent.
   * @throws EarshotError when the start fails
   */
  start(): Promise<void>;
  /**
   * Stops everything. Running jobs may finish within `graceSeconds`; then they are requeued. Called when the host app
   * closes.
   */
  close(): Promise<void>;
  /**
   * Accounts, keys and credits. No account is created automatically.
   * @throws EarshotError conflict before `start`
   */
  readonly operator: Operator;
}

/** Further options of `createServer`. */
export interface EmbeddedServerOptions {
  /** A pino logger; credentials are removed from its entries. Default: JSON lines on standard error. */
  readonly log?: FastifyBaseLogger;
}

/** The started service. */
interface Running {
  readonly operator: Operator;
  mount(host: FastifyInstance): Promise<Mount>;
  stop(): Promise<void>;
}

/**
 * Creates the service as a plugin: `await app.register(createServer({ data: '/srv/audio' }), { prefix: '/audio' })`.
 *
 * `role` 'all' runs jobs on this machine; 'api' leaves them to machines with `earshot serve --role worker` on the same
 * database and data folder. The client's address comes from the host app (its `trustProxy` counts); `host`, `port` and
 * log settings are the host's own. Links begin with `baseUrl`, plus the prefix if it does not end with it; by default
 * with the address that the host listens on.
 * @param settings any of `Config`; others have their defaults. `loadConfig()` reads the environment
 * @throws EarshotError bad_request for an invalid value, for role 'worker', and for settings of the older API, which an
 *   embedded service does not have
 */
export function createServer(
  settings: Partial<Config> = {},
  { log: givenLog }: EmbeddedServerOptions = {},
): EmbeddedServer {
  const config = checkEmbeddable(configFrom(settings));
  const log = givenLog ?? createLog(config.logLevel, 'api');
  let starting: Promise<Running> | undefined;
  let closing: Promise<void> | undefined;
  let running: Running | undefined;
  let registered = false;

  const begin = async (): Promise<Running> => {
    if (closing !== undefined)
      throw new EarshotError('conflict', 'Expected a running server but it has been closed', {
        nextAction: 'Call createServer again.',
      });
    starting ??= start(config, log);
    running = await starting;
    return running;
  };

  const close = async (): Promise<void> => {
    closing ??= (async () => {
      await (await starting?.catch(() => undefined))?.stop();
    })();
    await closing;
  };

  async function plugin(host: FastifyInstance): Promise<void> {
    if (registered)
      throw new EarshotError('conflict', 'Expected a server that is not registered yet but this one is', {
        nextAction: 'Call createServer for each registration.',
      });
    registered = true;
    const mount = await (await begin()).mount(host);
    let ended: Promise<void> | undefined;
    // Not awaited: the host closes its connections meanwhile.
    host.addHook('preClose', async () => void (ended ??= mount.close()));
    host.addHook('onClose', async () => {
      await ended;
      await close();
    });
  }

  const members = {
    start: async (): Promise<void> => void (await begin()),
    close,
  };
  return Object.defineProperty(Object.assign(plugin, members), 'operator', {
    get(): Operator {
      if (running !== undefined && closing === undefined) return running.operator;
      throw new EarshotError('conflict', 'Expected a running server but it is not started', {
        nextAction: 'Await start() first.',
      });
    },
  }) as unknown as EmbeddedServer;
}

function checkEmbeddable(config: Config): Config {
  if (config.role === 'worker')
    throw badValue('role', 'all or api', config.role, 'role of an embedded server, which answers requests');
  for (const name of ['legacyHost', 'legacyPort'] as const)
    if (config[name] !== null)
      throw badValue(name, 'null', config[name], `${name} of an embedded server; earshot serve has the older API`);
  return config;
}

async function start(config: Config, log: FastifyBaseLogger): Promise<Running> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  try {
    return await startParts(config, log, stops, stop);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** @param stops receives a stop function for each started part, in order */
async function startParts(
  config: Config,
  log: FastifyBaseLogger,
  stops: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<Running> {
  await makeDataFolder(config.data, log);
  const database = await openServiceDatabase(config, log);
  stops.push(async () => database[Symbol.asyncDispose]());
  await prepareDatabase(database, log, () => Promise.resolve());
  const facts = workerFacts('api', config);
  const backend = await openBackend(processUrls(database.url, config), 'api', log, facts);
  stops.push(async () => backend[Symbol.asyncDispose]());
  const heartbeat = createHeartbeat(backend.database, facts, () => ({
    running: 0,
    load: busyPart(config.cores),
  }));
  await heartbeat.start();
  stops.push(() => heartbeat.stop());
  // Only for its depth: tasks are handled by the supervisor.
  const queue = createWorkQueue(backend.database, null);
  stops.push(() => queue.stop(0));
  if (config.role === 'all') {
    const worker = await supervise(
      new URL(moduleUrl('service/serve/service-process')),
      'worker',
      () => ({ type: 'start', config: { ...config, databaseOwnerUrl: null }, databaseUrl: database.url }),
      (event) => log.warn({}, event),
      { silentMs: config.silentSeconds * 1000 },
    );
    stops.push(() => worker.stop(config.graceSeconds * 1000 + tidyMs));
  }
  return {
    operator: createOperator(backend.stores),
    async mount(host) {
      const rootPath = host.prefix.replace(/(?<!\/)\/+$/, '');
      const baseUrl = (): string => publicUrl(config, host, rootPath);
      const { deps, runners, shared, metrics, leave } = await createApiDeps(
        config,
        log,
        backend,
        queue,
        baseUrl,
        heartbeat,
      );
      stops.push(leave);
      // Without a configured public address, the document contains only the path.
      const described = { ...config, baseUrl: config.baseUrl === null ? null : baseUrl() };
      const app = await createApp({
        ...shared,
        dialects: dialects({ ...deps, config: described, rootPath }, runners),
        metrics,
        rootPath,
      });
      await app.ready();
      const mount = createMount(app, usualPatience.silenceMs, config.graceSeconds * 1000);
      routeTo(mount, host);
      return mount;
    },
    stop,
  };
}

/** Passes all requests under the prefix to our app, before the host reads a body. */
function routeTo(mount: Mount, host: FastifyInstance): void {
  for (const url of ['/', '/*'])
    host.route({
      method: host.supportedMethods,
      url,
      // Paths of links are credentials; our app logs requests without them.
      logLevel: 'silent',
      schema: { hide: true },
      // Never calls back: our app responds.
      onRequest: (request, reply, _next) => mount.answer(request, reply),
      handler: () => undefined,
    });
}

function publicUrl({ baseUrl }: Config, host: FastifyInstance, rootPath: string): string {
  if (baseUrl !== null) return baseUrl.endsWith(rootPath) ? baseUrl : baseUrl + rootPath;
  const [listening] = host.addresses();
  // Not listening yet, or on a unix socket: use relative links.
  if (listening === undefined || typeof listening === 'string') return rootPath;
  const { address, family, port } = listening;
  const name = ['0.0.0.0', '::'].includes(address) ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  const { https } = host.initialConfig;
  return `${https === undefined || https === false ? 'http' : 'https'}://${name}:${port}${rootPath}`;
}
