import { spawn } from 'node:child_process';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../core/errors.ts';
import type { Log } from '../../service/log.ts';
import {
  type DatabaseUrls,
  ensureAccess,
  isRefusal,
  othersConnected,
  ownerClient,
  readPasswords,
  socketPort,
} from './embedded-access.ts';
import { guardServer, holdLifeline, type Lifeline } from './embedded-lifeline.ts';
import {
  commandAs,
  ensureCluster,
  findPrograms,
  findServerUser,
  isAlive,
  prepareSocketDir,
  serverEnvironment,
  type Programs,
  type ServerUser,
} from './embedded-install.ts';

export interface EmbeddedOptions {
  /** Holds the cluster; made at the first start. */
  readonly dataDir: string;
  readonly log: Log;
  /** Server settings over ours, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** false, for tests: as root on a system without user namespaces. */
  readonly namespaces?: boolean;
}

export interface EmbeddedPostgres extends DatabaseUrls {
  readonly socketDir: string;
  /** Of the postmaster. */
  readonly pid: number;
  /** It was running already: another process of ours uses it. */
  readonly reused: boolean;
  /** See Lifeline: the server ends when the last process that has it open ends. null: it stays until it is stopped. */
  readonly lifelineFd: number | null;
  /**
   * Fast shutdown: open transactions are rolled back, everything is on disk. Does nothing when it has ended already.
   * @param options.unlessUsed leaves it running while somebody else is connected, for commands beside a running service
   */
  stop(options?: { readonly unlessUsed?: boolean }): Promise<void>;
  /**
   * Calls back once when the server ends, whatever ended it; at once when it has. Start a new one with
   * startEmbeddedPostgres.
   */
  onExit(callback: (event: { readonly expected: boolean }) => void): void;
}

/** For a machine that also runs the jobs: the work is small rows, durability is not for sale. */
const serverSettings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
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
  // Seven files, one per weekday, each written over after a week: logs end by themselves.
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_min_messages: 'warning',
};

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
/** From the end of the last user to the signal that ends the server: milliseconds, on a very busy machine more. */
const guardTakesMs = 1000;

/**
 * A PostgreSQL of our own on a unix socket, data in one folder. Joins a server that already runs on that folder.
 * @throws EarshotError internal_error saying what stands in the way and what to do
 */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  settings = {},
  namespaces = true,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dir = resolve(dataDir);
  const programs = findPrograms();
  const user = await findServerUser(namespaces);
  const socketDir = await prepareSocketDir(dir, user);
  const began = performance.now();
  const deadline = began + startTimeoutMs;
  const lifeline = holdLifeline(socketDir, log);
  try {
    return await joinOrStart();
  } catch (thrown) {
    lifeline?.release();
    throw thrown;
  }

  async function joinOrStart(): Promise<EmbeddedPostgres> {
    let running = await findRunning(dir, socketDir, deadline);
    if (running !== null && lifeline?.isGuarded === false) {
      // Its last user has just gone, and it is about to be ended; or nothing watches over it, as over those of earlier
      // versions.
      await Promise.race([pollExit(running), sleep(guardTakesMs)]);
      running = await findRunning(dir, socketDir, deadline);
      if (running !== null) guardServer(dir, socketDir, running, lifeline);
    }
    if (running !== null) {
      log.info({ pid: running }, 'The database runs already');
      const urls = await ensureAccess(dir, socketDir, running);
      return attach({ dir, socketDir, urls, pid: running, reused: true, log, exited: pollExit(running), lifeline });
    }
    const { created } = await ensureCluster(programs, dir, user, settings['fsync'] !== 'off');
    if (created) log.info({ dataDir: dir }, 'Made a new database');
    for (;;) {
      const server = await spawnServer({
        programs,
        user,
        dir,
        socketDir,
        settings: { ...serverSettings, ...settings },
      });
      const outcome = await becomesReady(dir, socketDir, server, deadline);
      if (outcome.ready) {
        const urls = await ensureAccess(dir, socketDir, server.pid);
        log.info({ pid: server.pid, ms: Math.round(performance.now() - began) }, 'The database has started');
        if (lifeline !== null) {
          const guard = guardServer(dir, socketDir, server.pid, lifeline);
          void server.exited.then(() => guard.kill('SIGKILL'));
        }
        return attach({ dir, socketDir, urls, pid: server.pid, reused: false, log, exited: server.exited, lifeline });
      }
      // Another start was faster, or backends of a killed postmaster are still letting go of the memory that they share.
      const other = await findRunning(dir, socketDir, deadline);
      if (other !== null) {
        const urls = await ensureAccess(dir, socketDir, other);
        return attach({ dir, socketDir, urls, pid: other, reused: true, log, exited: pollExit(other), lifeline });
      }
      if (
        !/pre-existing shared memory block|lock file .* already exists/.test(outcome.output) ||
        performance.now() > deadline
      ) {
        throw new EarshotError(
          'internal_error',
          `The database in ${dir} does not start: ` +
            (outcome.output.trim().split('\n').slice(-4).join(' ') || 'it gives no reason'),
          {
            nextAction:
              `Read ${join(dir, 'startup.log')} and ${join(dir, 'log')}. Or point DATABASE_URL at a ` +
              'PostgreSQL that runs already.',
          },
        );
      }
      await sleep(200);
    }
  }
}

interface Server {
  readonly pid: number;
  readonly exited: Promise<void>;
}

async function spawnServer({
  programs,
  user,
  dir,
  socketDir,
  settings,
}: {
  programs: Programs;
  user: ServerUser;
  dir: string;
  socketDir: string;
  settings: Readonly<Record<string, string>>;
}): Promise<Server> {
  const args = [
    '-D',
    dir,
    '-k',
    socketDir,
    '-p',
    String(socketPort),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  // A file and no pipe: the server may outlive us, for others who use it, and must not meet a closed end.
  const output = await open(join(dir, 'startup.log'), 'w', 0o600);
  try {
    // In a session of its own, so that Ctrl-C in our terminal does not end it while we still drain.
    const started = commandAs(user, programs.postgres, args);
    const child = spawn(started.command, started.args, {
      cwd: '/',
      env: serverEnvironment(),
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
      ...started.ids,
    });
    const exited = new Promise<void>((done) => {
      child.once('exit', () => done());
    });
    await new Promise<void>((done, fail) => {
      child.once('spawn', done);
      child.once('error', (error) =>
        fail(
          new EarshotError('internal_error', `Cannot run ${programs.postgres}: ${error.message}`, {
            cause: error,
            nextAction:
              user === null
                ? 'Install Earshot again.'
                : `The user ${user.name} must be able to enter every folder above it; install Earshot elsewhere, ` +
                  'or start it as an ordinary user.',
          }),
        ),
      );
    });
    child.unref();
    return { pid: child.pid ?? 0, exited };
  } finally {
    await output.close();
  }
}

async function becomesReady(
  dir: string,
  socketDir: string,
  { pid, exited }: Server,
  deadline: number,
): Promise<{ readonly ready: boolean; readonly output: string }> {
  const gone = exited.then(() => true);
  for (;;) {
    // Of two that start at the same time one ends; who answers meanwhile may be the other one.
    if ((await probe(dir, socketDir)) === 'ready' && (await readPostmasterPid(dir)) === pid)
      return { ready: true, output: '' };
    const over = await Promise.race([gone, sleep(20, false)]);
    if (over || performance.now() > deadline)
      return { ready: false, output: await readFile(join(dir, 'startup.log'), 'utf8').catch(() => '') };
  }
}

/** Is there a live server on the socket? One that is still starting or recovering is waited for. */
async function findRunning(dir: string, socketDir: string, deadline: number): Promise<number | null> {
  for (;;) {
    const state = await probe(dir, socketDir);
    const pid = await readPostmasterPid(dir);
    if (state === 'ready' && pid !== null) return pid;
    if (state === 'absent') {
      // The server takes a postmaster.pid seriously when any process has that number: a zombie, or something else
      // altogether, since numbers start over in containers. What guards against two servers without it is the shared
      // memory of the data folder.
      if (pid !== null && (!isAlive(pid) || (await isOtherProgram(pid))))
        await rm(join(dir, 'postmaster.pid'), { force: true });
      return null;
    }
    if (performance.now() > deadline)
      throw new EarshotError(
        'internal_error',
        `The database in ${dir} runs but does not accept connections after ${startTimeoutMs / 1000} s`,
        { nextAction: `Read the newest file in ${join(dir, 'log')}.` },
      );
    await sleep(50);
  }
}

/** 'busy': starting, recovering or shutting down. */
async function probe(dir: string, socketDir: string): Promise<'ready' | 'busy' | 'absent'> {
  if (
    !(await stat(join(socketDir, `.s.PGSQL.${socketPort}`)).then(
      () => true,
      () => false,
    ))
  )
    return 'absent';
  const client = ownerClient(socketDir, await readPasswords(dir));
  try {
    await client.connect();
    return 'ready';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'absent';
    // cannot_connect_now, too_many_connections, a password that it does not take, and ends in the middle of the greeting: somebody is there.
    return code === '53300' || isRefusal(error) ? 'ready' : 'busy';
  } finally {
    await client.end().catch(() => {});
  }
}

async function readPostmasterPid(dir: string): Promise<number | null> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

async function isOtherProgram(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => null);
  return name !== null && name.trim() !== 'postgres';
}

/** The end of a server that is not our child. */
async function pollExit(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(200, undefined, { ref: false });
}

function attach({
  dir,
  socketDir,
  urls,
  pid,
  reused,
  log,
  exited,
  lifeline,
}: {
  dir: string;
  socketDir: string;
  urls: DatabaseUrls;
  pid: number;
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
    if (!expected) log.error({ pid }, 'The database has ended unexpectedly');
  })();
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
  };
  const endsWithin = (ms: number): Promise<boolean> => {
    const abort = new AbortController();
    return Promise.race([exited.then(() => true), sleep(ms, false, { signal: abort.signal })]).finally(() =>
      abort.abort(),
    );
  };
  return {
    ...urls,
    socketDir,
    pid,
    reused,
    lifelineFd: lifeline?.fd ?? null,
    async stop({ unlessUsed = false } = {}) {
      if (over) return;
      if (unlessUsed && (await othersConnected(dir, socketDir))) return lifeline?.release();
      expected = true;
      signal('SIGINT');
      if (await endsWithin(stopTimeoutMs)) return;
      log.warn({ dir }, 'The database does not end by itself; ending it at once. It recovers at the next start');
      signal('SIGQUIT');
      if (!(await endsWithin(5000))) signal('SIGKILL');
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
