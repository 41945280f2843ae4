// @module-tag slower
// The built-in database in the ways of Windows, tried here: a port and passwords in place of a socket, pg_ctl in place
// of signals, a process that watches in place of a shell.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive } from '../../../../../src/library/core/machine/is-alive.ts';
import { pipeOf } from '../../../../../src/service/adapters/postgres/embedded/embedded-user-pipe.ts';
import {
  settingsOn,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../../../src/service/adapters/postgres/embedded/embedded.ts';
import { quickFolder } from '../../../../fixtures/quick-folder.ts';
import { fastSettings, query } from '../../../../fixtures/service/database-server.ts';
import { quietLog } from '../../../../fixtures/service/quiet-log.ts';
import { exitOf, startElsewhere } from '../../../../fixtures/service/server-elsewhere.ts';
import { until } from '../../../../fixtures/until.ts';

const servers: EmbeddedPostgres[] = [];
let folder = '';
let dataDir = '';

beforeEach(async () => {
  folder = await mkdtemp(join(quickFolder(), 'earshot-loopback-'));
  dataDir = join(folder, 'with a space', 'postgres');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

async function start(settings: Readonly<Record<string, string>> = fastSettings): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: quietLog, settings, system: 'win32' });
  servers.push(server);
  return server;
}

/** The process that watches over a server. */
function guardsOf(pid: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-f', `users-guard.*"pid":${pid},`], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

test('it listens on one port of 127.0.0.1, asks for passwords, and keeps port and rows over a kill', async () => {
  const first = await start({});
  expect(first.socketDir).toBeNull();
  const { hostname, port } = new URL(first.url);
  expect(hostname).toBe('127.0.0.1');
  const [settings] = await query<Record<string, string>>(
    first.ownerUrl,
    "select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets, " +
      "current_setting('data_checksums') as checksums, current_setting('wal_sync_method') as wal",
  );
  expect(settings).toEqual({ addresses: '127.0.0.1', sockets: '', checksums: 'on', wal: 'fsync' });
  for (const [from, to, refusal] of [
    [/:[^:@]*@/, '@', /password/],
    [/:[^:@]*@/, ':wrong@', /password authentication failed/],
    [/\/\/[^:]*:/, '//postgres:', /no pg_hba.conf entry/],
  ] as const)
    await expect(query(first.ownerUrl.replace(from, to), 'select 1')).rejects.toThrow(refusal);

  await query(first.ownerUrl, 'create table kept (n int)');
  await query(first.ownerUrl, 'insert into kept select generate_series(1, 20)');
  const exit = exitOf(first);
  process.kill(first.pid, 'SIGKILL');
  expect(await exit).toEqual({ expected: false });

  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await query(second.ownerUrl, 'select count(*)::int as count from kept')).toEqual([{ count: 20 }]);
  const ended = exitOf(second);
  await second.stop();
  expect(await ended).toEqual({ expected: true });
  expect(await readdir(dataDir)).not.toContain('postmaster.pid');

  // Somebody else has the port meanwhile.
  const squatter = createServer();
  await new Promise<void>((done) => squatter.listen(Number(port), '127.0.0.1', done));
  try {
    const third = await start();
    expect(new URL(third.url).port).not.toBe(port);
    expect(await query(third.ownerUrl, 'select count(*)::int as count from kept')).toEqual([{ count: 20 }]);
  } finally {
    squatter.close();
  }
});

test('it ends with its last user, whoever was killed before', async () => {
  const { pid, kill } = await startElsewhere(dataDir, 'win32');
  const joined = await start();
  expect([joined.pid, joined.reused]).toEqual([pid, true]);
  await kill();
  expect(await query(joined.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  // Another one watches when the first is killed.
  expect(guardsOf(pid)).toHaveLength(1);
  const [guard = process.pid] = guardsOf(pid);
  process.kill(guard, 'SIGKILL');
  await until('another process watches', () => guardsOf(pid).some((each) => each !== guard));
  const exit = exitOf(joined);
  await joined.stop({ unlessUsed: true });
  await exit;
  await until('nobody watches any more', () => guardsOf(pid).length === 0);

  const alone = await startElsewhere(dataDir, 'win32');
  await alone.kill();
  await until('the server has ended', () => !isAlive(alone.pid));
  // It was shut down, not killed.
  expect(await readdir(dataDir)).not.toContain('postmaster.pid');
});

test('a guard that is just ending does not pass for that of the next server', async () => {
  const ending = createServer((socket) => {
    socket.destroy();
    ending.close();
  });
  await new Promise<void>((done) => ending.listen(pipeOf(dataDir), done));
  const { pid } = await start();
  expect(guardsOf(pid)).toHaveLength(1);
});

test('two first starts at the same time share one server', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  expect(Number(one.reused) + Number(other.reused)).toBe(1);
  expect(one.pid).toBe(other.pid);
  expect(await query(one.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('commits reach the disk itself: past its cache on macOS, by no cached writes on Windows', () => {
  expect(settingsOn('darwin')).toMatchObject({ wal_sync_method: 'fsync_writethrough', fsync: 'on' });
  expect(settingsOn('win32')).toMatchObject({ wal_sync_method: 'fsync', fsync: 'on' });
  // PostgreSQL's own choice.
  expect(settingsOn('linux')).not.toHaveProperty('wal_sync_method');
});

test('lost passwords open the port to nobody', async () => {
  const first = await start();
  const rules = await readFile(join(dataDir, 'pg_hba.conf'), 'utf8');
  await rm(join(dataDir, 'earshot-roles.json'));
  await expect(start()).rejects.toMatchObject({
    code: 'internal_error',
    nextAction: expect.stringContaining('earshot-roles.json') as string,
  });
  expect(await readFile(join(dataDir, 'pg_hba.conf'), 'utf8')).toBe(rules);
  expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});
