// `npm run bench:service`: the service as a person starts it, measured from outside over HTTP. Prints one table with
// the machine's facts. After `--`: `--only=start,cost,assistants,upload,json,latency,recovery` some of the parts,
// `--runs=5` more runs.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import {
  createClient,
  startService,
  type Client,
  type RunningService,
} from '../../test/fixtures/service/running-service.ts';
import { machineLine, median, runs, wanted } from '../compare.ts';
import { measureAssistants } from './assistants.ts';
import { measureCost } from './cost.ts';
import { ways, type Ticket, type Way } from './upload-ways.ts';
import { wavFile } from './wav.ts';

const mebibyte = 1024 * 1024;
const data = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
const row = (what: string, bound: string, measured: string): void =>
  console.log(`| ${what} | ${bound} | ${measured} |`);
const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

console.log(`${machineLine()}\n\n| What | Bound | Measured |\n|---|---|---|`);
const flags = [
  '--log-level',
  'error',
  '--rate-limit-account',
  '1000000',
  '--rate-limit-address',
  '1000000',
  '--first-credits',
  '1000000',
];
const first = await startService(data, flags);
const key = first.key ?? '';
let service = first;
try {
  if (wanted('start')) await measureStart();
  if (wanted('cost')) await measureCosts();
  if (wanted('assistants')) await measureAssistants(service, key, residentMb, row);
  const client = createClient(service.address, key);
  if (wanted('latency')) await measureLatency(client);
  if (wanted('upload')) await measureUploads(client, service);
  if (wanted('json')) await measureJson(client, service);
  if (wanted('recovery')) await measureRecovery(client, service);
} finally {
  await service.stop();
  rmSync(data, { recursive: true, force: true });
}

/** With a process for each job, and with processes that are used again; the service goes on as it began. */
async function measureCosts(): Promise<void> {
  await measureCost(service, key, data, false, row);
  await service.stop();
  service = await startService(data, [...flags, '--job-reuse', '50']);
  await measureCost(service, key, data, true, row);
  await service.stop();
  service = await startService(data, flags);
}

async function measureStart(): Promise<void> {
  row('first start (makes the database) to the first answer', '', `${(first.startedInMs / 1000).toFixed(2)} s`);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await service.stop();
    const startedAt = performance.now();
    service = await startService(data, flags);
    await createClient(service.address, key).call('GET', '/api/v1/tools');
    times.push(performance.now() - startedAt);
  }
  row('start to the first answer', '5 s', `${(median(times) / 1000).toFixed(2)} s`);
}

async function measureLatency(client: Client): Promise<void> {
  const file = await client.upload(wavFile(5), 'five.wav');
  // analyze_audio has 20 free uses a day and is always free.
  for (const [tool, count] of [
    ['adjust_loudness', Math.max(5, runs * 3)],
    ['analyze_audio', Math.min(15, Math.max(5, runs * 3))],
  ] as const) {
    const times: number[] = [];
    for (let run = 0; run < count; run += 1) {
      const startedAt = performance.now();
      const job = await client.call<{ id: string }>(
        'POST',
        '/api/v1/jobs',
        tool === 'analyze_audio'
          ? { tool, file_id: file.id }
          : { tool, file_id: file.id, idempotency_key: `latency-${run}` },
      );
      const ended = await client.finished(job.id);
      times.push(performance.now() - startedAt);
      if (ended.status !== 'succeeded') throw new Error(`${tool}: ${JSON.stringify(ended.error)}`);
      await sleep(300); // the next spare job process gets ready meanwhile
    }
    row(
      `${tool} of 5 s, POST /jobs to succeeded`,
      '1 s',
      `${median(times).toFixed(0)} ms (slowest ${Math.max(...times).toFixed(0)} ms of ${count})`,
    );
  }
}

/** The body comes from memory; hashing, writing and flushing are in the time. */
async function measureUploads(client: Client, { pids }: RunningService): Promise<void> {
  const bytes = Uint8Array.from(randomBytes(100 * mebibyte));
  const api = pids().api[0] as number;
  for (const way of Object.keys(ways) as Way[]) {
    const upload = async (): Promise<void> => {
      const ticket = await client.call<Ticket>('POST', '/api/v1/files', {
        filename: 'big.bin',
        sizeBytes: bytes.length,
      });
      await ways[way](bytes, ticket);
      await client.call('DELETE', `/api/v1/files/${ticket.file.id}`);
    };
    await upload();
    for (const parallel of [1, 4]) {
      const before = residentMb(api);
      let highest = before;
      const watch = setInterval(() => (highest = Math.max(highest, residentMb(api))), 20);
      const rates: number[] = [];
      for (let run = 0; run < runs; run += 1) {
        const startedAt = performance.now();
        await Promise.all(Array.from({ length: parallel }, upload));
        rates.push((parallel * bytes.length) / 1e6 / ((performance.now() - startedAt) / 1000));
      }
      clearInterval(watch);
      row(
        `upload of 100 MiB, ${way}, ${parallel} at a time`,
        parallel === 1 ? '150 MB/s' : '150 MB/s, +150 MB',
        `${median(rates).toFixed(0)} MB/s, memory of the API +${(highest - before).toFixed(0)} MB`,
      );
    }
  }
}

async function measureJson(client: Client, { address }: RunningService): Promise<void> {
  const file = await client.upload(wavFile(120), 'two-minutes.wav');
  const over = new AbortController();
  // Keeps every job slot busy for as long as the requests come.
  const jobs = Array.from({ length: 4 }, async (_, lane) => {
    for (let run = 0; !over.signal.aborted; run += 1) {
      const job = await client.call<{ id: string }>('POST', '/api/v1/jobs', {
        tool: 'adjust_loudness',
        file_id: file.id,
        target: 'custom',
        custom_lufs: -20,
        idempotency_key: `load-${lane}-${run}`,
      });
      await client.finished(job.id);
    }
  });
  try {
    for (const [path, method, body] of [
      ['/api/v1/tools', 'GET', undefined],
      [`/api/v1/files/${file.id}`, 'GET', undefined],
      ['/api/v1/jobs?limit=20', 'GET', undefined],
      ['/api/v1/account', 'GET', undefined],
      ['/api/v1/quote', 'POST', { tool: 'remove_silence', fileIds: [file.id] }],
    ] as const) {
      const result = await autocannon({
        url: address + path,
        method,
        connections: 50,
        duration: 5,
        headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${path}: ${result.non2xx} answers were not 2xx, ${result.errors} errors`);
      row(
        `${method} ${path.replace(file.id, '<id>')}, 50 at a time, jobs running`,
        'p99 60 ms',
        `p99 ${result.latency.p99} ms, median ${result.latency.p50} ms, ${result.requests.average.toFixed(0)}/s`,
      );
    }
  } finally {
    over.abort();
    await Promise.allSettled(jobs);
  }
  await Promise.all(jobs);
}

async function measureRecovery(client: Client, { pids }: RunningService): Promise<void> {
  const file = await client.upload(wavFile(600), 'ten-minutes.wav');
  const start = (name: string): Promise<{ id: string }> =>
    client.call('POST', '/api/v1/jobs', {
      tool: 'adjust_loudness',
      file_id: file.id,
      output_format: 'mp3',
      idempotency_key: name,
    });
  const state = (id: string): Promise<{ status: string; progress: number }> => client.call('GET', `/api/v1/jobs/${id}`);
  for (const victim of ['job', 'worker'] as const) {
    const { id } = await start(`recovery-${victim}`);
    while ((await state(id)).progress < 0.1) await sleep(20);
    const killed = pids()[victim];
    // Idle spare processes die with it; what counts is that the job goes on.
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    const killedAt = performance.now();
    // A new attempt starts at zero.
    while ((await state(id)).progress >= 0.1) await sleep(20);
    while ((await state(id)).progress === 0) await sleep(20);
    row(
      `the ${victim === 'job' ? 'job process' : 'supervisor'} is killed: the job runs again after`,
      '10 s',
      `${((performance.now() - killedAt) / 1000).toFixed(2)} s`,
    );
    const ended = await client.finished(id, 120_000);
    if (ended.status !== 'succeeded') throw new Error(`after the kill: ${ended.status} ${JSON.stringify(ended.error)}`);
  }
}
