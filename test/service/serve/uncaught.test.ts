// @module-tag slow
// An error that nothing catches, in the API of a real service: who waits is answered, the process ends and another
// takes its port, and nothing is lost.
import { mkdtempSync, rmSync } from 'node:fs';
import { request as startRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';
import { noise } from '../../fixtures/media/signals.ts';
import { listProcesses } from '../../fixtures/processes/listed.ts';
import {
  createClient,
  startService,
  type Client,
  type RunningService,
} from '../../fixtures/service/running-service.ts';
import { until } from '../../fixtures/until.ts';

const data = mkdtempSync(join(tmpdir(), 'earshot-uncaught-'));
const onSignal = fileURLToPath(new URL('../../fixtures/processes/throw-on-signal.mjs', import.meta.url));
let service: RunningService;
let client: Client;

beforeAll(async () => {
  service = await startService(data, [], {}, [`--import=${onSignal}`]);
  client = createClient(service.address, service.key ?? '');
});
afterAll(async () => {
  await service.stop();
  rmSync(data, { recursive: true, force: true });
});

/** A request whose sending and reading the test does by itself. */
function begin(method: string, path: string, headers: Record<string, string | number> = {}): ClientRequest {
  const request = startRequest(new URL(path, service.address), {
    method,
    agent: false,
    headers: { authorization: `Bearer ${service.key}`, ...headers },
  });
  return request.on('error', () => {});
}
const answerOf = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void request.on('response', resolve).on('error', reject));

const api = (): number | undefined => service.pids().api[0];

/** Lets the API fail, and waits for the next one. */
async function fail(signal: 'SIGUSR2' | 'SIGHUP'): Promise<void> {
  const before = api();
  process.kill(before ?? 0, signal);
  await until('another API listens', async () => {
    if (api() === before) return false;
    return fetch(`${service.address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
}

interface Created {
  readonly file: { readonly id: string };
  readonly multipart: { readonly partSizeBytes: number; readonly partUrl: string; readonly completeUrl: string };
}

describe.runIf(process.platform === 'linux')('an error that nothing catches', () => {
  test('answers who waits, cuts off who reads, and leaves uploads and jobs as they were', async () => {
    // 17 MiB in two parts, of which one has arrived.
    const sound = wavBytes([noise(4_456_448, 7)], 48_000, 'f32');
    const { file, multipart } = await client.call<Created>('POST', '/api/v1/files', {
      filename: 'noise.wav',
      sizeBytes: sound.length,
    });
    const { partSizeBytes } = multipart;
    const partUrl = (number: number): string => multipart.partUrl.replace('{n}', String(number));
    await fetch(partUrl(1), { method: 'PUT', body: sound.subarray(0, partSizeBytes) });
    // A job under way in the worker.
    const other = await client.upload(new Uint8Array(wavBytes([noise(4_800_000, 8)], 48_000)), 'other.wav');
    const job = await client.call<{ id: string }>('POST', '/api/v1/jobs', {
      tool: 'adjust_loudness',
      file_id: other.id,
      idempotency_key: 'one',
    });
    const { url } = await client.call<{ url: string }>('GET', `/api/v1/files/${other.id}/download`);

    const waiting = begin('GET', `/api/v1/files/${file.id}?wait=40`);
    const waited = answerOf(waiting);
    waiting.end();
    const reading = begin('GET', url);
    const read = answerOf(reading);
    reading.end();
    const download = await read;
    const cutOff = new Promise<boolean>((resolve) =>
      download.on('error', () => {}).on('close', () => resolve(!download.complete)),
    );
    await new Promise((resolve) => download.once('readable', resolve));
    const second = sound.subarray(partSizeBytes);
    const sending = begin('PUT', partUrl(2), { 'content-length': second.length });
    const sent = answerOf(sending).then(
      ({ statusCode }) => statusCode,
      () => 'closed',
    );
    await new Promise((resolve) => sending.write(second.subarray(0, 1_000_000), resolve));

    await fail('SIGUSR2');
    const answer = await waited;
    expect(answer.statusCode).toBe(503);
    expect(answer.headers).toMatchObject({ 'retry-after': '5', connection: 'close' });
    expect(await json(answer)).toMatchObject({ error: { code: 'internal_error', retryable: true } });
    // What is in the system's buffers comes first.
    download.resume();
    expect(await cutOff).toBe(true);
    expect([503, 'closed']).toContain(await sent);

    const again = await fetch(partUrl(2), { method: 'PUT', body: second });
    expect(again.status).toBe(200);
    expect((await fetch(multipart.completeUrl, { method: 'POST' })).status).toBe(200);
    expect(await client.call('GET', `/api/v1/files/${file.id}?wait=20`)).toMatchObject({
      status: 'ready',
      sizeBytes: sound.length,
    });
    expect(await client.finished(job.id)).toMatchObject({ status: 'succeeded' });
    const starts = service
      .output()
      .split('\n')
      .filter((line) => line.includes(job.id) && line.includes('A job started'));
    expect(starts.length).toBe(1);
  });

  test('is logged as fatal, with its stack, and the launcher says what it does', async () => {
    await fail('SIGHUP');
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { level: string; part: string; origin?: string; err?: { stack: string } });
    const fatal = lines.filter(({ level }) => level === 'fatal');
    expect(fatal).toMatchObject([
      { part: 'api', origin: 'uncaughtException', err: { stack: expect.stringContaining('throw-on-signal') } },
      { part: 'api', origin: 'unhandledRejection', err: { message: 'rejected on purpose' } },
    ]);
    expect(service.output()).toContain('the api process ended (exit code 1); starting it again');
  });

  test('in the worker ends it, too, and the next one takes its jobs', async () => {
    const [before] = service.pids().worker;
    process.kill(before ?? 0, 'SIGUSR2');
    await until('another worker runs', () => {
      const [now] = service.pids().worker;
      return now !== undefined && now !== before;
    });
    const file = await client.upload(new Uint8Array(wavBytes([noise(48_000, 9)], 48_000)), 'short.wav');
    const job = await client.call<{ id: string }>('POST', '/api/v1/jobs', {
      tool: 'analyze_audio',
      file_id: file.id,
    });
    expect(await client.finished(job.id)).toMatchObject({ status: 'succeeded' });
  });
});

test.runIf(process.platform === 'linux')(
  'a killed launcher takes all down, also where nothing reads the log',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'earshot-killed-'));
    const { launcher, pids } = await startService(folder, ['--log-level', 'debug']);
    const left = Object.values(pids()).flat();
    expect(left.length).toBeGreaterThan(2);
    launcher.stdout?.destroy();
    launcher.stderr?.destroy();
    launcher.kill('SIGKILL');
    const runs = (pid: number): boolean => listProcesses().some((each) => each.pid === pid && each.command !== '');
    try {
      await until('nothing of it runs', () => !left.some(runs));
    } finally {
      for (const pid of left.filter(runs)) process.kill(pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
