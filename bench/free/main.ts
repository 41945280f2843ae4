// `npm run bench:free`: the free API as people meet it, measured from outside over HTTP, with the API in a process of
// its own: how long a request takes that brings 20 s of sound, what 200 visitors at once get, and how soon the refusal
// comes when nothing is left. After `--`: `--only=latency,visitors,refusals`, `--runs=5`.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/service/adapters/postgres/database/database.ts';
import { startEmbeddedPostgres } from '../../src/service/adapters/postgres/embedded/embedded.ts';
import { createPostgresStores } from '../../src/service/adapters/postgres/stores.ts';
import { addressKey } from '../../src/service/http/server/rate-limit.ts';
import { utcDay } from '../../src/service/rules/accounts/free.ts';
import { createVisitors } from '../../src/service/rules/free-runs/visitors.ts';
import { quietLog } from '../../test/fixtures/service/quiet-log.ts';
import { startService } from '../../test/fixtures/service/running-service.ts';
import { machineLine, median, runs, wanted } from '../compare.ts';
import { wavFile } from '../service/wav.ts';

const data = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
const row = (what: string, bound: string, measured: string): void =>
  console.log(`| ${what} | ${bound} | ${measured} |`);
/** Of 200 refusals each. */
const rounds = 10;
const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

console.log(`${machineLine()}\n\n| What | Bound | Measured |\n|---|---|---|`);
const service = await startService(data, [
  '--log-level',
  'info',
  '--trust-proxy',
  'true',
  '--rate-limit-address',
  '1000000',
  '--free-wait-seconds',
  '100',
]);
const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
/** Of the process so far, ticks of 10 ms. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}
let visitors = 0;
let requests = 0;
const visitor = (): string => `198.18.${Math.floor((visitors += 1) / 250)}.${(visitors % 250) + 1}`;

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly ms: number;
}

async function ask(
  slug: string,
  sound: Uint8Array<ArrayBuffer>,
  from: string,
  fields: object = {},
  vary = slug === 'convert',
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  // Each file is another, by its last bytes: one that is sent again would be the one that waits already.
  requests += 1;
  const file = vary ? [sound.subarray(0, -4), Uint32Array.of(requests)] : [sound];
  form.append('file', new File(file, 'talk.wav'));
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

/** A request as its bytes, so that what fetch and FormData take of the client's core is not measured. */
function written(form: { readonly type: string; readonly bytes: Uint8Array }, from: string): Uint8Array {
  const head = [
    'POST /api/try/convert HTTP/1.1',
    `host: ${new URL(service.address).host}`,
    `x-forwarded-for: ${from}`,
    `content-type: ${form.type}`,
    `content-length: ${form.bytes.length}`,
    '\r\n',
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n')), form.bytes]);
}

/**
 * Sends them all at once, each over a connection of its own.
 * @param open the connections stand before the clock runs, as those of visitors who were just answered do
 */
async function askAtOnce(requests: readonly Uint8Array[], open: boolean): Promise<Answer[]> {
  const { hostname, port } = new URL(service.address);
  const dial = async (): Promise<Socket> => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return socket;
  };
  const sockets = open ? await Promise.all(requests.map(dial)) : [];
  const startedAt = performance.now();
  return Promise.all(
    requests.map(async (bytes, index) => {
      const socket = sockets[index] ?? (await dial());
      socket.write(bytes);
      let text = '';
      for await (const chunk of socket) {
        text += String(chunk);
        if (text.endsWith('}')) break;
      }
      const ms = performance.now() - startedAt;
      socket.destroy();
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      const { error } = JSON.parse(body) as { error: { code: string } };
      return { status: Number(text.slice(9, 12)), code: error.code, ms };
    }),
  );
}

try {
  if (wanted('latency')) await measureLatency();
  if (wanted('visitors')) await measureVisitors();
  if (wanted('refusals')) await measureRefusals();
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
      const { status, ms } = await ask(slug, sound, visitor(), fields);
      if (status !== 200) throw new Error(`${slug} answered ${status}`);
      // The first one warms up what a service that has run for a while has warm.
      if (run > 0) times.push(ms);
    }
    row(`${slug}, 20 s of sound, request to result`, bound, `${(median(times) / 1000).toFixed(2)} s`);
  }
  // The sound above is a tone that the network takes for noise, so that RNNoise has to hear it, too; this is what
  // people send.
  const speech = await cutOut(new URL('../../test/recordings/sonnet001.mp3', import.meta.url), 20);
  const times: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const { status, ms } = await ask('remove-noise', speech, visitor());
    if (status !== 200) throw new Error(`remove-noise answered ${status}`);
    if (run > 0) times.push(ms);
  }
  row('remove-noise, 20 s of a reading, request to result', '3 s', `${(median(times) / 1000).toFixed(2)} s`);
}

/** The beginning of a recording, as the service itself cuts it. */
async function cutOut(url: URL, seconds: number): Promise<Uint8Array<ArrayBuffer>> {
  const form = new FormData();
  form.append('ranges', JSON.stringify([[0, seconds]]));
  form.append('mode', 'keep');
  form.append('file', new File([readFileSync(url)], 'reading.mp3'));
  const response = await fetch(`${service.address}/api/try/cut`, {
    method: 'POST',
    headers: { 'x-forwarded-for': visitor() },
    body: form,
  });
  if (response.status !== 200) throw new Error(`cut answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** 200 visitors with five requests each at once: three uses, then refusals. */
async function measureVisitors(): Promise<void> {
  const api = service.pids().api[0] ?? 0;
  const before = residentMb(api);
  const sound = wavFile(1);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentMb(api))), 100);
  const from = Array.from({ length: 200 }, visitor);
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
  await Promise.all(
    from.map(async (address) => {
      answers.push(await ask('convert', sound, address, { format: 'wav' }));
    }),
  );
  clearInterval(watch);
  const limited = answers.filter(({ code }) => code === 'free_limit_reached').length;
  row('200 visitors x 3 uses at once: results', '600', `${good} in ${seconds.toFixed(0)} s`);
  row('200 visitors x 4 more: refusals', '800', String(limited));
  row('answers of 5xx', '0', String(answers.filter(({ status }) => status >= 500).length));
  row('memory of the API, most above before', '150 MB', `${(most - before).toFixed(0)} MB`);
}

/**
 * 200 visitors who have had their uses and have three files waiting ask once more, all at the same time, again and
 * again. What the client sees has its own share of the two cores in it; the API's own log says what the API took.
 */
async function measureRefusals(): Promise<void> {
  const api = service.pids().api[0] ?? 0;
  const from = Array.from({ length: 200 }, visitor);
  await useUp(from);
  const form = new FormData();
  form.append('format', 'wav');
  form.append('file', new File([wavFile(1)], 'talk.wav'));
  const encoded = new Response(form);
  const body = {
    type: encoded.headers.get('content-type') ?? '',
    bytes: new Uint8Array(await encoded.arrayBuffer()),
  };
  const asked = from.map((address) => written(body, address));
  const seen = { open: [] as number[], fresh: [] as number[] };
  const before = residentMb(api);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentMb(api))), 50);
  let cpuBefore = 0;
  for (const kind of ['fresh', 'open'] as const)
    for (let round = 0; round <= rounds; round += 1) {
      if (kind === 'fresh' && round === 1) cpuBefore = cpuMs(api);
      const answers = await askAtOnce(asked, kind === 'open');
      if (answers.some(({ status }) => status !== 429)) throw new Error('Somebody was not refused');
      // The first round warms up what a service that has run for a while has warm.
      if (round > 0) seen[kind].push(...answers.map(({ ms }) => ms));
    }
  clearInterval(watch);
  const own = [...service.output().matchAll(/"url":"\/api\/try\/convert".*?"status":429,"milliseconds":([\d.]+)/g)]
    .map(([, ms]) => Number(ms))
    .slice(from.length);
  row('p99 of 200 refusals at once, to visitors who are connected', '100 ms', `${p99(seen.open).toFixed(0)} ms`);
  row('the same, each connecting first', '', `${p99(seen.fresh).toFixed(0)} ms`);
  row('the same in the API, by its log', '', `${p99(own).toFixed(0)} ms (median ${median(own).toFixed(0)} ms)`);
  const each = (cpuMs(api) - cpuBefore) / ((2 * rounds + 1) * from.length);
  row('processor time of the API for each', '', `${each.toFixed(2)} ms`);
  row('memory of the API meanwhile, most above before', '150 MB', `${(most - before).toFixed(0)} MB`);
}

/** As if these visitors had had the day's uses of convert, and had three files that wait. */
async function useUp(addresses: readonly string[]): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir: join(data, 'postgres'), log: quietLog });
  const database = openDatabase({ url: server.url, log: quietLog });
  try {
    const stores = createPostgresStores(database);
    const visitors = await createVisitors(stores.settings);
    const at = new Date();
    const subjects = addresses.map((address) => visitors.subjectOf(addressKey(address)));
    await database.kysely
      .insertInto('free_uses')
      .values(subjects.map((subject) => ({ subject, day: utcDay(at), tool: 'convert_audio' as const, taken: 3 })))
      .execute();
    await database.kysely
      .insertInto('free_runs')
      .values(
        subjects.flatMap((visitor, index) =>
          [1, 2, 3].map((number) => ({
            id: `job_bench${index}x${number}`,
            visitor,
            tool: 'convert_audio' as const,
            request: JSON.stringify({ inputs: {}, options: {} }),
            status: 'waiting' as const,
            error: JSON.stringify({ code: 'free_limit_reached', message: 'bench' }),
            createdAt: at,
            expiresAt: new Date(at.getTime() + 3_600_000),
          })),
        ),
      )
      .execute();
    await stores.close();
  } finally {
    await database.close();
  }
}
