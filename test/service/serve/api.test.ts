// @module-tag slow
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApi } from '../../../src/service/serve/api.ts';
import { loadConfig } from '../../../src/service/rules/settings/config.ts';
import { useDatabases } from '../../fixtures/service/database.ts';
import { thrownBy } from '../../fixtures/media/media.ts';
import { eventually } from '../../fixtures/until.ts';

const databases = useDatabases();

test('an API that cannot listen leaves no connection to the database behind', async () => {
  const database = await databases.freshDatabase();
  const others = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
    `.execute(database.kysely);
    return rows[0]?.count ?? Number.NaN;
  };
  const before = await others();
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const config = loadConfig({
    EARSHOT_DATA: tmpdir(),
    EARSHOT_HOST: '127.0.0.1',
    EARSHOT_PORT: String(port),
    EARSHOT_LOG_LEVEL: 'silent',
  });
  const thrown = await thrownBy(() => startApi(config, database.url));
  expect(thrown).toMatchObject({ code: 'conflict' });
  expect(thrown.message).toContain('another program listens there');
  await eventually(async () => expect(await others()).toBe(before));
  taken.close();
});

test('metrics have a port of their own, where nothing else is', async () => {
  const database = await databases.freshDatabase();
  const free = createServer();
  await new Promise<void>((resolve) => void free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const config = loadConfig({
    EARSHOT_DATA: tmpdir(),
    EARSHOT_HOST: '127.0.0.1',
    EARSHOT_PORT: '0',
    EARSHOT_METRICS_PORT: String(port),
    EARSHOT_LOG_LEVEL: 'silent',
  });
  const api = await startApi(config, database.url);
  try {
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
    expect(await metrics.text()).toContain('earshot_jobs{status="queued"} 0');
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/tools`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${api.address}/metrics`)).status).toBe(401);
  } finally {
    await api.stop();
  }
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
});
