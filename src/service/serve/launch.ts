import { join } from 'node:path';
import { EarshotError } from '../../library/core/errors.ts';
import { isPrivateFolder } from '../../library/core/home-folder.ts';
import { compileCacheFolder } from '../../library/runtime/compile-cache.ts';
import type { Config } from '../rules/config.ts';
import { prepareDatabase } from './backend.ts';
import { banner, firstStart } from './first-start.ts';
import { refuseBusyPorts } from './listening.ts';
import { createLog } from './log.ts';
import { makeDataFolder, openServiceDatabase } from './service-data.ts';
import { supervise, type Supervised, tidyMs } from './supervise.ts';
import { moduleUrl } from '../../library/core/running-files.ts';

/**
 * Node lets the young generation grow to 130 MB where many requests are under way; this is what it was for long, and an
 * API that 200 visitors send files to stays 90 MB smaller.
 */
const apiFlags = ['--max-semi-space-size=16'] as const;

/**
 * `earshot serve`: starts the database, the API and the supervisor of jobs, starts again what falls, and on the signal
 * lets running jobs finish or go back to the queue, then ends everything. Resolves when all of it is gone.
 * @throws EarshotError when something does not start
 */
export async function launch(config: Config, signal: AbortSignal, print: (text: string) => void): Promise<void> {
  const log = createLog(config.logLevel, 'launcher');
  await refuseBusyPorts(config);
  await makeDataFolder(config.data, log);
  // Where the installation and the user's folders cannot be written, as in many containers.
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
      // A new API takes the ports of the one before it, also where the system had chosen them.
      ({ address, legacyAddress }) => ({
        type: 'start',
        config: {
          ...config,
          // The owner's password stays here.
          databaseOwnerUrl: null,
          ...(address === null ? {} : { port: portOf(address) }),
          ...(legacyAddress === null ? {} : { legacyPort: portOf(legacyAddress) }),
        },
        databaseUrl: database.url,
      }),
      (event) => log.warn({}, event),
      name === 'api' ? apiFlags : [],
      // A killed launcher's children still write down what they have done.
      () => database.lifelineFd,
    );
  try {
    const first = await prepareDatabase(database, log, async (operator) => {
      // Side by side: starting takes longest where modules are loaded.
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
    print(`\nFinishing what runs (at most ${config.graceSeconds} s; Ctrl-C again ends at once) ...\n`);
  } finally {
    await Promise.all(children.map((child) => child.stop(config.graceSeconds * 1000 + tidyMs)));
  }
}

const portOf = (address: string): number => Number(new URL(address).port);
