// Hostile requests to every door of the API: no request may cost its only thread more than 100 ms.
// The service runs here, on the main thread, and a second thread sends: `process.threadCpuUsage` counts what each
// request costs. A request above the bar is repeated, and the least counts, so that neither a first call nor a busy
// machine matters. Usage: npm run fuzz:http -- [--seconds=60 | --requests=500] [--seed=<number>] [--bar=100]
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import fastify from 'fastify';
import { offeredTools } from '../../src/service/offers/offers.ts';
import { createServer } from '../../src/service/serve/create-server.ts';
import { seeded } from '../fixtures/random.ts';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Free runs wait for a worker, and here is none. */
const patienceMs = 1500;

const statusOf = async ({ url, ...init }: Sent): Promise<number> => {
  if (init.method === upgrade) return upgraded(new URL(url), init.headers, init.body ?? '');
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
};

/** A handshake of a websocket and what a client may send behind it; until the service hangs up. */
async function upgraded(
  { hostname, port, pathname, search }: URL,
  headers: Sent['headers'],
  body: string,
): Promise<number> {
  const socket = connect({ host: hostname, port: Number(port), timeout: 300 });
  socket.on('timeout', () => socket.destroy()).on('error', () => socket.destroy());
  const lines = Object.entries({ ...handshake, host: `${hostname}:${port}`, ...headers });
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n`);
  socket.write(`${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  socket.write(body);
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  return 0;
}
const upgrade = 'UPGRADE';
const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16, 7).toString('base64'),
};
if (!isMainThread)
  parentPort?.on('message', (sent: Sent) => void statusOf(sent).then((status) => parentPort?.postMessage(status)));

/** Hostile values, by how many letters they may have. */
const shapes: Readonly<Record<string, (letters: number) => string>> = {
  digits: (letters) => `${'0'.repeat(letters)}x`,
  'long word': (letters) => 'a'.repeat(letters),
  'one-letter words': (letters) => 'a b c d e '.repeat(letters / 10),
  slashes: (letters) => `${'/'.repeat(letters)}x`,
  blanks: (letters) => `${'\t'.repeat(letters)}x`,
  dots: (letters) => `${'.'.repeat(letters)}x`,
  commas: (letters) => 'a,'.repeat(letters / 2),
  brackets: (letters) => '['.repeat(letters),
  deep: (letters) => '['.repeat(letters / 2) + ']'.repeat(letters / 2),
  unicode: (letters) => '\u0645\u{1F3F3}\u200D'.repeat(letters / 4),
  'many names': (letters) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: letters / 10 }, (_, index) => [`n${index}`, 1]))),
  'numbers as names': (letters) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: letters / 12 }, (_, index) => [index * 20 + 1_000_003, 1]))),
  'empty lists': (letters) => `[${'[],'.repeat(letters / 3)}1]`,
};

/** Paths of browsers and of other dialects, which no OpenAPI document has. */
const otherPaths = (
  '/ /tools /docs /docs/rest-api /choose /sign-in /sign-in/token /sign-out /edit /edit/file_1 /files /jobs /account ' +
  '/credits /keys /oauth/authorize /oauth/token /oauth/register /connect/x /mcp /upload/token /f/token/name ' +
  '/finish/token /payments/token /v1/audio/transcriptions /v1/models /health ' +
  '/v1/upload /v1/remove-noise /v1/remove-noise/x/status /v1/download/x.mp3 /v1//download/x.mp3 ' +
  '/v1/wss/remove-noise/x/status /api/runner/jobs /api/runner/leave'
)
  .split(' ')
  .flatMap((path): [string, string][] => [
    ['GET', path],
    ['POST', path],
    ['PUT', path],
    ...(path.includes('/v1/wss/') ? Array.from({ length: 4 }, (): [string, string] => [upgrade, path]) : []),
  ]);
const queryNames = [
  'q',
  'back',
  'next',
  'lang',
  'cursor',
  'limit',
  'wait',
  'tool',
  't',
  'from',
  'bitrate_kbps',
  'filename',
];
const headerNames = [
  'authorization',
  'cookie',
  'accept',
  'accept-language',
  'range',
  'if-range',
  'prefer',
  'user-agent',
].concat(['content-type', 'idempotency-key', 'x-forwarded-for', 'mcp-protocol-version', 'origin', 'referer']);

async function fuzz(seconds: number, most: number, seed: number, bar: number): Promise<void> {
  const random = seeded(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const data = mkdtempSync(join(tmpdir(), 'earshot-fuzz-http-'));
  const server = createServer({
    data,
    role: 'api',
    logLevel: 'silent',
    rateLimitAccount: 1e9,
    rateLimitAddress: 1e9,
  });
  await server.start();
  const account = await server.operator.createAccount({ name: 'Fuzz', credits: 1000 });
  const { secret } = await server.operator.addKey(account.id, 'fuzz');
  const app = fastify();
  await app.register(server);
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  const sender = new Worker(new URL(import.meta.url));

  /** The CPU time of this thread until the answer, in ms. */
  const costOf = async (sent: Sent): Promise<number> => {
    const before = process.threadCpuUsage();
    await new Promise((resolve) => {
      sender.once('message', resolve);
      sender.postMessage(sent);
    });
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };

  const documents = await Promise.all(
    ['/api/openapi.json', '/api/v1/openapi.json'].map(async (path) =>
      fetch(base + path).then((answer) => (answer.ok ? answer.json() : {})),
    ),
  );
  const described = documents
    .flatMap((document) => Object.entries((document as { paths?: Record<string, object> }).paths ?? {}))
    .flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((key) => !key.startsWith('x-'))
        .map((method): [string, string] => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x_1')]),
    );
  const routes = [
    ...new Map([...described, ...otherPaths].map((route) => [route.join(' '), route])).values(),
    ...offeredTools.map(({ slug }): [string, string] => ['POST', `/api/try/${slug}`]),
  ];

  const make = (): { readonly what: string; readonly sent: Sent } => {
    const [method, path] = pick(routes);
    const [shape, text] = pick(Object.entries(shapes));
    const place = pick(['query', 'header', 'json', 'json field', 'form', 'multipart', 'path']);
    const headers: Record<string, string> = random() < 0.5 ? { authorization: `Bearer ${secret}` } : {};
    let url = base + path;
    let body: string | null = null;
    const field = pick(
      offeredTools.flatMap(({ options }) => Object.keys((options as { properties?: object }).properties ?? {})),
    );
    const hasBody = method !== 'GET' && method !== 'HEAD' && method !== upgrade;
    if (place === 'query')
      url += `?${pick(queryNames)}=${encodeURIComponent(text(4000))}`.slice(0, 14_000).replace(/%[^%]?$/, '');
    else if (place === 'header') headers[pick(headerNames)] = encodeURI(text(10_000)).slice(0, 12_000);
    else if (place === 'path')
      url += `/${encodeURIComponent(text(3000))
        .slice(0, 9000)
        .replace(/%[^%]?$/, '')}`;
    else if (method === upgrade) body = text(100_000);
    else if (hasBody) {
      const long = text(pick([1000, 100_000, 2_000_000]));
      if (place === 'form')
        [headers['content-type'], body] = [
          'application/x-www-form-urlencoded',
          `${field}=${encodeURIComponent(long.slice(0, 200_000))}`,
        ];
      else if (place === 'multipart')
        [headers['content-type'], body] = [
          'multipart/form-data; boundary=b',
          `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${long}\r\n--b--\r\n`,
        ];
      else
        [headers['content-type'], body] = [
          'application/json',
          place === 'json' ? long : JSON.stringify({ [field]: long }),
        ];
    }
    return { what: `${method} ${path} ${place}: ${shape}`, sent: { url, method, headers, body } };
  };

  const worst = new Map<string, number>();
  let requests = 0;
  try {
    for (const [method, path] of routes) await costOf({ url: base + path, method, headers: {}, body: null });
    for (const end = performance.now() + seconds * 1000; performance.now() < end && requests < most; requests += 1) {
      const { what, sent } = make();
      let cost = await costOf(sent);
      for (let again = 0; again < 4 && cost > bar; again += 1) cost = Math.min(cost, await costOf(sent));
      if (cost > (worst.get(what) ?? 0)) worst.set(what, cost);
    }
  } finally {
    await sender.terminate();
    await app.close();
    await server.close();
    rmSync(data, { recursive: true, force: true });
  }
  const table = [...worst].toSorted(([, one], [, other]) => other - one).slice(0, 20);
  console.log(
    `fuzz:http: seed ${seed}, ${requests} requests to ${routes.length} routes; the most CPU time of the API's thread:`,
  );
  for (const [what, cost] of table) console.log(`${cost.toFixed(1).padStart(8)} ms  ${what}`);
  if (table.some(([, cost]) => cost > bar)) {
    console.error(`A request cost more than ${bar} ms; --seed=${seed} repeats it`);
    process.exitCode = 1;
  }
}

if (isMainThread) {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string' },
      requests: { type: 'string' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
      bar: { type: 'string', default: '100' },
    },
  });
  const { seconds = values.requests === undefined ? '60' : 'Infinity', requests = 'Infinity' } = values;
  await fuzz(Number(seconds), Number(requests), Number(values.seed), Number(values.bar));
}
