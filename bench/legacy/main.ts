// `npm run bench:legacy`: what idle websockets of the older API cost. A service in processes of its own, one job that
// waits, and after `--` `--sockets=1000` that follow it: memory of the API, listeners and queries of the database, and
// how soon a change reaches the last of them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { WebSocket } from 'ws';
import { startEmbeddedPostgres } from '../../src/service/adapters/postgres/embedded/embedded.ts';
import { olderClient } from '../../test/service/http/legacy/client.ts';
import { startService } from '../../test/fixtures/service/running-service.ts';
import { machineLine } from '../compare.ts';
import { wavFile } from '../service/wav.ts';

const wanted = Number(process.argv.find((argument) => argument.startsWith('--sockets='))?.slice(10) ?? 1000);
const data = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
const quiet = { info() {}, warn() {}, error() {} };
const row = (what: string, bound: string, measured: string): void =>
  console.log(`| ${what} | ${bound} | ${measured} |`);
const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
/** Before garbage is counted as memory that sockets take. */
const settleMs = 8000;

// Without a worker: the job waits for as long as we look.
const service = await startService(data, ['--role', 'api', '--legacy-port', '0', '--log-level', 'error'], {
  EARSHOT_RATE_LIMIT_ACCOUNT: '1000000',
  EARSHOT_ACCOUNT_SOCKETS: '100000',
});
const database = await startEmbeddedPostgres({ dataDir: join(data, 'postgres'), log: quiet });
const client = new pg.Client({ connectionString: database.url });
await client.connect();
const sockets: WebSocket[] = [];
try {
  const base = /older API is at (\S+)/.exec(service.output())?.[1] ?? '';
  const older = olderClient(base, service.key ?? '');
  const api = service.pids().api[0] ?? 0;
  const jobId = await older.createJob({
    input: await older.upload(new File([wavFile(5)], 'talk.wav')),
  });
  const statements = async (): Promise<number> => {
    const { rows } = await client.query<{ calls: string }>(
      `select xact_commit as calls from pg_stat_database where datname = current_database()`,
    );
    return Number(rows[0]?.calls);
  };
  // One socket first: what all share is there then.
  sockets.push(await older.connect(jobId));
  await sleep(settleMs);
  const before = residentMb(api);
  const startedAt = performance.now();
  while (sockets.length < wanted)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, wanted - sockets.length) }, () => older.connect(jobId)))),
    );
  const openedMs = performance.now() - startedAt;
  const atOnce = residentMb(api);
  await sleep(settleMs);
  const after = residentMb(api);
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'earshot-changes'`,
  );
  await client.query('select pg_stat_clear_snapshot()');
  const callsBefore = await statements();
  await sleep(10_000);
  await client.query('select pg_stat_clear_snapshot()');
  const perSecond = ((await statements()) - callsBefore) / 10;
  // The job ends in the records, as a worker would end it.
  const heard = Promise.all(sockets.map(async (socket) => once(socket, 'close')));
  const changedAt = performance.now();
  await client.query(
    `update legacy_jobs set status = 'failed', error = '{"code":"internal_error","message":"The bench is over"}'
      where id = $1`,
    [jobId],
  );
  await client.query(`select pg_notify('earshot_changes', $1)`, [jobId]);
  await heard;
  const toldMs = performance.now() - changedAt;
  console.log(`${machineLine()}\n\n| What | Bound | Measured |\n|---|---|---|`);
  row(`memory of the API for ${wanted - 1} more idle sockets on one job`, '60 MB', `${(after - before).toFixed(1)} MB`);
  row('the same at once after opening them', '', `${(atOnce - before).toFixed(1)} MB`);
  row('listeners of the database', '1', String(rows.length));
  row('transactions a second of all processes', '', perSecond.toFixed(1));
  row('opening them, 50 at a time', '', `${(openedMs / 1000).toFixed(1)} s`);
  row('the end of the job, told to all and all closed', '', `${toldMs.toFixed(0)} ms`);
} finally {
  for (const socket of sockets) socket.terminate();
  await client.end();
  await service.stop();
  rmSync(data, { recursive: true, force: true });
}
