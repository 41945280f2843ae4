// Jobs of a JSON file as an engine starts them: what they bring and send, what they say, and how they end.
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { openCheckpoint } from '../../src/library/runtime/chains/checkpoint.ts';
import { wavBytes } from '../fixtures/media/pcm-files.ts';
import { tone } from '../fixtures/media/signals.ts';
import { slow } from '../fixtures/rounds.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { earshot, jsonLines } from './support.ts';

const folder = temporaryFolder('earshot-exec-');
const sound = Buffer.from(wavBytes([tone(48_000, 48_000, 440)], 48_000));
const kept = new Map<string, Buffer>();
let server: Server;
let base = '';
beforeAll(async () => {
  writeFileSync(join(folder, 'talk.wav'), sound);
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    if (request.method === 'PUT') {
      void (async () => {
        kept.set(path, await buffer(request));
        response.end();
      })();
      return;
    }
    if (path === '/busy.wav') return void response.writeHead(503).end();
    if (path === '/moved.wav') return void response.writeHead(302, { location: '/talk.wav' }).end();
    // As a store with the protocol of S3 answers.
    if (path === '/talk.wav' || path === '/bucket/in/talk.wav') return void response.end(sound);
    response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

interface Ended {
  readonly code: number | null;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

const environment = (): Record<string, string> => ({
  EARSHOT_S3_ENDPOINT: base,
  EARSHOT_S3_ACCESS_KEY_ID: 'id',
  EARSHOT_S3_SECRET_ACCESS_KEY: 'secret',
});

function written(job: unknown): string {
  const path = join(folder, 'job.json');
  writeFileSync(path, typeof job === 'string' ? job : JSON.stringify(job));
  return path;
}

async function exec(job: unknown): Promise<Ended> {
  const run = await earshot(folder, ['exec', written(job)], { environment: environment() });
  return { code: run.code, lines: jsonLines(run) };
}

/** In this process, for what ends soon. */
async function execHere(job: unknown, others: Readonly<Record<string, string | undefined>> = {}): Promise<Ended> {
  const said: string[] = [];
  const writing = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  for (const [name, value] of Object.entries({ ...environment(), ...others })) vi.stubEnv(name, value);
  try {
    const code = await runCli(['exec', written(job)], new AbortController().signal);
    return { code, lines: jsonLines({ code, stdout: said.join(''), stderr: '' }) };
  } finally {
    writing.mockRestore();
    vi.unstubAllEnvs();
  }
}

const talk = join(folder, 'talk.wav');

it('runs a tool over a path, says its progress in lines, and does nothing a second time', slow, async () => {
  const job = {
    tool: 'loudness',
    options: { target: 'podcast' },
    inputs: ['talk.wav'],
    output: 'finished',
    checkpoint: 'job.state',
  };
  const { code, lines } = await exec(job);
  expect(code).toBe(0);
  expect(new Set(lines.map(({ type }) => type))).toEqual(new Set(['progress', 'result']));
  const result = lines.at(-1)!;
  expect(result).toMatchObject({ type: 'result', tool: 'adjust_loudness', processedSeconds: 1 });
  const [output] = result['outputs'] as string[];
  expect(readFileSync(output!).length).toBeGreaterThan(1000);
  rmSync(output!);
  const again = await exec(job);
  expect([again.code, again.lines]).toEqual([0, [{ ...result, before: true }]]);
  expect(existsSync(output!)).toBe(false);
  // Another job does not take its checkpoint.
  expect((await exec({ ...job, options: { target: 'streaming' } })).lines.at(-1)).not.toHaveProperty('before');
});

it('brings inputs by link and by s3 address, and sends results there', slow, async () => {
  const steps = [{ tool: 'loudness' }, { tool: 'convert', options: { format: 'mp3' } }];
  const linked = await exec({
    chain: { name: 'mine', steps },
    inputs: [`${base}/moved.wav`],
    output: `${base}/results/{name}?signature=secret`,
  });
  expect([linked.code, linked.lines.at(-1)]).toEqual([
    0,
    expect.objectContaining({ type: 'result', outputs: [`${base}/results/moved.mine.mp3`] }),
  ]);
  expect(kept.get('/results/moved.mine.mp3')!.length).toBeGreaterThan(5000);
  const stored = await exec({
    tool: 'convert',
    options: { format: 'flac' },
    inputs: ['s3://bucket/in/talk.wav'],
    output: 's3://bucket/out/',
  });
  const [place] = stored.lines.at(-1)!['outputs'] as string[];
  expect([stored.code, place]).toEqual([0, expect.stringMatching(/^s3:\/\/bucket\/out\/talk\.\w+\.flac$/)]);
  expect(kept.get(place!.replace('s3:/', ''))!.subarray(0, 4).toString()).toBe('fLaC');
});

it.each([
  ['no JSON', 'not JSON', 65, 'bad_request'],
  ['neither tool nor chain', { inputs: [talk], output: folder }, 65, 'bad_request'],
  ['a field that there is not', { tool: 'loudness', inputs: [talk], output: folder, into: folder }, 65, 'bad_request'],
  [
    'an option that there is not',
    { tool: 'loudness', options: { loud: 1 }, inputs: [talk], output: folder },
    65,
    'bad_request',
  ],
  ['a chain that there is not', { chain: 'potcast', inputs: [talk], output: folder }, 65, 'bad_request'],
  [
    'an option that its chain does not have',
    { chain: 'podcast', options: { constructor: true }, inputs: [talk], output: folder },
    65,
    'bad_request',
  ],
  ['more files than its chain takes', { chain: 'audiobook', inputs: [talk, talk], output: folder }, 65, 'bad_request'],
  [
    'a link for results without {name}',
    { tool: 'loudness', inputs: [talk], output: 'https://127.0.0.1/x' },
    65,
    'bad_request',
  ],
  ['a file where its results are to go', { tool: 'loudness', inputs: [talk], output: talk }, 65, 'bad_request'],
  [
    'an input that is not there',
    { tool: 'loudness', inputs: [join(folder, 'none.wav')], output: folder },
    65,
    'not_found',
  ],
  [
    'an input that is no sound',
    { tool: 'loudness', inputs: [join(folder, 'job.json')], output: folder },
    65,
    expect.any(String),
  ],
] as const)('ends with its code for %s', async (_, job, code, error) => {
  const { lines, ...ended } = await execHere(job);
  expect([ended.code, lines.at(-1)]).toEqual([
    code,
    expect.objectContaining({ type: 'error', error: expect.objectContaining({ code: error }) }),
  ]);
});

it('a chain writes the format that is its own, as `earshot run` does', slow, async () => {
  const { code, lines } = await exec({ chain: 'audiobook', inputs: ['talk.wav'], output: 'book' });
  expect([code, lines.at(-1)]).toEqual([
    0,
    expect.objectContaining({ outputs: [expect.stringMatching(/talk\.audiobook\.mp3$/)] }),
  ]);
});

it('says before the work that there is no key for a bucket, with the code for what is missing', async () => {
  const none = {
    EARSHOT_S3_ACCESS_KEY_ID: undefined,
    EARSHOT_S3_SECRET_ACCESS_KEY: undefined,
    AWS_ACCESS_KEY_ID: undefined,
    AWS_PROFILE: undefined,
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  for (const places of [
    { inputs: ['s3://bucket/in/talk.wav'], output: folder },
    { inputs: [talk], output: 's3://bucket/out/' },
  ]) {
    const { code, lines } = await execHere({ tool: 'loudness', ...places }, none);
    expect([code, lines]).toEqual([
      69,
      [expect.objectContaining({ error: expect.objectContaining({ code: 'tool_unavailable' }) })],
    ]);
  }
});

it('asks to be tried again where a server is busy, and not where the input is missing', async () => {
  const of = (input: string) => execHere({ tool: 'loudness', inputs: [input], output: folder });
  expect((await of(`${base}/busy.wav`)).code).toBe(75);
  expect((await of(`${base}/none.wav`)).code).toBe(65);
  expect((await of('s3://bucket/none.wav')).code).toBe(65);
});

it('prints its schema, which takes what the help shows', async () => {
  const said: string[] = [];
  const writing = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  await runCli(['exec', '--schema'], new AbortController().signal);
  await runCli(['exec', '--help'], new AbortController().signal);
  writing.mockRestore();
  const [schema = '', ...help] = said;
  const fits = new Ajv2020({ strict: false }).compile(JSON.parse(schema) as object);
  const shown = [...help.join('').matchAll(/^ {2}(\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json) as unknown);
  expect(shown.length).toBe(2);
  for (const job of shown) expect([fits(job), fits.errors]).toEqual([true, null]);
  expect(fits({ tool: 'loudness', inputs: [], output: '.' })).toBe(false);
});

it('refuses a checkpoint where no file can be, before the work', async () => {
  const job = { tool: 'loudness', inputs: [talk], output: folder, checkpoint: join(talk, 'job.state') };
  const { code, lines } = await execHere(job);
  expect([code, lines]).toEqual([65, [expect.objectContaining({ type: 'error' })]]);
});

it('a checkpoint keeps the parts of its job alone, and starts anew where it is damaged', async () => {
  const path = join(folder, 'states', 'one');
  const first = await openCheckpoint(path, 'a');
  for (let n = 0; n < 5; n += 1) first.add({ key: `part ${n}`, value: n });
  await first.written();
  expect((await openCheckpoint(path, 'a')).parts.map(({ value }) => value)).toEqual([0, 1, 2, 3, 4]);
  expect((await openCheckpoint(path, 'b')).parts).toEqual([]);
  await first.finish({ outputs: [] });
  expect(await openCheckpoint(path, 'a')).toMatchObject({ parts: [], result: { outputs: [] } });
  writeFileSync(path, '{"job": "a", "par');
  expect(await openCheckpoint(path, 'a')).toMatchObject({ parts: [], result: null });
});
