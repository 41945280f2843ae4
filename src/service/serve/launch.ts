import { join } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { isPrivateFolder } from '../../library/core/files/home-folder.ts';
import { compileCacheFolder } from '../../library/runtime/process/compile-cache.ts';
import type { Config } from '../rules/settings/config.ts';
import { prepareDatabase } from './backend.ts';
import { aliveFile } from './alive-file.ts';
import { banner, firstStart } from './first-start.ts';
import { refuseBusyPorts } from './listening.ts';
import { createLog } from './log.ts';
import { makeDataFolder, openServiceDatabase } from './service-data.ts';
import { supervise, type Supervised, tidyMs } from './supervise.ts';
import { moduleUrl } from '../../library/core/running-files.ts';

/**
 * Node's default young generation grows to 130 MB under many requests. This value, an earlier default, saves 90 MB with
 * 200 concurrent uploads.
 */
const apiFlags = ['--max-semi-space-size=16'] as const;

/**
 * `earshot serve`: starts the database, the API and the supervisor of jobs, and restarts them after a crash. When the
 * signal is aborted, lets running jobs finish or requeues them, and stops everything. Resolves when all has stopped.
 * @throws EarshotError when the start fails
 */
export async function launch(config: Config, signal: AbortSignal, print: (text: string) => void): Promise<void> {
  const log = createLog(config.logLevel, 'launcher');
  await refuseBusyPorts(config);
  await makeDataFolder(config.data, log);
  // For containers in which neither the installation nor the user's folders are writable.
  if (compileCacheFolder() === null && !process.env['NODE_DISABLE_COMPILE_CACHE']) {
    const folder = join(config.data, 'compiled');
    if (isPrivateFolder(folder)) process.env['NODE_COMPILE_CACHE'] = folder;
  }
  await using database = await openServiceDatabase(config, log);
  const children: Supervised[] = [];
  const start = (name: 'api' | 'worker'): Promise<Supervised> =>
    supervise(
      new URL(moduleUrl('service/serve/service-process')),
      name,
      // After a restart the API keeps its ports, also those chosen by the system.
      ({ address, legacyAddress }) => ({
        type: 'start',
        config: {
          ...config,
          // Children must not get the owner's password.
          databaseOwnerUrl: null,
          ...(address === null ? {} : { port: portOf(address) }),
          ...(legacyAddress === null ? {} : { legacyPort: portOf(legacyAddress) }),
        },
        databaseUrl: database.url,
      }),
      (event) => log.warn({}, event),
      {
        silentMs: config.silentSeconds * 1000,
        nodeFlags: name === 'api' ? apiFlags : [],
        // If the launcher is killed, its children still need the database to settle their jobs.
        heldFd: () => database.lifelineFd,
        ...(name === 'worker' ? { onAnswer: aliveFile(config.data) } : {}),
      },
    );
  try {
    const first = await prepareDatabase(database, log, async (operator) => {
      // Concurrently: most of the start is loading modules.
      const starting = [
        ...(config.role === 'worker' ? [] : [start('api')]),
        ...(config.role === 'api' ? [] : [start('worker')]),
      ];
      const started = await Promise.allSettled(starting);
      for (const outcome of started) if (outcome.status === 'fulfilled') children.push(outcome.value);
      const failed = started.find((outcome) => outcome.status === 'rejected');
      if (failed) throw EarshotError.from(failed.reason);
      return config.role === 'worker' ? null : firstStart(operator, config);
    });
    const { address = null, legacyAddress = null } =
      children.find(({ addresses }) => addresses.address !== null)?.addresses ?? {};
    print(banner(config, address, legacyAddress, first));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    print(`\nFinishing running jobs (at most ${config.graceSeconds} s; press Ctrl-C again to stop at once) ...\n`);
  } finally {
    await Promise.all(children.map((child) => child.stop(config.graceSeconds * 1000 + tidyMs)));
  }
}

const portOf = (address: string): number => Number(new URL(address).port);
