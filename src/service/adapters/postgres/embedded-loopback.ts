import { randomBytes, randomInt } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../../library/core/errors.ts';
import { isAlive, runAs } from './embedded-install.ts';
import { holdUserPipe } from './embedded-user-pipe.ts';
import { cannotRun, type Place, type ServerWays } from './embedded-ways.ts';
import { pollExit, readPostmaster } from './postmaster-file.ts';

/** Below those that systems give to outgoing connections, which would take it between a server's end and the next start. */
const [lowestPort, highestPort] = [20_000, 32_000];
const portFile = 'earshot-port';
/** So long the port of the last start may still be somebody's before another one is chosen. */
const portPatienceMs = 5000;
const startSeconds = 60;
const prefix = 'startup-';

/**
 * Windows: Node speaks no unix sockets there, and programs have no signals. A port of the loopback that asks for a password,
 * and pg_ctl, which also takes the rights of an administrator from the server, which refuses to start with them.
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
      // A file of its own: Windows lets nobody else write to one that a shell has open.
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
        throw new EarshotError('internal_error', `The database in ${dataDir} does not read its rules again: ${said}`);
    },
    async stop(_, how) {
      await control('stop', '-D', dataDir, '-W', '-m', how);
    },
  };
}

/**
 * A killed server leaves its number behind: nobody answers at its port, which Windows takes two seconds to say, or somebody
 * else does.
 */
async function runningPort(dataDir: string): Promise<number | null> {
  const found = await readPostmaster(dataDir);
  return found !== null && isAlive(found.pid) ? found.port : null;
}

interface Answer {
  readonly status: number | null;
  /** The end of what it printed. */
  readonly said: string;
}

/** The server must not hold our end of a pipe: it is over when the program ends, and not when its output does. */
function runControl({ programs, user }: Place, args: readonly string[]): Promise<Answer> {
  return new Promise((done, fail) => {
    // On Windows the server gets its console from here: a hidden one of its own, which Ctrl-C in ours does not reach.
    const child = runAs(user, programs.control, args);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)));
    child.once('error', (error) => fail(cannotRun(programs.control, user, error)));
    child.once('exit', (status) => {
      // What it wrote before its end has come by the next turn.
      setImmediate(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        done({ status, said });
      });
    });
  });
}

/** The one of the last start, so that whoever knows the address finds the next server there; another when it is taken. */
async function portFor(dataDir: string): Promise<number> {
  const path = join(dataDir, portFile);
  const last = Number(await readFile(path, 'utf8').catch(() => ''));
  const deadline = performance.now() + portPatienceMs;
  if (Number.isInteger(last) && last > 0 && last < 65_536)
    for (;;) {
      // Another start may have been faster: then ours ends over the data, and finds it.
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
    `The database finds no free port of 127.0.0.1 between ${lowestPort} and ${highestPort}`,
    { nextAction: 'Point DATABASE_URL at a PostgreSQL that runs already.' },
  );
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => done(true)));
  });

/** Those of earlier starts, unless a shell still has them open. */
async function forgetLogs(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(prefix)) await rm(join(dataDir, name), { force: true }).catch(() => undefined);
}
