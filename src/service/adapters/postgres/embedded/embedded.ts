import { readFile, rm } from 'node:fs/promises';
import { join as joinPath, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Log } from '../../../rules/shared/log.ts';
import {
  type Address,
  type DatabaseUrls,
  ensureAccess,
  isRefusal,
  othersConnected,
  ownerClient,
  readPasswords,
} from './embedded-access.ts';
import { isAlive } from '../../../../library/core/machine/is-alive.ts';
import { ensureCluster, findPrograms, findServerUser } from './embedded-install.ts';
import { loopbackWays } from './embedded-loopback.ts';
import { socketWays } from './embedded-sockets.ts';
import { type Lifeline, type Server, type ServerWays, signalServer } from './embedded-ways.ts';
import { keepPrivate } from './folder-rights.ts';
import { isLeftEmpty, pollExit, postmasterFile, readPostmaster } from './postmaster-file.ts';

export interface EmbeddedOptions {
  /** Folder of the cluster; created at the first start. */
  readonly dataDir: string;
  readonly log: Log;
  /** Further server settings, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** false, for tests: no user namespaces. */
  readonly namespaces?: boolean;
  /** For tests: another platform. */
  readonly system?: NodeJS.Platform;
}

export interface EmbeddedPostgres extends DatabaseUrls {
  /** null on Windows, where it listens on a port of 127.0.0.1. */
  readonly socketDir: string | null;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Was it already running, started by another process of ours? */
  readonly reused: boolean;
  /** See Lifeline: the server ends when the last process with this descriptor ends. null: it runs until stopped. */
  readonly lifelineFd: number | null;
  /**
   * Fast shutdown: rolls back open transactions. Does nothing when the server has already ended.
   * @param options.unlessUsed leaves it running if there are other connections, for commands beside a running service
   */
  stop(options?: { readonly unlessUsed?: boolean }): Promise<void>;
  /**
   * Calls back once when the server has ended for any reason; at once if it already has. Start a new one with
   * startEmbeddedPostgres.
   */
  onExit(callback: (event: { readonly expected: boolean }) => void): void;
}

/** Small memory, because the machine also runs the jobs; full durability. */
const serverSettings: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '64MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  // One log file per weekday, overwritten after a week.
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_min_messages: 'warning',
};

/**
 * Systems on which the default method leaves commits in the disk's cache:
 * https://www.postgresql.org/docs/18/wal-reliability.html
 */
const waysToDisk: Partial<Record<NodeJS.Platform, Readonly<Record<string, string>>>> = {
  darwin: { wal_sync_method: 'fsync_writethrough' },
  win32: { wal_sync_method: 'fsync' },
};

/** The server's settings on a platform. */
export const settingsOn = (system: NodeJS.Platform): Readonly<Record<string, string>> => ({
  ...serverSettings,
  ...waysToDisk[system],
});

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
/** Longest time from the end of the last user until the guard ends the server. */
const guardTakesMs = 1000;

/**
 * Starts an embedded PostgreSQL with its data in one folder, on a unix socket (Windows: a port of 127.0.0.1), or joins
 * the one that is already running on that folder.
 * @throws EarshotError internal_error with the reason and the next step
 */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  settings = {},
  namespaces = true,
  system = process.platform,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dir = resolve(dataDir);
  const programs = findPrograms();
  const user = await findServerUser(namespaces);
  const place = { dataDir: dir, programs, user };
  const ways = system === 'win32' ? loopbackWays(place) : await socketWays(place);
  const began = performance.now();
  const deadline = began + startTimeoutMs;
  const lifeline = await ways.hold(log);
  try {
    return await joinOrStart();
  } catch (thrown) {
    lifeline?.release();
    throw thrown;
  }

  async function joinOrStart(): Promise<EmbeddedPostgres> {
    let running = await findRunning(dir, ways, deadline);
    if (running !== null && lifeline?.isGuarded === false) {
      // Its last user has just ended, so it is about to be stopped; or it has no guard, as in older versions.
      await Promise.race([pollExit(running.pid), sleep(guardTakesMs)]);
      running = await findRunning(dir, ways, deadline);
      if (running !== null) await lifeline.guard(running.pid);
    }
    if (running !== null) {
      log.info({ pid: running.pid }, 'Joined the running database');
      return await join(running);
    }
    const { created } = await ensureCluster({
      ...place,
      durable: settings['fsync'] !== 'off',
      overSocket: system !== 'win32',
      keepPrivate: process.platform === 'win32' ? (folder) => keepPrivate(folder, log) : null,
    });
    if (created) log.info({ dataDir: dir }, 'Created a new database');
    for (;;) {
      const address = await ways.fresh();
      const server = await ways.start(address, { ...settingsOn(system), ...settings });
      const outcome = await becomesReady(dir, address, server, deadline);
      if (outcome.ready) {
        const running = { pid: server.pid, address };
        const urls = await access(running);
        log.info({ pid: server.pid, ms: Math.round(performance.now() - began) }, 'The database has started');
        await lifeline?.guard(server.pid, server.exited);
        return attach({ dir, ways, ...running, urls, reused: false, log, exited: server.exited, lifeline });
      }
      // A concurrent start was faster, or backends of a killed postmaster still hold the shared memory.
      const other = await findRunning(dir, ways, deadline);
      if (other !== null) return await join(other);
      if (
        !/pre-existing shared memory block|lock file "[^"]*" (?:already exists|is empty)|could not bind/.test(
          outcome.output,
        ) ||
        performance.now() > deadline
      ) {
        throw new EarshotError(
          'internal_error',
          `The database in ${dir} does not start: ` +
            (outcome.output.trim().split('\n').slice(-4).join(' ') || 'no reason given'),
          {
            nextAction:
              `Read ${server.startupLog} and ${joinPath(dir, 'log')}. Or set DATABASE_URL to the address of a ` +
              'running PostgreSQL.',
          },
        );
      }
      await sleep(200);
    }
  }

  function access({ pid, address }: Running): Promise<DatabaseUrls> {
    return ensureAccess({ dataDir: dir, address, reload: () => ways.reload(pid) });
  }

  async function join(running: Running): Promise<EmbeddedPostgres> {
    const urls = await access(running);
    await lifeline?.joinGuard(running.pid);
    return attach({ dir, ways, ...running, urls, reused: true, log, exited: pollExit(running.pid), lifeline });
  }
}

interface Running {
  readonly pid: number;
  readonly address: Address;
}

async function becomesReady(
  dir: string,
  address: Address,
  { pid, exited, startupLog, said }: Server,
  deadline: number,
): Promise<{ readonly ready: boolean; readonly output: string }> {
  const gone = exited.then(() => true);
  for (;;) {
    // Of two concurrent starts one ends: check that the responding server is this one.
    if ((await probe(dir, address)) === 'ready' && (await readPostmaster(dir))?.pid === pid)
      return { ready: true, output: '' };
    const over = await Promise.race([gone, sleep(20, false)]);
    if (over || performance.now() > deadline)
      return { ready: false, output: said + (await readFile(startupLog, 'utf8').catch(() => '')) };
  }
}

/** The running server on the data folder; waits for one that is starting or recovering. null: none. */
async function findRunning(dir: string, ways: ServerWays, deadline: number): Promise<Running | null> {
  for (;;) {
    const address = await ways.running();
    const state = address === null ? 'absent' : await probe(dir, address);
    const pid = (await readPostmaster(dir))?.pid ?? null;
    if (state === 'ready' && pid !== null && address !== null) return { pid, address };
    if (state === 'absent') {
      // PostgreSQL refuses to start if any process has the pid of postmaster.pid, also a zombie or another program
      // (pids restart in containers). Removing the file is safe: shared memory still prevents two servers on one data
      // folder.
      if (pid === null ? await isLeftEmpty(dir) : !isAlive(pid) || (await isOtherProgram(pid)))
        await rm(postmasterFile(dir), { force: true });
      return null;
    }
    if (performance.now() > deadline)
      throw new EarshotError(
        'internal_error',
        `The database in ${dir} is running but does not accept connections after ${startTimeoutMs / 1000} s`,
        { nextAction: `Read the newest file in ${joinPath(dir, 'log')}.` },
      );
    await sleep(50);
  }
}

/** 'busy': starting, recovering or shutting down. */
async function probe(dir: string, address: Address): Promise<'ready' | 'busy' | 'absent'> {
  const client = ownerClient(address, await readPasswords(dir));
  try {
    await client.connect();
    return 'ready';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'absent';
    // Any other error means that a server is there: cannot_connect_now, too_many_connections, a wrong password, a
    // closed connection.
    return code === '53300' || isRefusal(error) ? 'ready' : 'busy';
  } finally {
    await client.end().catch(() => {});
  }
}

async function isOtherProgram(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => null);
  return name !== null && name.trim() !== 'postgres';
}

function attach({
  dir,
  ways,
  address,
  pid,
  urls,
  reused,
  log,
  exited,
  lifeline,
}: Running & {
  dir: string;
  ways: ServerWays;
  urls: DatabaseUrls;
  reused: boolean;
  log: Log;
  exited: Promise<void>;
  lifeline: Lifeline | null;
}): EmbeddedPostgres {
  let over = false;
  let expected = false;
  const ended = (async () => {
    await exited;
    over = true;
    lifeline?.release();
    if (!expected) log.error({ pid }, 'The database has exited unexpectedly');
  })();
  const endsWithin = (ms: number): Promise<boolean> => {
    const abort = new AbortController();
    return Promise.race([exited.then(() => true), sleep(ms, false, { signal: abort.signal })]).finally(() =>
      abort.abort(),
    );
  };
  return {
    ...urls,
    socketDir: address.socketDir,
    pid,
    reused,
    lifelineFd: lifeline?.fd ?? null,
    async stop({ unlessUsed = false } = {}) {
      if (over) return;
      if (unlessUsed && (await othersConnected(dir, address))) return lifeline?.release();
      expected = true;
      await ways.stop(pid, 'fast');
      if (await endsWithin(stopTimeoutMs)) return;
      log.warn(
        { dir },
        'The database did not shut down in time; stopping it immediately. It recovers at the next start',
      );
      await ways.stop(pid, 'immediate');
      if (!(await endsWithin(5000))) signalServer(pid, 'SIGKILL');
      await exited;
    },
    onExit(callback) {
      void (async () => {
        await ended;
        callback({ expected });
      })();
    },
  };
}
