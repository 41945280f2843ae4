// `npm run bench:free`: the free API as people meet it, measured from outside over HTTP: how long a request takes that
// brings 20 s of sound, and what 200 visitors at once get. After `--`: `--only=latency,visitors`, `--runs=5`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../test/fixtures/service/running-service.ts';
import { machineLine, median, runs, wanted } from '../compare.ts';
import { wavFile } from '../service/wav.ts';

const data = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
const row = (what: string, bound: string, measured: string): void =>
  console.log(`| ${what} | ${bound} | ${measured} |`);
const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

console.log(`${machineLine()}\n\n| What | Bound | Measured |\n|---|---|---|`);
const service = await startService(data, [
  '--log-level',
  'error',
  '--trust-proxy',
  'true',
  '--rate-limit-address',
  '1000000',
  '--free-wait-seconds',
  '100',
]);
let visitors = 0;
const nobody = (): string => `198.18.${Math.floor((visitors += 1) / 250)}.${(visitors % 250) + 1}`;

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly ms: number;
}

async function ask(slug: string, sound: Uint8Array<ArrayBuffer>, from: string, fields: object = {}): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append('file', new File([sound], 'talk.wav'));
  const startedAt = performance.now();
  const response = await fetch(`${service.address}/api/try/${slug}`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from },
    body: form,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const ms = performance.now() - startedAt;
  const code = response.ok ? null : (JSON.parse(bytes.toString()) as { error: { code: string } }).error.code;
  return { status: response.status, code, ms };
}

try {
  if (wanted('latency')) await measureLatency();
  if (wanted('visitors')) await measureVisitors();
} finally {
  await service.stop();
  rmSync(data, { recursive: true, force: true });
}

/** From the first byte of the request to the last one of its result. */
async function measureLatency(): Promise<void> {
  const sound = wavFile(20);
  const tools: readonly (readonly [slug: string, bound: string, fields?: object])[] = [
    ['media-info', '1 s'],
    ['loudness', '1 s'],
    ['convert', '1 s', { format: 'flac' }],
    ['cut', '1 s', { ranges: '[[2,4]]' }],
    ['remove-silence', '1 s'],
    ['level-speakers', '1 s'],
    ['remove-noise', '3 s'],
  ];
  for (const [slug, bound, fields] of tools) {
    const times: number[] = [];
    for (let run = 0; run <= runs; run += 1) {
      const { status, ms } = await ask(slug, sound, nobody(), fields);
      if (status !== 200) throw new Error(`${slug} answered ${status}`);
      // The first one warms up what a service that has run for a while has warm.
      if (run > 0) times.push(ms);
    }
    row(`${slug}, 20 s of sound, request to result`, bound, `${(median(times) / 1000).toFixed(2)} s`);
  }
}

/** 200 visitors with five requests each at once: three uses, then refusals. */
async function measureVisitors(): Promise<void> {
  const api = service.pids().api[0] ?? 0;
  const before = residentMb(api);
  const sound = wavFile(1);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentMb(api))), 100);
  const from = Array.from({ length: 200 }, nobody);
  const startedAt = performance.now();
  const answers: Answer[] = [];
  await Promise.all(
    from.map(async (address) => {
      // Two uploads of an address may arrive at a time, so one after the other.
      for (let use = 0; use < 3; use += 1) answers.push(await ask('convert', sound, address, { format: 'wav' }));
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const good = answers.filter(({ status }) => status === 200).length;
  // Three files of each may wait for a payment; what comes then is refused before it is read.
  await Promise.all(
    from.map(async (address) => {
      for (let waiting = 0; waiting < 3; waiting += 1)
        answers.push(await ask('convert', sound, address, { format: 'wav' }));
    }),
  );
  const refusals: number[] = [];
  await Promise.all(
    from.map(async (address) => {
      const answer = await ask('convert', sound, address, { format: 'wav' });
      answers.push(answer);
      refusals.push(answer.ms);
    }),
  );
  clearInterval(watch);
  refusals.sort((a, b) => a - b);
  const limited = answers.filter(({ code }) => code === 'free_limit_reached').length;
  row('200 visitors x 3 uses at once: results', '600', `${good} in ${seconds.toFixed(0)} s`);
  row('200 visitors x 4 more: refusals', '800', String(limited));
  row('answers of 5xx', '0', String(answers.filter(({ status }) => status >= 500).length));
  row('p99 of 200 refusals at once', '100 ms', `${(refusals[197] ?? 0).toFixed(0)} ms`);
  row('memory of the API, most above before', '150 MB', `${(most - before).toFixed(0)} MB`);
}
