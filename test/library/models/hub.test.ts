// A local server speaks the hub's protocol: the model's page, heads of files with X-Linked-Size and X-Linked-ETag, and
// redirects to where the bytes lie, which is another host to everybody.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addedModels, addedName } from '../../../src/library/models/added-models.ts';
import { addFromHub, type AddFromHubOptions } from '../../../src/library/models/hub.ts';
import { parseHubName } from '../../../src/library/models/hub-name.ts';
import { findRecogniser } from '../../../src/library/models/recognisers.ts';
import { locateChecked } from '../../../src/library/models/installed.ts';
import { thrownBy } from '../../fixtures/media/media.ts';
import { seeded } from '../../fixtures/media/signals.ts';

const commit = 'c0ffee'.padEnd(40, '0');
const random = seeded(11);
const bytesOf = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, () => Math.floor(random() * 256)));
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const gitSha1 = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

const descriptions = {
  'config.json': json({ model_type: 'whisper', num_mel_bins: 80 }),
  'generation_config.json': json({ alignment_heads: [[3, 1]], lang_to_id: { '<|en|>': 1, '<|de|>': 2 } }),
  'preprocessor_config.json': json({ feature_size: 80 }),
  'tokenizer.json': json({ model: {} }),
};
const whisper: Readonly<Record<string, Buffer>> = {
  ...descriptions,
  'README.md': Buffer.from('# A model'),
  'onnx/encoder_model_quantized.onnx': bytesOf(200_000),
  'onnx/decoder_model_merged_quantized.onnx': bytesOf(300_000),
  'onnx/encoder_model.onnx': bytesOf(900),
  'onnx/encoder_model.onnx_data': bytesOf(70_000),
  'onnx/decoder_model_merged.onnx': bytesOf(800),
};

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
}

let servers: Server[] = [];
let hubUrl = '';
let storeUrl = '';
let files: Readonly<Record<string, Buffer>> = whisper;
let asked: { hub: Asked[]; store: Asked[] } = { hub: [], store: [] };
let fromHub: (request: IncomingMessage, response: ServerResponse) => boolean;
/** Bytes of an answer of the store after which the connection ends; null: none. */
let cutAfter: (count: number) => number | null;
let spoil: (bytes: Buffer) => Buffer;
let folder = '';

const note = ({ method, url, headers }: IncomingMessage): Asked => ({
  method: method ?? '',
  url: url ?? '',
  authorization: headers.authorization,
  range: headers.range,
});

function answerHub(request: IncomingMessage, response: ServerResponse): void {
  asked.hub.push(note(request));
  if (fromHub(request, response)) return;
  const url = new URL(request.url ?? '', hubUrl);
  if (/^\/api\/models\/owner\/name\/revision\/(main|v1)$/.test(url.pathname)) {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        _id: '1',
        id: 'owner/name',
        sha: commit,
        tags: ['onnx', 'license:mit'],
        cardData: { language: ['en', 'de', 'fr'] },
        lastModified: '2026-01-01T00:00:00Z',
        siblings: Object.keys(files).map((rfilename) => ({ rfilename })),
      }),
    );
    return;
  }
  const path = new RegExp(`^/owner/name/resolve/${commit}/(.+)$`).exec(url.pathname)?.[1];
  const bytes = path === undefined ? undefined : files[decodeURIComponent(path)];
  if (path === undefined || bytes === undefined) {
    response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
    return;
  }
  if (bytes.length < 500 && !path.endsWith('.onnx')) {
    // Git's own files: no redirect, and their hash is that of git's object.
    response.writeHead(200, { etag: `"${gitSha1(bytes)}"`, 'content-length': bytes.length });
    response.end(request.method === 'HEAD' ? undefined : bytes);
    return;
  }
  response.writeHead(302, {
    location: `${storeUrl}/${sha256(bytes)}?signed`,
    'x-repo-commit': commit,
    'x-linked-size': bytes.length,
    'x-linked-etag': `"${sha256(bytes)}"`,
  });
  response.end();
}

function answerStore(request: IncomingMessage, response: ServerResponse): void {
  asked.store.push(note(request));
  const hash = (request.url ?? '').slice(1).split('?')[0];
  const whole = Object.values(files).find((bytes) => sha256(bytes) === hash);
  if (!whole) {
    response.writeHead(404).end();
    return;
  }
  const bytes = spoil(whole);
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const part = bytes.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    etag: `"${hash}"`,
    'content-length': part.length,
    ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
  });
  const cut = cutAfter(asked.store.length);
  if (cut === null) response.end(part);
  else response.write(part.subarray(0, cut), () => setTimeout(() => response.destroy(), 50));
}

const listen = (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer(answer);
    servers.push(server);
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });

beforeAll(async () => {
  hubUrl = await listen(answerHub);
  // Another name of this machine: to a client, another host.
  storeUrl = (await listen(answerStore)).replace('127.0.0.1', 'localhost');
});
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  servers = [];
});
beforeEach(() => {
  files = whisper;
  asked = { hub: [], store: [] };
  fromHub = () => false;
  cutAfter = () => null;
  spoil = (bytes) => bytes;
  folder = mkdtempSync(join(tmpdir(), 'earshot-hub-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const add = (name = 'hf:owner/name', options: Partial<AddFromHubOptions> = {}) =>
  addFromHub(parseHubName(name), {
    folder,
    variant: 'quantized',
    environment: { HF_ENDPOINT: hubUrl, HF_TOKEN: 'hf_secret' },
    download: { pausesMilliseconds: [1, 1, 1] },
    ...options,
  });

describe('a recogniser from the hub', () => {
  it('comes with its revision and every hash pinned, and is found again', async () => {
    const told: number[] = [];
    const model = await add('hf:owner/name', { onProgress: (fraction) => void told.push(fraction) });
    expect(model).toMatchObject({
      family: 'whisper',
      variant: 'quantized',
      revision: commit,
      licence: 'mit',
      languages: 2,
    });
    expect(model.files.map(({ name }) => name)).toEqual([
      ...Object.keys(descriptions),
      'onnx/encoder_model_quantized.onnx',
      'onnx/decoder_model_merged_quantized.onnx',
    ]);
    for (const { name, bytes, sha256: hash } of model.files)
      expect({ bytes, hash }).toEqual({ bytes: files[name]?.length, hash: sha256(files[name] as Buffer) });
    expect(told.at(-1)).toBe(1);
    const [found, ...others] = await addedModels(folder);
    expect(others).toEqual([]);
    expect(found).toEqual(model);
    expect(addedName(model)).toBe('hf:owner/name');
    const located = await locateChecked(model, folder);
    expect(readFileSync(located?.path('onnx/encoder_model_quantized.onnx') ?? '')).toEqual(
      files['onnx/encoder_model_quantized.onnx'],
    );
    // Once more: nothing large is fetched again.
    const large = asked.store.length;
    await add();
    expect(asked.store).toHaveLength(large);
  });

  it('the token goes to the hub, and to nobody that it redirects to', async () => {
    await add();
    expect(asked.hub.every(({ authorization }) => authorization === 'Bearer hf_secret')).toBe(true);
    expect(asked.store.length).toBeGreaterThan(0);
    expect(asked.store.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  it('goes on where a transfer broke off', async () => {
    cutAfter = (count) => (count === 1 ? 120_000 : null);
    await add();
    expect(asked.store.map(({ range }) => range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=\d+-$/) as string,
      undefined,
    ]);
  });

  it('a revision is asked for by its name, and files by the commit that it is', async () => {
    await add('hf:owner/name@v1');
    expect(asked.hub[0]?.url).toMatch(/\/revision\/v1\?/);
    expect(asked.hub.slice(1).every(({ url }) => url.includes(commit))).toBe(true);
  });

  it('weights that lie beside their graph come along', async () => {
    const model = await add('hf:owner/name', { variant: 'full' });
    expect(model.files.map(({ name }) => name).slice(4)).toEqual([
      'onnx/encoder_model.onnx',
      'onnx/encoder_model.onnx_data',
      'onnx/decoder_model_merged.onnx',
    ]);
    expect(existsSync(join(folder, model.id, 'onnx', 'encoder_model.onnx_data'))).toBe(true);
  });

  it('may be a Parakeet, with the languages that its page names', async () => {
    files = {
      'config.json': json({ model_type: 'nemo-conformer-tdt', features_size: 128 }),
      'vocab.txt': Buffer.from('a 0\n<blk> 1\n'),
      'nemo128.onnx': bytesOf(600),
      'encoder-model.onnx': bytesOf(900),
      'encoder-model.onnx.data': bytesOf(80_000),
      'decoder_joint-model.onnx': bytesOf(700),
      'encoder-model.int8.onnx': bytesOf(60_000),
      'decoder_joint-model.int8.onnx': bytesOf(20_000),
    };
    const model = await add();
    expect(model).toMatchObject({ family: 'parakeet', variant: 'quantized', languages: 3 });
    const names = ['config.json', 'vocab.txt'];
    expect(model.files.map(({ name }) => name)).toEqual([
      ...names,
      'encoder-model.int8.onnx',
      'decoder_joint-model.int8.onnx',
    ]);
    const found = await findRecogniser(folder, 'hf:owner/name');
    expect(found).toMatchObject({ family: 'parakeet', encoder: join(folder, model.id, 'encoder-model.int8.onnx') });
    expect(found.bytes).toBe(model.files.reduce((sum, { bytes }) => sum + bytes, 0));
    const whole = await add('hf:owner/name', { variant: 'full' });
    expect(whole.files.map(({ name }) => name)).toEqual([
      ...names,
      'encoder-model.onnx',
      'encoder-model.onnx.data',
      'decoder_joint-model.onnx',
    ]);
    files = { ...files, 'config.json': json({ model_type: 'nemo-conformer-ctc' }) };
    expect(await thrownBy(() => add())).toMatchObject({
      code: 'unsupported_format',
      message: expect.stringContaining('nemo-conformer-tdt') as string,
    });
  });

  it('other bytes than the hub states are refused, and leave nothing', async () => {
    spoil = (bytes) => Buffer.from(bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte)));
    expect(await thrownBy(() => add())).toMatchObject({ code: 'file_invalid' });
    expect(await addedModels(folder)).toEqual([]);
  });

  it('is used when it is asked for by its name; another name is refused', async () => {
    const { id } = await add();
    expect(await findRecogniser(folder, 'hf:owner/name')).toMatchObject({
      id: 'hf:owner/name',
      family: 'whisper',
      encoder: join(folder, id, 'onnx', 'encoder_model_quantized.onnx'),
      decoder: join(folder, id, 'onnx', 'decoder_model_merged_quantized.onnx'),
    });
    expect(await findRecogniser(folder)).toMatchObject({ id: 'whisper-base', variant: 'quantized' });
    expect(await thrownBy(() => findRecogniser(folder, 'hf:owner/other'))).toMatchObject({
      code: 'tool_unavailable',
      nextAction: expect.stringContaining('earshot models add hf:owner/other') as string,
    });
    expect(await thrownBy(() => findRecogniser(folder, 'whisper-huge'))).toMatchObject({ code: 'bad_request' });
  });

  it('damage afterwards is noticed', async () => {
    const model = await add();
    rmSync(join(folder, model.id, 'tokenizer.json'));
    expect(await thrownBy(() => locateChecked(model, folder))).toMatchObject({ code: 'tool_unavailable' });
  });
});

describe('refused before anything large is fetched', () => {
  it.each([
    ['hf:owner', 'bad_request', /hf:<owner>\/<name>/],
    ['hf:../name', 'bad_request', /hf:<owner>\/<name>/],
    ['hf:owner/other', 'not_found', /There is no owner\/other@main/],
  ])('%s', async (name, code, message) => {
    const thrown = await thrownBy(() => add(name));
    expect(thrown.code).toBe(code);
    expect(thrown.message).toMatch(message);
  });

  it('what is private, or gated', async () => {
    fromHub = (_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Invalid credentials"}');
      return true;
    };
    expect(await thrownBy(() => add())).toMatchObject({
      code: 'fetch_failed',
      nextAction: expect.stringContaining('HF_TOKEN') as string,
    });
  });

  it('a variant that is not there, naming those that are', async () => {
    const thrown = await thrownBy(() => add('hf:owner/name', { variant: 'fp16' }));
    expect(thrown.code).toBe('unsupported_format');
    expect(thrown.message).toContain('onnx/encoder_model_fp16.onnx');
    expect(thrown.nextAction).toContain('--variant quantized');
  });

  it.each([
    ['config.json', json({ model_type: 'bert' }), /whisper as model_type of owner\/name but it is "bert"/],
    ['config.json', Buffer.from('nothing'), /Expected JSON in config\.json/],
    ['generation_config.json', json({}), /alignment_heads/],
  ])('%s that says something else', async (name, content, message) => {
    files = { ...whisper, [name]: content };
    const thrown = await thrownBy(() => add());
    expect(thrown.code).toBe('unsupported_format');
    expect(thrown.message).toMatch(message);
    expect(asked.store).toEqual([]);
  });
});
