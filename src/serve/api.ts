import { createLinkFetcher } from '../adapters/links/link-fetcher.ts';
import { createAccessTokenVerifier } from '../adapters/oauth/access-tokens.ts';
import { createWorkQueue } from '../adapters/queue/work-queue.ts';
import { EarshotError } from '../core/errors.ts';
import { dialects } from '../http/dialects.ts';
import { createApp } from '../http/server/app.ts';
import type { Config } from '../service/config.ts';
import { utcDay } from '../service/free.ts';
import type { WorkQueue } from '../service/ports.ts';
import { createService } from './create-service.ts';
import { createVisitors } from '../service/free-runs/visitors.ts';
import { createTokens } from '../service/tokens.ts';
import { tools } from '../tools/registry.ts';
import { type Backend, openBackend } from './backend.ts';
import { createLog } from './log.ts';
import { createObjects } from './objects.ts';
import { createPaymentProvider } from './payment-provider.ts';
import type { RunningPart } from './running-part.ts';

/**
 * The API: everything that HTTP asks for, and no work on media. Resolves when it listens.
 * @param databaseUrl of a database that `prepareDatabase` has brought up to date
 * @throws EarshotError conflict when the port or the address cannot be had
 */
export async function startApi(config: Config, databaseUrl: string): Promise<RunningPart> {
  const log = createLog(config.logLevel, 'api');
  const backend = await openBackend(databaseUrl, log);
  // Asked for its depth only: tasks are the supervisor's.
  const queue = createWorkQueue(backend.database);
  const release = async (): Promise<void> => {
    await queue.stop(0);
    await backend[Symbol.asyncDispose]();
  };
  try {
    const { app, address } = await listen(config, log, backend, queue);
    return {
      address,
      async stop() {
        await app.close();
        await release();
      },
    };
  } catch (thrown) {
    await release();
    throw thrown;
  }
}

async function listen(
  config: Config,
  log: ReturnType<typeof createLog>,
  { stores, database }: Backend,
  queue: WorkQueue,
): Promise<{ readonly app: Awaited<ReturnType<typeof createApp>>; readonly address: string }> {
  const objects = createObjects(config);
  let address = '';
  const service = createService({
    config,
    // Links in answers; without a configured address they name the one that we listen on.
    baseUrl: () => config.baseUrl ?? address,
    stores,
    objects,
    links: createLinkFetcher(),
    tokens: await createTokens(stores.settings),
    visitors: await createVisitors(stores.settings),
    provider: await createPaymentProvider(config),
    verifier: createAccessTokenVerifier(config),
    tools,
  });
  const app = await createApp({
    dialects: dialects({ service, config, tools }),
    config,
    log,
    metrics: {
      jobs: () => stores.jobs.counts(),
      queue: () => queue.depth(),
      files: () => stores.files.totals(),
      free: () => stores.freeRuns.overview(utcDay(new Date()), new Date()),
      payments: () => stores.payments.counts(),
    },
    checks: { database: () => database.ping(), files: () => objects.check() },
  });
  try {
    address = await app.listen({ host: config.host, port: config.port });
  } catch (thrown) {
    await app.close();
    throw describeListening(thrown as NodeJS.ErrnoException, config);
  }
  return { app, address };
}

function describeListening(thrown: NodeJS.ErrnoException, { host, port }: Config): EarshotError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there',
    EACCES: 'this user may not listen there',
    EADDRNOTAVAIL: 'this machine does not have that address',
  };
  const reason = reasons[thrown.code ?? ''];
  if (reason === undefined) return EarshotError.from(thrown);
  return new EarshotError('conflict', `Expected to listen on ${host}:${port} but ${reason}`, {
    cause: thrown,
    nextAction: 'Choose another port (EARSHOT_PORT, --port) or address (EARSHOT_HOST, --host).',
  });
}
