// @module-tag nightly
// Runners as people start them: processes that know an address and a token, beside a service whose worker takes no
// jobs.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { mainPath } from '../../fixtures/built/main-path.ts';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';
import { tone } from '../../fixtures/media/signals.ts';
import { type TestService, useServices } from '../../fixtures/service/service.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { eventually } from '../../fixtures/until.ts';

const services = useServices();
let service: TestService;
let token: string;
let client: ReturnType<typeof createClient>;
const children: ChildProcess[] = [];
beforeAll(async () => {
  service = await services.start({ config: { takeJobs: 'false', runnerLeaseSeconds: '5' } });
  ({ token } = await service.operator.addRunner('elsewhere'));
  client = createClient({ baseUrl: service.base, apiKey: (await service.account(1000)).key });
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function startRunner(): ChildProcess & { said(): string } {
  const data = temporaryFolder('earshot-runner-');
  const words = ['runner', '--url', service.base, '--data', data, '--job-slots', '1', '--grace-seconds', '0'];
  const child = spawn(process.execPath, [mainPath, ...words], {
    env: { ...process.env, EARSHOT_RUNNER_TOKEN: token, DATABASE_URL: 'postgres://127.0.0.1:9/none' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  return Object.assign(child, { said: () => said });
}

/** Long enough to be interrupted. */
const recording = (seconds: number): Uint8Array<ArrayBuffer> => {
  const second = tone(48_000, 48_000, 440);
  const plane = new Float32Array(48_000 * seconds);
  for (let at = 0; at < seconds; at += 1) plane.set(second, at * 48_000);
  return new Uint8Array(wavBytes([plane], 48_000));
};

test('a job runs to its end, is handed back at a stop, and is another one’s after a kill', async () => {
  const file = await client.upload(recording(60), { filename: 'tone.wav' });
  const start = async (): Promise<string> =>
    (await client.start('convert_audio', { file_id: file.id, format: 'mp3', bitrate_kbps: 320 })).id;
  const row = async (id: string) => await service.stores.jobs.get(id);
  const runs = (id: string, attempt: number): Promise<unknown> =>
    eventually(async () => {
      const job = await row(id);
      if (job?.status !== 'running' || job.attempt !== attempt) throw new Error('not yet');
    });

  const first = startRunner();
  const stopped = await start();
  await runs(stopped, 1);
  first.kill('SIGTERM');
  const [code] = (await once(first, 'exit')) as [number | null];
  expect([code, first.said()]).toEqual([0, expect.stringContaining('The runner has stopped') as string]);
  expect(await row(stopped)).toMatchObject({ status: 'queued', attempt: 1 });

  const second = startRunner();
  await runs(stopped, 2);
  second.kill('SIGKILL');
  await once(second, 'exit');
  // Nobody renews the lease: the queue gives the job away. That takes it up to twenty seconds, which are skipped here.
  await sql`update pgboss.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active' and name = 'job'`.execute(
    service.stores.database.kysely,
  );
  const third = startRunner();
  const ended = await client
    .wait(stopped)
    .catch((thrown: unknown) => Promise.reject(new Error(third.said(), { cause: thrown })));
  expect(ended).toMatchObject({ status: 'succeeded', processedSeconds: 60 });
  expect(ended.outputs).toMatchObject([{ filename: expect.stringMatching(/\.mp3$/) as string, durationSeconds: 60 }]);
  const bytes = await (await client.download(ended.outputs[0]?.id ?? '')).bytes();
  expect(bytes.length).toBe(ended.outputs[0]?.sizeBytes);
  expect(await row(stopped)).toMatchObject({ attempt: 3 });
  const entries = [];
  for await (const { kind } of client.ledger()) entries.push(kind);
  expect(entries.filter((kind) => kind === 'charge')).toHaveLength(1);

  await service.operator.removeRunner('elsewhere');
  const [refused] = (await once(third, 'exit')) as [number | null];
  expect([refused, third.said()]).toEqual([expect.any(Number) as number, expect.stringContaining('revoked') as string]);
  expect(refused).not.toBe(0);
});
