// A worker that is new to a fleet: seconds from its start to its first job's, and to that job's end, with nothing
// compiled before, as on a machine that was just made.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/service/adapters/postgres/database/database.ts';
import { startEmbeddedPostgres } from '../../src/service/adapters/postgres/embedded/embedded.ts';
import { createClient, startService } from '../../test/fixtures/service/running-service.ts';

const quiet = { info() {}, warn() {}, error() {} };
const speech = new URL('../../test/recordings/jfk.flac', import.meta.url);

export async function measureFirstJobs(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-first-job-'));
  const database = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), log: quiet });
  const rows = openDatabase({ ...database, log: quiet, maxConnections: 1 });
  const env = { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl };
  const start = (role: string, ...more: readonly string[]): ReturnType<typeof startService> =>
    startService(join(folder, 'data'), ['--log-level', 'error', '--role', role, ...more], {
      ...env,
      NODE_COMPILE_CACHE: mkdtempSync(join(folder, 'compiled-')),
    });
  try {
    const api = await start('api', '--first-credits', '1000');
    const client = createClient(api.address, api.key ?? '');
    const checking = await start('worker');
    const file = await client.upload(Uint8Array.from(readFileSync(speech)), 'jfk.flac');
    await checking.stop();
    console.log('\n| first job of a new worker, 11 s of speech | seconds to its start | to its end |');
    console.log('|---|---|---|');
    for (const tool of ['adjust_loudness', 'transcribe_audio']) {
      const order = { tool, file_id: file.id, idempotency_key: `first-${tool}` };
      const { id } = await client.call<{ id: string }>('POST', '/api/v1/jobs', order);
      const began = Date.now();
      const worker = await start('worker');
      const job = await client.finished(id);
      if (job.status !== 'succeeded') throw new Error(`Expected the job to succeed: ${JSON.stringify(job.error)}`);
      const { startedAt, finishedAt } = await rows.kysely
        .selectFrom('jobs')
        .select(['startedAt', 'finishedAt'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const after = (time: Date | null): string => (((time?.getTime() ?? Number.NaN) - began) / 1000).toFixed(1);
      console.log(`| ${tool} | ${after(startedAt)} | ${after(finishedAt)} |`);
      await worker.stop();
    }
    await api.stop();
  } finally {
    await rows.close();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
