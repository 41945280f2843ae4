// @module-tag slower
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../../../src/service/adapters/postgres/database/database.ts';
import { isAlive } from '../../../../../src/library/core/machine/is-alive.ts';
import { guardServer, holdLifeline } from '../../../../../src/service/adapters/postgres/embedded/embedded-lifeline.ts';
import { prepareSocketDir } from '../../../../../src/service/adapters/postgres/embedded/embedded-sockets.ts';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../../../src/service/adapters/postgres/embedded/embedded.ts';
import { quickFolder } from '../../../../fixtures/quick-folder.ts';
import { endServer, fastSettings } from '../../../../fixtures/service/database-server.ts';
import { exitOf, startElsewhere } from '../../../../fixtures/service/server-elsewhere.ts';
import { until } from '../../../../fixtures/until.ts';
import { quietLog } from '../../../../fixtures/service/quiet-log.ts';

const servers: EmbeddedPostgres[] = [];
let folder = '';
let dataDir = '';

beforeEach(async () => {
  folder = await mkdtemp(join(quickFolder(), 'earshot-embedded-'));
  dataDir = join(folder, 'postgres');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await endServer(server);
  await rm(socketDirOf(dataDir), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

const socketDirOf = (dir: string): string =>
  join(tmpdir(), `earshot-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`);

async function start(
  settings: Readonly<Record<string, string>> = fastSettings,
  namespaces = true,
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: quietLog, settings, namespaces });
  servers.push(server);
  return server;
}

async function query<Row extends pg.QueryResultRow>({ ownerUrl }: EmbeddedPostgres, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

test('a kill -9 of the postmaster loses no committed row, and the next start recovers', async () => {
  const first = await start({});
  expect(first.reused).toBe(false);
  const [settings] = await query<Record<string, string>>(
    first,
    "select current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync, " +
      "current_setting('synchronous_commit') as commit, current_setting('data_checksums') as checksums, " +
      'pg_encoding_to_char(encoding) as encoding, datcollate as collation ' +
      'from pg_database where datname = current_database()',
  );
  expect(settings).toEqual({
    addresses: '',
    fsync: 'on',
    commit: 'on',
    checksums: 'on',
    encoding: 'UTF8',
    collation: 'C',
  });
  expect((await lstat(first.socketDir ?? '')).mode & 0o777).toBe(0o700);
  await query(first, 'create table kept (n int)');
  const exit = exitOf(first);
  for (let n = 0; n < 20; n += 1) await query(first, `insert into kept values (${n})`);
  process.kill(first.pid, 'SIGKILL');
  expect(await exit).toEqual({ expected: false });

  const second = await start();
  expect(second.pid).not.toBe(first.pid);
  expect(await query(second, 'select count(*)::int as count from kept')).toEqual([{ count: 20 }]);
  const ended = exitOf(second);
  await second.stop();
  expect(await ended).toEqual({ expected: true });
  await second.stop();
});

test('a pool survives the death of the server: queries reject, and work again with the next server', async () => {
  const first = await start();
  const database = openDatabase({ url: first.url, log: quietLog });
  try {
    await database.ping();
    const held = database.transaction(async (trx) => {
      await trx.selectNoFrom((expressions) => expressions.lit(1).as('one')).execute();
      await sleep(500);
      return trx.selectNoFrom((expressions) => expressions.lit(1).as('one')).execute();
    });
    const refused = expect(held).rejects.toThrow();
    const exit = exitOf(first);
    process.kill(first.pid, 'SIGKILL');
    await exit;
    await refused;
    await expect(database.ping()).rejects.toMatchObject({
      code: 'internal_error',
      retryable: true,
      message: 'The database is currently unreachable',
    });
    await start();
    await database.ping();
  } finally {
    await database.close();
  }
});

test('a server whose starter is killed ends by itself, and the next start recovers nothing', async () => {
  const { pid, kill } = await startElsewhere(dataDir);
  expect(isAlive(pid)).toBe(true);
  await kill();
  await until('the server has ended', () => !isAlive(pid));
  // It was shut down, not killed.
  expect(await readdir(dataDir)).not.toContain('postmaster.pid');
  expect((await start()).reused).toBe(false);
});

test('a guard whose starter is gone before it has looked does not wait for ever', async () => {
  const user = holdLifeline(dataDir, folder, quietLog);
  if (typeof user?.fd !== 'number') throw new Error('no pipes here');
  const guard = guardServer(dataDir, folder, process.pid, user.fd);
  const ended = once(guard, 'exit');
  // In the same turn: the shell has not opened the pipe yet.
  user.release();
  await ended;
});

test('a start in the very moment of such an end has a server', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { kill } = await startElsewhere(dataDir);
    void kill();
    const server = await start();
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  }
});

test('two first starts at the same time share one server, and each keeps it alive', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  expect(Number(one.reused) + Number(other.reused)).toBe(1);
  expect(one.pid).toBe(other.pid);
  expect(isAlive(one.pid)).toBe(true);
});

test('a server that nothing watches over, as of an earlier version, is watched over from the next start on', async () => {
  const { pid, kill } = await startElsewhere(dataDir);
  const guards = spawnSync('pgrep', ['-f', `earshot-database-guard.*${dataDir}`], { encoding: 'utf8' });
  for (const guard of guards.stdout.trim().split('\n')) process.kill(Number(guard), 'SIGKILL');
  const joined = await start();
  expect([joined.pid, joined.reused]).toEqual([pid, true]);
  await kill();
  expect(await query(joined, 'select 1 as one')).toEqual([{ one: 1 }]);
  const exit = exitOf(joined);
  await joined.stop({ unlessUsed: true });
  await exit;
});

test('a server outlives its killed starter while others use it, and is not stopped under them', async () => {
  const { pid, kill } = await startElsewhere(dataDir);
  const [one, other] = await Promise.all([start(), start()]);
  expect([one.pid, one.reused, other.pid, other.reused]).toEqual([pid, true, pid, true]);
  await kill();
  const client = new pg.Client({ connectionString: one.url });
  await client.connect();
  await other.stop({ unlessUsed: true });
  expect(await query(one, 'select 1 as one')).toEqual([{ one: 1 }]);
  await client.end();
  const exit = exitOf(one);
  await other.stop({ unlessUsed: true });
  await exit;
  await expect(query(one, 'select 1')).rejects.toThrow();
});

test('a first start that is killed leaves nothing half-made', async () => {
  // What such a start leaves: a folder that grows under another name, of a process that has ended.
  const ended = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => ended.once('exit', resolve));
  const leftover = `${dataDir}.init-${ended.pid}-0a0b0c0d`;
  await mkdir(leftover);
  await writeFile(join(leftover, 'PG_VERSION'), '18\n');

  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('../../../../../src/service/adapters/postgres/embedded/embedded.ts', import.meta.url).href)};
    const log = { info() {}, warn() {}, error() {} };
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log });`;
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'ignore' });
  const gone = new Promise((resolve) => parent.once('exit', resolve));
  const growing = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.includes(`.init-${parent.pid}-`));
  while ((await growing()).length === 0) await sleep(5);
  await sleep(50);
  parent.kill('SIGKILL');
  await gone;
  expect(await readdir(folder)).not.toContain('postgres');

  const server = await start();
  expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await readdir(folder)).toEqual(['postgres']);
});

test.runIf(process.getuid?.() === 0)(
  'as root, the server of another user is let through a private folder and sees nothing else in it',
  async () => {
    expect((await lstat(folder)).mode & 0o777).toBe(0o700);
    await start(fastSettings, false);
    const { uid, gid, mode } = await lstat(folder);
    expect([uid, mode & 0o777]).toEqual([0, 0o710]);
    expect((await lstat(dataDir)).gid).toBe(gid);
    expect((await lstat(dataDir)).mode & 0o777).toBe(0o700);
  },
);

test.runIf(process.getuid?.() === 0)(
  'as root with user namespaces, the server works below a private home, ' +
    'and a cluster of the fallback user is taken over',
  async () => {
    if (spawnSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', '--', 'true']).status !== 0) {
      console.log('skipped: this system has no user namespaces for root');
      return;
    }
    const home = join(folder, 'home', 'deep');
    await mkdir(home, { recursive: true, mode: 0o700 });
    await chmod(join(folder, 'home'), 0o700);
    dataDir = join(home, 'postgres');
    const first = await start();
    expect(await query(first, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await lstat(join(folder, 'home'))).mode & 0o777).toBe(0o700);
    expect((await lstat(dataDir)).uid).toBe(0);

    dataDir = join(folder, 'postgres');
    const other = await start(fastSettings, false);
    expect((await lstat(dataDir)).uid).not.toBe(0);
    await endServer(other);
    expect(await query(await start(), 'select 2 as two')).toEqual([{ two: 2 }]);
    expect((await lstat(dataDir)).uid).toBe(0);
  },
);

test('a postmaster.pid whose number belongs to another program does not keep the server from starting', async () => {
  const first = await start();
  await first.stop();
  await writeFile(join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n`);
  const second = await start();
  expect(Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0])).toBe(second.pid);
});

test('an empty postmaster.pid, as while another server writes it, is waited for', async () => {
  const first = await start();
  await first.stop();
  const path = join(dataDir, 'postmaster.pid');
  await writeFile(path, '');
  setTimeout(() => void rm(path), 1000);
  expect(await query(await start(), 'select 2 as two')).toEqual([{ two: 2 }]);
});

test('an empty postmaster.pid that a start left which was killed in that moment is removed', async () => {
  const first = await start();
  await first.stop();
  const path = join(dataDir, 'postmaster.pid');
  await writeFile(path, '');
  await utimes(path, 0, 0);
  expect(await query(await start(), 'select 2 as two')).toEqual([{ two: 2 }]);
});

test('a data folder with something else in it, and another user’s socket folder, are refused with help', async () => {
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'holiday.jpg'), 'x');
  await expect(start()).rejects.toMatchObject({
    code: 'internal_error',
    message: expect.stringContaining('exists but is not a database') as string,
    nextAction: expect.stringContaining('EARSHOT_DATA') as string,
  });
  expect(await readdir(dataDir)).toEqual(['holiday.jpg']);
  const dir = await prepareSocketDir(join(folder, 'other'), null);
  await rm(dir, { recursive: true });
  await writeFile(dir, 'not a folder');
  try {
    await expect(prepareSocketDir(join(folder, 'other'), null)).rejects.toMatchObject({
      code: 'internal_error',
      nextAction: expect.stringContaining(dir) as string,
    });
  } finally {
    await rm(dir);
  }
});
