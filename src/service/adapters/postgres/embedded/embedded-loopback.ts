import { randomBytes, randomInt } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { isAlive } from '../../../../library/core/machine/is-alive.ts';
import { runAs } from './embedded-install.ts';
import { holdUserPipe } from './embedded-user-pipe.ts';
import { cannotRun, type Place, type ServerWays } from './embedded-ways.ts';
import { pollExit, readPostmaster } from './postmaster-file.ts';

/** Below the ephemeral ports, which outgoing connections could take between two starts. */
const [lowestPort, highestPort] = [20_000, 32_000];
const portFile = 'earshot-port';
/** How long to wait for the last port to become free before another one is chosen. */
const portPatienceMs = 5000;
const startSeconds = 60;
const prefix = 'startup-';

/**
 * Windows, without unix sockets in Node and without signals: a loopback port with a password, and pg_ctl, which also
 * drops administrator rights (the server refuses to start with them).
 */
export function loopbackWays(place: Place): ServerWays {
  const { dataDir } = place;
  const control = (...args: readonly string[]): Promise<Answer> => runControl(place, args);
  return {
    async running() {
      const port = await runningPort(dataDir);
      return port === null ? null : { socketDir: null, port };
    },
    fresh: async () => ({ socketDir: null, port: await portFor(dataDir) }),
    hold: async (log) => holdUserPipe(place, log),
    async start({ port }, settings) {
      await forgetLogs(dataDir);
      // A new file: on Windows a file opened by another process cannot be written.
      const startupLog = join(dataDir, `${prefix}${randomBytes(4).toString('hex')}.log`);
      const options = Object.entries({
        ...settings,
        listen_addresses: '127.0.0.1',
        port: String(port),
        unix_socket_directories: '',
      });
      const answer = await control(
        'start',
        '-D',
        dataDir,
        '-w',
        '-t',
        String(startSeconds),
        '-l',
        startupLog,
        '-o',
        options.map(([name, value]) => `-c ${name}=${value}`).join(' '),
      );
      const pid = answer.status === 0 ? ((await readPostmaster(dataDir))?.pid ?? 0) : 0;
      return { pid, exited: pid === 0 ? Promise.resolve() : pollExit(pid), startupLog, said: answer.said };
    },
    async reload() {
      const { status, said } = await control('reload', '-D', dataDir);
      if (status !== 0)
        throw new EarshotError(
          'internal_error',
          `The database in ${dataDir} could not reload its access rules: ${said}`,
        );
    },
    async stop(_, how) {
      await control('stop', '-D', dataDir, '-W', '-m', how);
    },
  };
}

/**
 * Checks the pid instead of connecting: after a kill, the port may be another program's, and on Windows a refused
 * connection takes two seconds.
 */
async function runningPort(dataDir: string): Promise<number | null> {
  const found = await readPostmaster(dataDir);
  return found !== null && isAlive(found.pid) ? found.port : null;
}

interface Answer {
  readonly status: number | null;
  /** The end of its output. */
  readonly said: string;
}

/** Waits for the program's exit, not for the end of its output: the server inherits the pipes. */
function runControl({ programs, user }: Place, args: readonly string[]): Promise<Answer> {
  return new Promise((done, fail) => {
    // On Windows this gives the server a hidden console, which Ctrl-C in ours does not reach.
    const child = runAs(user, programs.control, args);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)));
    child.once('error', (error) => fail(cannotRun(programs.control, user, error)));
    child.once('exit', (status) => {
      // Its output has arrived by the next turn of the event loop.
      setImmediate(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        done({ status, said });
      });
    });
  });
}

/** The port of the last start, so that the address stays the same; another one when it is taken. */
async function portFor(dataDir: string): Promise<number> {
  const path = join(dataDir, portFile);
  const last = Number(await readFile(path, 'utf8').catch(() => ''));
  const deadline = performance.now() + portPatienceMs;
  if (Number.isInteger(last) && last > 0 && last < 65_536)
    for (;;) {
      // A concurrent start may already use it: then our start fails on the data folder, and joins that server.
      if ((await isFree(last)) || (await runningPort(dataDir)) === last) return last;
      if (performance.now() > deadline) break;
      await sleep(50);
    }
  for (let tries = 0; tries < 1000; tries += 1) {
    const port = randomInt(lowestPort, highestPort);
    if (!(await isFree(port))) continue;
    await writeFile(path, String(port), { mode: 0o600 });
    return port;
  }
  throw new EarshotError(
    'internal_error',
    `There is no free port on 127.0.0.1 between ${lowestPort} and ${highestPort} for the database`,
    { nextAction: 'Set DATABASE_URL to the address of a running PostgreSQL.' },
  );
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => done(true)));
  });

/** Removes the logs of earlier starts that are not open. */
async function forgetLogs(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(prefix)) await rm(join(dataDir, name), { force: true }).catch(() => undefined);
}
