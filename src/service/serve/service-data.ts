import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DatabaseUrls } from '../adapters/postgres/embedded/embedded-access.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../adapters/postgres/embedded/embedded.ts';
import { keepPrivate } from '../adapters/postgres/embedded/folder-rights.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { Config } from '../rules/settings/config.ts';
import type { Log } from '../rules/shared/log.ts';

/**
 * Creates the data folder, accessible only to this user.
 * @param privately removes other users' rights on Windows; replaced in tests
 * @throws EarshotError bad_request when it cannot be created
 */
export async function makeDataFolder(
  folder: string,
  log: Pick<Log, 'warn'>,
  privately: typeof keepPrivate | null = process.platform === 'win32' ? keepPrivate : null,
): Promise<void> {
  try {
    const work = join(resolve(folder), 'work');
    const made = await mkdir(work, { recursive: true, mode: 0o700 });
    // The rights of an existing folder are not changed.
    if (made !== undefined && resolve(made) !== work) await privately?.(resolve(folder), log);
  } catch (thrown) {
    throw new EarshotError('bad_request', `Expected a writable folder at ${folder} but: ${(thrown as Error).message}`, {
      cause: thrown,
      nextAction: 'Set EARSHOT_DATA (--data) to another folder.',
    });
  }
}

/** Addresses of the external PostgreSQL; null: the embedded one is used. */
export function externalDatabase({
  databaseUrl: url,
  databaseDirectUrl,
  databaseOwnerUrl,
}: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databaseOwnerUrl'>): DatabaseUrls | null {
  if (url === null) return null;
  const directUrl = databaseDirectUrl ?? url;
  return { url, directUrl, ownerUrl: databaseOwnerUrl ?? directUrl };
}

/**
 * A running PostgreSQL. After a crash it is restarted on the same addresses. Disposing it stops an embedded one, unless
 * others use it.
 */
export interface ServiceDatabase extends DatabaseUrls, AsyncDisposable {
  /** Keeps the embedded server alive while a process has it open; null: external. */
  readonly lifelineFd: number | null;
}

/** The external PostgreSQL, or the embedded one, which is restarted after a crash. */
export async function openServiceDatabase(config: Config, log: Log): Promise<ServiceDatabase> {
  const external = externalDatabase(config);
  if (external !== null) return { ...external, lifelineFd: null, async [Symbol.asyncDispose]() {} };
  const dataDir = join(config.data, 'postgres');
  const ending = new AbortController();
  let restarting: Promise<void> = Promise.resolve();
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir, log });
  const watch = (): void =>
    server.onExit(() => {
      if (!ending.signal.aborted) restarting = restart();
    });
  const restart = async (): Promise<void> => {
    for (let pauseMs = 50; !ending.signal.aborted; pauseMs = Math.min(5000, pauseMs * 2)) {
      try {
        server = await startEmbeddedPostgres({ dataDir, log });
        return watch();
      } catch (thrown) {
        log.error({ error: EarshotError.from(thrown).message }, 'The database does not start; retrying');
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  };
  watch();
  return {
    url: server.url,
    ownerUrl: server.ownerUrl,
    get lifelineFd() {
      return server.lifelineFd;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await restarting;
      // Another service on the same folder may still use it.
      await server.stop({ unlessUsed: true });
    },
  };
}
