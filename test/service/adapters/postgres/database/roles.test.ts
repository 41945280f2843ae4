// @module-tag slower
import { spawnSync } from 'node:child_process';
import { chown, lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRoles } from '../../../../../src/service/adapters/postgres/database/create-roles.ts';
import { openDatabase } from '../../../../../src/service/adapters/postgres/database/database.ts';
import {
  commandAs,
  findPrograms,
  findServerUser,
  serverEnvironment,
} from '../../../../../src/service/adapters/postgres/embedded/embedded-install.ts';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../../../src/service/adapters/postgres/embedded/embedded.ts';
import { ownsTables } from '../../../../../src/service/adapters/postgres/database/rights.ts';
import { createPostgresStores } from '../../../../../src/service/adapters/postgres/stores.ts';
import { createEnqueuer } from '../../../../../src/service/adapters/queue/enqueue.ts';
import { createWorkQueue } from '../../../../../src/service/adapters/queue/work-queue.ts';
import { quickFolder } from '../../../../fixtures/quick-folder.ts';
import { endServer, fastSettings, query } from '../../../../fixtures/service/database-server.ts';
import { createLease } from '../../../../fixtures/service/lease.ts';
import { quietLog } from '../../../../fixtures/service/quiet-log.ts';
import { newAccount, newJob, paid } from '../../../../fixtures/service/rows.ts';

let folder = '';
let dataDir = '';
const servers: EmbeddedPostgres[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(quickFolder(), 'earshot-roles-'));
  dataDir = join(folder, 'postgres');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await endServer(server);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

async function start(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: quietLog, settings: fastSettings });
  servers.push(server);
  return server;
}

/** The address with another role, password or database. */
function changed(url: string, { role, password, database }: { role?: string; password?: string; database?: string }) {
  const other = new URL(url);
  if (role !== undefined) other.username = role;
  if (password !== undefined) other.password = password;
  if (database !== undefined) other.pathname = `/${database}`;
  return other.href;
}

/** How the server refuses: its code. */
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'allowed',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
const refusal = (url: string, text: string): Promise<string> => outcome(query(url, text));

/** A job goes the whole way: stores, queue and its upkeep find everything that they may need. */
async function works(url: string): Promise<void> {
  const database = openDatabase({ url, log: quietLog });
  const enqueuer = await createEnqueuer(database);
  const stores = createPostgresStores(database, enqueuer);
  const queue = createWorkQueue(database, createLease(database));
  try {
    const { id } = await newAccount(stores, 100);
    const { job } = await stores.jobs.create(newJob(id, paid(10)));
    const settled = await new Promise<boolean>((resolve) => {
      void queue.work('job', 1, async (jobId) => {
        const started = await stores.jobs.start(jobId, 'w', 3);
        const success = { outputs: [], result: {}, warnings: [], processedSeconds: 60, credits: 10 };
        resolve(await stores.jobs.succeed(jobId, started?.attempt ?? 0, success));
      });
    });
    expect(settled).toBe(true);
    expect((await stores.jobs.get(job.id))?.status).toBe('succeeded');
    expect(await stores.accounts.get(id)).toMatchObject({ balance: 90, reserved: 0 });
  } finally {
    await queue.stop(0);
    await stores.close();
    await enqueuer.close();
    await database.close();
  }
}

const forbidden = [
  'create table mine (n int)',
  'create temporary table mine (n int)',
  'alter table ledger disable trigger all',
  'drop trigger ledger_is_append_only on ledger',
  'create trigger mine before insert on ledger for each row execute function ledger_is_append_only()',
  "create or replace function ledger_is_append_only() returns trigger language plpgsql as 'begin return new; end'",
  'update ledger set credits = 1000',
  'delete from ledger',
  'truncate ledger',
  'truncate jobs cascade',
  'delete from accounts',
  'drop table accounts',
  'alter table accounts drop constraint reserved_is_covered',
  'delete from schema_migrations',
  'drop table pgboss.job',
  'create table pgboss.mine (n int)',
  "copy accounts to program 'cat'",
  "copy accounts to '/tmp/earshot-stolen'",
  "select pg_read_file('postgresql.conf')",
  'select rolpassword from pg_authid',
  'create role mine superuser',
  'alter role earshot_service superuser',
  'set role earshot',
  'set session_replication_role = replica',
  'create database mine',
  "alter system set log_min_messages = 'panic'",
  'select pg_reload_conf()',
];

async function expectOwnsNothing(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const answers: (readonly [string, string])[] = [];
    for (const statement of forbidden) answers.push([statement, await outcome(client.query(statement))]);
    expect(answers).toEqual(forbidden.map((statement) => [statement, '42501']));
  } finally {
    await client.end();
  }
}

test('the service works with a role that may only touch its rows and needs its password', async () => {
  const { url, ownerUrl } = await start();
  const database = openDatabase({ url, ownerUrl, log: quietLog });
  try {
    await database.migrate();
    expect(await ownsTables(database.kysely)).toBe(false);
  } finally {
    await database.close();
  }
  await works(url);
  await expectOwnsNothing(url);
  expect(await query(url, 'show statement_timeout')).toEqual([{ statement_timeout: '1min' }]);
  const without = [
    changed(url, { password: '' }),
    changed(ownerUrl, { password: '' }),
    changed(ownerUrl, { password: new URL(url).password }),
    changed(url, { role: 'postgres' }),
  ];
  for (const each of without) expect(await refusal(each, 'select 1')).not.toBe('allowed');
  expect((await lstat(join(dataDir, 'earshot-roles.json'))).mode & 0o777).toBe(0o600);
});

/** What a version before the roles left: a cluster of one superuser whom everybody may be. */
async function oldCluster(): Promise<void> {
  const user = await findServerUser();
  const args = ['-D', dataDir, '--username', 'earshot', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'];
  if (user !== null) await chown(folder, user.uid, user.gid);
  const made = commandAs(user, findPrograms().initdb, [...args, '--auth-local', 'trust', '--auth-host', 'reject']);
  const { status, stderr } = spawnSync(made.command, made.args, { env: serverEnvironment(), cwd: '/', ...made.ids });
  expect(status, stderr.toString()).toBe(0);
}

test('a data folder from before roles is taken over with all that is in it, also while its server runs', async () => {
  await oldCluster();
  const before = await readFile(join(dataDir, 'pg_hba.conf'), 'utf8');
  expect(before).toContain('trust');
  const { url, ownerUrl, pid } = await start();
  const trusting = changed(ownerUrl, { password: '' });
  const owner = openDatabase({ url: ownerUrl, log: quietLog });
  await owner.migrate();
  const stores = createPostgresStores(owner);
  const account = await newAccount(stores, 77);
  await stores.close();
  await owner.close();
  expect(await refusal(trusting, 'select 1')).not.toBe('allowed');

  // As the version before would run: no service role, no passwords, its own rules.
  for (const statement of [
    'drop owned by earshot_service',
    'drop role earshot_service',
    'alter role earshot password null',
  ])
    await query(ownerUrl, statement);
  await rm(join(dataDir, 'earshot-roles.json'));
  await writeFile(join(dataDir, 'pg_hba.conf'), before);
  process.kill(pid, 'SIGHUP');
  while ((await refusal(trusting, 'select 1')) !== 'allowed');

  const [one, other] = await Promise.all([start(), start()]);
  expect([one.pid, one.reused, other.url]).toEqual([pid, true, one.url]);
  expect(one.url).not.toBe(url);
  while ((await refusal(trusting, 'select 1')) === 'allowed');
  const database = openDatabase({ ...one, log: quietLog });
  try {
    await database.migrate();
    const found = createPostgresStores(database);
    expect(await found.accounts.get(account.id)).toMatchObject({ balance: 77 });
    expect((await found.ledger.list(account.id, { cursor: null, limit: 10 }, false)).items).toMatchObject([
      { credits: 77 },
    ]);
    await found.close();
  } finally {
    await database.close();
  }
  await expectOwnsNothing(one.url);
});

test('lost passwords are made anew, and those of a copied folder go on', async () => {
  const first = await start();
  await first.stop();
  const again = await start();
  expect([again.url, again.ownerUrl]).toEqual([first.url, first.ownerUrl]);
  await again.stop();
  await writeFile(join(dataDir, 'earshot-roles.json'), '{"owner":"wrong","service":"wrong"}');
  const third = await start();
  expect(await query(third.url, 'select current_user::text as role')).toEqual([{ role: 'earshot_service' }]);
  expect(third.url).not.toBe(first.url);
  expect(await refusal(first.url, 'select 1')).toBe('28P01');
  await third.stop();
  await rm(join(dataDir, 'earshot-roles.json'));
  expect(await query((await start()).ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('earshot database create-roles hands the tables of a single role over to two', async () => {
  const { ownerUrl, pid } = await start();
  await writeFile(join(dataDir, 'pg_hba.conf'), 'local all all scram-sha-256\n');
  process.kill(pid, 'SIGHUP');
  await query(ownerUrl, "create role admin login createrole createdb password 'a'");
  while ((await refusal(changed(ownerUrl, { role: 'admin', password: 'a' }), 'select 1')) !== 'allowed');
  const admin = changed(ownerUrl, { role: 'admin', password: 'a', database: 'theirs' });
  await query(changed(ownerUrl, { role: 'admin', password: 'a' }), 'create database theirs');
  const single = openDatabase({ url: admin, log: quietLog });
  await single.migrate();
  expect(await ownsTables(single.kysely)).toBe(true);
  const stores = createPostgresStores(single);
  const account = await newAccount(stores, 5);
  await stores.close();
  await single.close();

  const names = { owner: 'their_owner', service: 'their_service' };
  const first = await createRoles(admin, names);
  const second = await createRoles(admin, names);
  expect(await refusal(first.url, 'select 1')).toBe('28P01');
  const database = openDatabase({ ...second, log: quietLog });
  try {
    await database.migrate();
    await database.migrate();
    expect(await ownsTables(database.kysely)).toBe(false);
    const found = createPostgresStores(database);
    expect(await found.accounts.get(account.id)).toMatchObject({ balance: 5 });
    await found.close();
  } finally {
    await database.close();
  }
  await works(second.url);
  await expectOwnsNothing(second.url);
  await expect(createRoles(second.url, names)).rejects.toMatchObject({
    code: 'bad_request',
    nextAction: expect.stringContaining('may create roles') as string,
  });
});
