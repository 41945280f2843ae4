// Two releases over one database, as in a rolling update: `npm run test:releases -- --before=<commit or tag>` (default:
// the newest tag). Installs and builds the earlier one, starts its API and worker on a PostgreSQL, puts this one's
// beside them under load, and goes on until only this one runs. Prints a line for each thing that it tried; ends with 1
// when one failed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { wavFile } from '../../bench/service/wav.ts';
import { startEmbeddedPostgres } from '../../src/service/adapters/postgres/embedded/embedded.ts';
import { createClient, startService, type Client, type RunningService } from '../fixtures/service/running-service.ts';
import { until } from '../fixtures/until.ts';
import { quietLog } from '../fixtures/service/quiet-log.ts';
import { installEarlier } from './earlier.ts';

const { values } = parseArgs({ options: { before: { type: 'string' } } });
const before = values.before ?? execFileSync('git', ['tag', '--sort=-creatordate']).toString().split('\n')[0];
if (before === undefined || before === '') {
  console.log('skipped: two releases side by side: no release has a tag yet; name a commit with --before');
  process.exit(0);
}

const builtMain = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const flags = ['--log-level', 'error', '--rate-limit-account', '1000000', '--rate-limit-address', '1000000'];
const faults: string[] = [];
async function tries(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    const said = await work();
    console.log(`ok    ${what}${typeof said === 'string' ? `: ${said}` : ''}`);
  } catch (thrown) {
    faults.push(what);
    console.log(`FAULT ${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

using earlier = installEarlier(before);
const folder = mkdtempSync(join(tmpdir(), 'earshot-releases-'));
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), log: quietLog });
const sql = new pg.Client({ connectionString: database.ownerUrl });
const env = { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl };
const running = new Set<RunningService>();
const start = async (main: string, role: 'api' | 'worker', ...more: readonly string[]): Promise<RunningService> => {
  const service = await startService(join(folder, 'data'), [...flags, '--role', role, ...more], env, [], main);
  running.add(service);
  return service;
};
const stop = async (service: RunningService): Promise<void> => {
  running.delete(service);
  await service.stop();
};

try {
  await sql.connect();
  await go();
} finally {
  for (const service of running) await service.stop();
  await sql.end();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(faults.length === 0 ? '\nno faults' : `\n${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function go(): Promise<void> {
  let oldApi = await start(earlier.main, 'api', '--first-credits', '10000');
  let oldWorker = await start(earlier.main, 'worker');
  const key = oldApi.key ?? '';
  const old = createClient(oldApi.address, key);
  const talk = new Uint8Array(readFileSync(new URL('../../docs/samples/talk.opus', import.meta.url)));
  const sound = await old.upload(wavFile(20), 'before.wav');
  let orders = 0;
  const ordered: string[] = [];
  const order = async (client: Client, tool: string, more: object = {}): Promise<string> => {
    const body = { tool, file_id: sound.id, idempotency_key: `releases-${(orders += 1)}`, ...more };
    const { id } = await client.call<{ id: string }>('POST', '/api/v1/jobs', body);
    ordered.push(id);
    return id;
  };
  const succeeds = async (client: Client, id: string): Promise<string> => {
    const { status, outputs, error } = await client.finished(id);
    demand(status === 'succeeded', `${id} ${status}: ${JSON.stringify(error)}`);
    return outputs[0]?.id ?? '';
  };
  const bytesOf = async (client: Client, fileId: string): Promise<number> => {
    const { url } = await client.call<{ url: string }>('GET', `/api/v1/files/${fileId}/download`);
    const answer = await fetch(url);
    demand(answer.ok, `the download answered ${answer.status}`);
    return (await answer.arrayBuffer()).byteLength;
  };
  const workerOf = async (id: string): Promise<string> =>
    (await sql.query<{ worker_id: string | null }>('select worker_id from jobs where id = $1', [id])).rows[0]
      ?.worker_id ?? '';
  const versionOf = async (id: string): Promise<string> =>
    (await sql.query<{ version: string }>('select version from workers where id = $1', [await workerOf(id)])).rows[0]
      ?.version ?? '';

  console.log(`${earlier.commit} beside this one\n`);
  await tries('the earlier release alone runs a job', async () => succeeds(old, await order(old, 'adjust_loudness')));

  const waiting = await Promise.all(Array.from({ length: 12 }, () => order(old, 'convert_audio', { format: 'flac' })));
  let newApi = await start(builtMain, 'api');
  let newWorker = await start(builtMain, 'worker');
  const { rows } = await sql.query<{ name: string }>('select name from schema_migrations order by name');
  console.log(`      this one has migrated to ${rows.at(-1)?.name}`);
  const young = createClient(newApi.address, key);

  await tries('jobs that were ordered before it end', async () => {
    for (const id of waiting) await succeeds(young, id);
  });
  await tries('each API shows, pays and downloads what the other ordered', async () => {
    const tools = ['adjust_loudness', 'remove_silence', 'convert_audio'];
    for (let n = 0; n < 24; n += 1) {
      const [orders_, reads] = n % 2 === 0 ? [old, young] : [young, old];
      const tool = tools[n % tools.length] ?? '';
      const output = await succeeds(
        reads,
        await order(orders_, tool, tool === 'convert_audio' ? { format: 'mp3' } : {}),
      );
      demand((await bytesOf(reads, output)) > 1000, `${tool} has no bytes`);
    }
  });
  await tries('both workers have run some', async () => {
    const { rows: ran } = await sql.query<{ version: string; jobs: number }>(
      'select version, count(*)::int as jobs from jobs join workers on workers.id = worker_id group by 1 order by 1',
    );
    demand(ran.length === 2, `only ${JSON.stringify(ran)}`);
    return ran.map(({ version, jobs }) => `${version} ${jobs}`).join(', ');
  });
  await tries('the same order at the other API is the same job', async () => {
    for (const [first, second] of [
      [old, young],
      [young, old],
    ] as const) {
      const id = await order(first, 'adjust_loudness');
      orders -= 1;
      demand((await order(second, 'adjust_loudness')) === id, 'another job was made');
      ordered.pop();
      await succeeds(second, id);
    }
  });
  for (const [from, to, name] of [
    [old, young, 'begun at the earlier one'],
    [young, old, 'begun at this one'],
  ] as const)
    await tries(`an upload in parts, ${name}`, async () => {
      const whole = wavFile(200);
      const at = new URL(to === old ? oldApi.address : newApi.address);
      const elsewhere = (url: string): string => Object.assign(new URL(url), { host: at.host }).href;
      const made = await from.call<{
        file: { id: string };
        multipart: { partUrl: string; partSizeBytes: number; completeUrl: string; partCount: number };
      }>('POST', '/api/v1/files', { filename: 'parts.wav', sizeBytes: whole.length });
      const { partUrl, partSizeBytes, completeUrl, partCount } = made.multipart;
      for (let part = 1; part <= partCount; part += 1) {
        const url = partUrl.replace('{n}', String(part));
        const body = whole.subarray((part - 1) * partSizeBytes, part * partSizeBytes);
        const put = await fetch(part % 2 === 0 ? url : elsewhere(url), { method: 'PUT', body });
        demand(put.ok, `part ${part} answered ${put.status}`);
      }
      const completed = await fetch(elsewhere(completeUrl), { method: 'POST' });
      demand(completed.ok, `joining answered ${completed.status}: ${await completed.text()}`);
      const file = await to.call<{ status: string; sizeBytes: number }>('GET', `/api/v1/files/${made.file.id}?wait=40`);
      demand(file.status === 'ready' && file.sizeBytes === whole.length, JSON.stringify(file));
      return `${partCount} parts`;
    });
  await tries('a job is cancelled at the other API', async () => {
    for (const [first, second] of [
      [old, young],
      [young, old],
    ] as const) {
      const id = await order(first, 'transcribe_audio', { file_id: (await first.upload(talk, 'talk.opus')).id });
      await second.call('POST', `/api/v1/jobs/${id}/cancel`);
      const { status } = await first.finished(id);
      demand(status === 'cancelled', `it ${status}`);
    }
  });

  const long = await young.upload(new Uint8Array(readFileSync(longTalk())), 'long.mp3');
  const handedOn = async (client: Client, leaving: () => Promise<void>, version: RegExp): Promise<string> => {
    const id = await order(client, 'transcribe_audio', { file_id: long.id });
    await until('it runs on the worker that leaves', async () => version.test(await versionOf(id)));
    await until(
      'it has begun',
      async () => ((await young.call<{ progress: number }>('GET', `/api/v1/jobs/${id}`)).progress ?? 0) > 0.2,
    );
    await leaving();
    await succeeds(young, id);
    demand(!version.test(await versionOf(id)), 'it ended where it began');
    const { rows: attempts } = await sql.query<{ attempt: number; given_back: number }>(
      'select attempt, given_back from jobs where id = $1',
      [id],
    );
    return JSON.stringify(attempts[0]);
  };
  const isOld = /^0\.0\.1-/;
  const isNew = /^(?!0\.0\.1-)/;
  // An order prefers workers of its API's version, so it is known who begins.
  await tries('a transcription of this one is handed to the earlier one', async () =>
    handedOn(young, () => stop(newWorker), isNew),
  );
  newWorker = await start(builtMain, 'worker');
  await tries('a transcription of the earlier one is handed to this one', async () =>
    handedOn(old, () => stop(oldWorker), isOld),
  );
  if (earlier.startsAgain)
    await tries('the earlier API and worker start again', async () => {
      await stop(oldApi);
      oldApi = await start(earlier.main, 'api');
      oldWorker = await start(earlier.main, 'worker');
      const again = createClient(oldApi.address, key);
      const id = await order(again, 'adjust_loudness');
      await succeeds(again, id);
      demand(isOld.test(await versionOf(id)), 'it ran elsewhere');
      await stop(oldWorker);
    });
  else console.log('left out: the earlier release starts again; it is older than docs/decisions/service/0064');
  await tries('this one keeps its tables', async () => {
    await stop(newApi);
    newApi = await start(builtMain, 'api');
    await createClient(newApi.address, key).call('GET', '/api/v1/account');
  });
  await tries('only this one is left, and the books are right', async () => {
    await stop(oldApi);
    const client = createClient(newApi.address, key);
    const ends = new Map<string, number>();
    for (const id of ordered) {
      const { status } = await client.finished(id);
      ends.set(status, (ends.get(status) ?? 0) + 1);
    }
    const { rows: wrong } = await sql.query(`
      select accounts.id from accounts left join ledger on ledger.account_id = accounts.id
      group by accounts.id having accounts.balance <> coalesce(sum(ledger.credits), 0)
        or accounts.reserved <> coalesce(sum(ledger.reserved), 0) or accounts.reserved <> 0
      union all select jobs.id from jobs join ledger on job_id = jobs.id and kind = 'charge'
        where status <> 'succeeded' or -credits > price
      union all select jobs.id from jobs where status not in ('succeeded', 'failed', 'cancelled')`);
    demand(wrong.length === 0, JSON.stringify(wrong));
    return [...ends].map(([status, count]) => `${status} ${count}`).join(', ');
  });
}

/** Long enough to be handed on in the middle. */
function longTalk(): string {
  const path = join(folder, 'long.mp3');
  const input = new URL('../../docs/samples/talk.opus', import.meta.url).pathname;
  execFileSync('ffmpeg', [
    '-v',
    'error',
    '-stream_loop',
    '40',
    '-i',
    input,
    '-t',
    '600',
    '-ac',
    '1',
    '-b:a',
    '48k',
    path,
  ]);
  return path;
}
