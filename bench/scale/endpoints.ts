// A service over a database with many rows: the p99 of its JSON endpoints over HTTP, and the plans of their statements.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../../src/service/adapters/postgres/database/database.ts';
import { startEmbeddedPostgres } from '../../src/service/adapters/postgres/embedded/embedded.ts';
import { createClient, startService, type RunningService } from '../../test/fixtures/service/running-service.ts';
import { wavFile } from '../service/wav.ts';
import { fillTables } from './fill.ts';
import { ms, quantile } from './progress.ts';

const flags = ['--log-level', 'error', '--rate-limit-account', '1000000', '--rate-limit-address', '1000000'];
const quiet = { info() {}, warn() {}, error() {} };
const calls = 300;

/**
 * @param jobs rows of ended jobs
 * @param ledger rows of the ledger, at least twice as many
 */
export async function measureEndpoints(jobs: number, ledger: number): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'earshot-scale-'));
  try {
    const first = await startService(data, [...flags, '--first-credits', '1000000']);
    const key = first.key ?? '';
    const client = createClient(first.address, key);
    const file = await client.upload(wavFile(5), 'five.wav');
    const few = await measure(first, key, file.id, 'few');
    await first.stop();

    await withDatabase(data, async (ownerUrl) => {
      const accountId = await ownerOf(ownerUrl, file.id);
      const began = performance.now();
      await fillTables(ownerUrl, { jobs, ledger, accountId });
      console.log(
        `\n${jobs} jobs and ${ledger} ledger rows, ${await sizeOf(ownerUrl)}, made in ` +
          `${Math.round((performance.now() - began) / 1000)} s; a tenth of them are the caller's`,
      );
    });

    const service = await startService(data, flags);
    console.log(`The service starts in ${(service.startedInMs / 1000).toFixed(2)} s.\n`);
    let many: Map<string, number[]>;
    try {
      many = await measure(service, key, file.id, 'many');
    } finally {
      await service.stop();
    }
    console.log('| Endpoint | median, p99, slowest | with few rows |');
    console.log('|---|---|---|');
    for (const [name, times] of many) console.log(`| ${name} | ${inWords(times)} | ${inWords(few.get(name) ?? [])} |`);
    await withDatabase(data, printPlans);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

const inWords = (times: readonly number[]): string =>
  times.length === 0 ? '' : [quantile(times, 0.5), quantile(times, 0.99), Math.max(...times)].map(ms).join(', ');

/** Milliseconds of each call, one after the other. */
async function measure(
  { address }: RunningService,
  key: string,
  fileId: string,
  run: string,
): Promise<Map<string, number[]>> {
  const client = createClient(address, key);
  const get = (path: string) => (): Promise<unknown> => client.call('GET', path);
  const send = async (method: string, path: string): Promise<void> => {
    const answer = await fetch(address + path, { method, headers: { authorization: `Bearer ${key}` } });
    await answer.text();
  };
  const started: string[] = [];
  const start = async (n: number): Promise<void> => {
    const body = { tool: 'adjust_loudness', file_id: fileId, idempotency_key: `bench-${run}-${n}` };
    started.push((await client.call<{ id: string }>('POST', '/api/v1/jobs', body)).id);
  };
  const deep = async (path: string, pages: number): Promise<string> => {
    let cursor = '';
    for (let page = 0; page < pages; page += 1) {
      const { nextCursor } = await client.call<{ nextCursor: string | null }>('GET', `${path}?limit=100${cursor}`);
      if (nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    return `${path}?limit=100${cursor}`;
  };
  const [jobsPage, ledgerPage] = [await deep('/api/v1/jobs', 50), await deep('/api/v1/ledger', 50)];
  const endpoints: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
    'GET /tools': get('/api/v1/tools'),
    'GET /account': get('/api/v1/account'),
    'GET /ledger': get('/api/v1/ledger'),
    'GET /ledger, page 51 of 100': get(ledgerPage),
    'GET /auto-refill': get('/api/v1/auto-refill'),
    'POST /quote': () => client.call('POST', '/api/v1/quote', { tool: 'adjust_loudness', fileIds: [fileId] }),
    'POST /files': (n) => client.call('POST', '/api/v1/files', { filename: `${n}.wav`, sizeBytes: 1000 }),
    'GET /files': get('/api/v1/files'),
    'GET /files/{id}': get(`/api/v1/files/${fileId}`),
    'GET /jobs': get('/api/v1/jobs'),
    'GET /jobs, page 51 of 100': get(jobsPage),
    'GET /jobs?tool=': get('/api/v1/jobs?tool=cut_audio'),
    'GET /jobs?tool=, none of it': get('/api/v1/jobs?tool=join_audio'),
    'GET /jobs/{id}': (n) => send('GET', `/api/v1/jobs/job_bench${n * 10}`),
    'POST /jobs, beside those that run': start,
    // Those that have ended are refused.
    'POST /jobs/{id}/cancel': (n) => send('POST', `/api/v1/jobs/${started.at(-1 - n) ?? ''}/cancel`),
    '/metrics': () => send('GET', '/metrics'),
  };
  const measured = new Map<string, number[]>();
  for (const [name, call] of Object.entries(endpoints)) {
    const times: number[] = [];
    for (let n = 0; n < calls; n += 1) {
      const at = performance.now();
      await call(n);
      times.push(performance.now() - at);
    }
    measured.set(name, times);
  }
  return measured;
}

/** The service's own database, while the service is stopped. */
async function withDatabase(data: string, use: (ownerUrl: string) => Promise<void>): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir: join(data, 'postgres'), log: quiet });
  try {
    await use(server.ownerUrl);
  } finally {
    await server.stop();
  }
}

async function ask<Row>(ownerUrl: string, statement: string): Promise<Row[]> {
  const owner = openDatabase({ url: ownerUrl, log: quiet, maxConnections: 1 });
  try {
    await sql.raw(`set statement_timeout = 0`).execute(owner.kysely);
    return (await sql.raw<Row>(statement).execute(owner.kysely)).rows;
  } finally {
    await owner.close();
  }
}

async function ownerOf(ownerUrl: string, fileId: string): Promise<string> {
  const [row] = await ask<{ accountId: string }>(ownerUrl, `select account_id from files where id = '${fileId}'`);
  if (row === undefined) throw new Error(`No file ${fileId}`);
  return row.accountId;
}

async function sizeOf(ownerUrl: string): Promise<string> {
  const [row] = await ask<{ size: string }>(
    ownerUrl,
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  );
  return row?.size ?? '';
}

/** The statements behind lists and lookups, as the server carries them out. */
async function printPlans(ownerUrl: string): Promise<void> {
  const statements: Readonly<Record<string, string>> = {
    'a job': `select * from jobs where id = 'job_bench7'`,
    'a page of jobs': `select id from jobs where account_id = 'acc_7' order by created_at desc, id desc limit 21`,
    'a page of one tool': `select id from jobs where account_id = 'acc_7' and tool = 'cut_audio'
      order by created_at desc, id desc limit 21`,
    'a page of the ledger': `select id from ledger where account_id = 'acc_7' and credits <> 0
      order by position desc limit 21`,
    'jobs of an account that are open': `select count(*) from jobs
      where account_id = 'acc_7' and status in ('queued', 'running')`,
    'the front of the fair queue': `select min(share_rank) from jobs where status = 'queued'`,
    'contents that are over': `select id from jobs
      where finished_at <= now() - interval '1 day' and finished_at is not null
        and (options <> '{}'::jsonb or result is not null) limit 1000`,
    'rows that are over': `select id from jobs where finished_at < now() - interval '365 days' limit 1000`,
  };
  for (const [name, statement] of Object.entries(statements)) {
    const rows = await ask<{ 'QUERY PLAN': string }>(
      ownerUrl,
      `explain (analyze, costs off, timing off, summary off, buffers off) ${statement}`,
    );
    console.log(`\n${name}:\n${rows.map((row) => `  ${Object.values(row).join('')}`).join('\n')}`);
  }
}
