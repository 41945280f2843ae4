// Chains over REST, as clients meet them: real HTTP, PostgreSQL, disk, queue and job processes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../../src/library/runtime/engine/engine.ts';
import type { Chain } from '../../../../src/library/runtime/chains/chain.ts';
import { runChain } from '../../../../src/library/runtime/chains/run-chain.ts';
import { wavBytes } from '../../../fixtures/media/pcm-files.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { createCaller, type Running } from '../support.ts';

const services = useServices();
const folder = temporaryFolder('earshot-rest-chains-');
const engine = createEngine({ tempDir: folder, concurrency: 1 });
afterAll(() => engine.close());
let shared: Promise<TestService> | undefined;
const running = (): Promise<TestService> => (shared ??= services.start());

/** Two words with a pause between them, as tones: mono, 16 kHz, 16 bit. */
function talk(hertz: number, pauseSeconds = 2): Uint8Array<ArrayBuffer> {
  const rate = 16_000;
  const seconds = 2 + pauseSeconds;
  const samples = Float32Array.from({ length: seconds * rate }, (_, frame) => {
    const at = frame / rate;
    return at >= 1 && at < 1 + pauseSeconds ? 0 : 0.1 * Math.sin(2 * Math.PI * hertz * at);
  });
  return new Uint8Array(wavBytes([samples], rate));
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly price: number;
  readonly charged: number | null;
  readonly failedStep: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly steps: readonly { name: string; status: string; credits: number | null; results: readonly unknown[] }[];
  readonly outputs: readonly { id: string; filename: string }[];
}

interface Caller {
  readonly call: Running['call'];
  readonly accountId: string;
  upload(bytes: Uint8Array<ArrayBuffer>, filename: string): Promise<string>;
  start(body: object): Promise<Shown>;
  finished(id: string): Promise<Shown>;
  bytes(fileId: string): Promise<Buffer>;
  reserved(): Promise<{ balance: number; reserved: number }>;
  ledger(): Promise<readonly { kind: string; credits: number; jobId: string | null }[]>;
}

let keys = 0;

async function caller(credits = 1000): Promise<Caller> {
  const service = await running();
  const { account, key } = await service.account(credits);
  const call = createCaller(service.base, key);
  return {
    call,
    accountId: account.id,
    async upload(bytes, filename) {
      const { json } = await call('POST', '/api/v1/files', { body: { filename, sizeBytes: bytes.length } });
      await call('PUT', json.upload.url, { raw: bytes, headers: json.upload.headers });
      expect((await call('GET', `/api/v1/files/${json.file.id}?wait=40`)).json.status).toBe('ready');
      return json.file.id as string;
    },
    async start(body) {
      keys += 1;
      const { status, json, text } = await call('POST', '/api/v1/chains', {
        body: { idempotency_key: `key-${keys}`, ...body },
      });
      expect(status, text).toBe(201);
      return json as Shown;
    },
    async finished(id) {
      let chain: Shown | undefined;
      let progress = 0;
      await expect
        .poll(
          async () => {
            chain = (await call('GET', `/api/v1/chains/${id}`)).json as Shown;
            expect(chain.progress).toBeGreaterThanOrEqual(progress);
            progress = chain.progress;
            return chain.status;
          },
          { timeout: 60_000, interval: 100 },
        )
        .toMatch(/succeeded|failed|cancelled/);
      return chain as Shown;
    },
    async bytes(fileId) {
      const { json } = await call('GET', `/api/v1/files/${fileId}/download`);
      return Buffer.from(await (await fetch(json.url as string)).arrayBuffer());
    },
    async reserved() {
      const { rows } = await service.stores.database.query('select balance, reserved from accounts where id = $1', [
        account.id,
      ]);
      return rows[0] as { balance: number; reserved: number };
    },
    async ledger() {
      const { items } = await service.stores.ledger.list(account.id, { cursor: null, limit: 100 }, false);
      return items.map(({ kind, credits: moved, jobId }) => ({ kind, credits: moved, jobId })).toReversed();
    },
  };
}

const tidy: Chain = {
  name: 'tidy',
  steps: [
    { tool: 'remove-silence', options: { min_pause_seconds: 0.5 } },
    { tool: 'loudness', options: { target: 'streaming' } },
    { tool: 'convert', name: 'small', options: { format: 'mp3' } },
  ],
};

describe('a chain', () => {
  it(
    'gives the bytes of runChain, is charged once for what it processed, and leaves nothing between',
    slow,
    async () => {
      const { call, upload, start, finished, bytes, reserved, ledger } = await caller();
      const source = talk(440);
      const fileId = await upload(source, 'talk.wav');
      const body = { chain: tidy, file_ids: [fileId], format: 'mp3' };
      const quote = (await call('POST', '/api/v1/chains/quote', { body })).json;
      expect(quote).toEqual({
        name: 'tidy',
        credits: 3,
        steps: ['remove_silence', 'adjust_loudness', 'convert_audio'].map((tool, at) => ({
          name: ['remove-silence', 'loudness', 'small'][at],
          tool,
          seconds: 4,
          credits: 1,
        })),
      });
      const begun = await start(body);
      expect(begun).toMatchObject({
        price: 3,
        charged: null,
        recipe: null,
        name: 'tidy',
        settle: 'whole',
        outputs: [],
      });
      const done = await finished(begun.id);
      expect(done).toMatchObject({ status: 'succeeded', progress: 1, charged: 3, error: null, failedStep: null });
      expect(done.steps.map(({ name, status, results }) => [name, status, results.length])).toEqual([
        ['remove-silence', 'succeeded', 1],
        ['loudness', 'succeeded', 1],
        ['small', 'succeeded', 1],
      ]);
      const [output] = done.outputs;
      expect(done.outputs.map(({ filename }) => filename)).toEqual(['talk.tidy.mp3']);

      writeFileSync(join(folder, 'talk.wav'), source);
      const ran = await runChain(engine, tidy, [join(folder, 'talk.wav')], { output: join(folder, 'here.mp3') });
      expect((await bytes(output?.id ?? '')).equals(readFileSync(ran.outputs[0]?.path ?? ''))).toBe(true);

      expect(await reserved()).toEqual({ balance: 997, reserved: 0 });
      expect((await ledger()).slice(1)).toEqual([
        { kind: 'reserve', credits: 0, jobId: begun.id },
        { kind: 'charge', credits: -3, jobId: begun.id },
      ]);
      // Its steps are in no list, and neither is what went from one to the next.
      expect((await call('GET', '/api/v1/jobs')).json.data).toEqual([]);
      const listed = (await call('GET', '/api/v1/files')).json.data as { id: string }[];
      expect(listed.map(({ id }) => id)).toEqual([output?.id, fileId]);
      const { stores } = await running();
      const { rows } = await stores.database.query(
        `select count(*)::int as kept from files where account_id is null and expires_at > clock_timestamp()`,
      );
      expect(rows).toEqual([{ kept: 0 }]);
      expect((await call('GET', '/api/v1/chains')).json.data.map(({ id }: Shown) => id)).toEqual([begun.id]);
    },
  );

  it('of two tracks runs a step for each, and mixes them as runChain does', slow, async () => {
    const { upload, start, finished, bytes } = await caller();
    const chain: Chain = {
      name: 'both',
      steps: [{ tool: 'loudness', options: { target: 'podcast' } }, { tool: 'mix' }],
    };
    const sources = [talk(300), talk(500, 3)];
    const ids = [await upload(sources[0]!, 'host.wav'), await upload(sources[1]!, 'guest.wav')];
    const done = await finished((await start({ chain, file_ids: ids })).id);
    expect(done.error).toBeNull();
    expect(done.steps.map(({ results }) => results.length)).toEqual([2, 1]);
    const paths = ['host.wav', 'guest.wav'].map((name, at) => {
      writeFileSync(join(folder, name), sources[at]!);
      return join(folder, name);
    });
    const ran = await runChain(engine, chain, paths, { output: join(folder, 'mixed.wav') });
    expect((await bytes(done.outputs[0]?.id ?? '')).equals(readFileSync(ran.outputs[0]?.path ?? ''))).toBe(true);
    // Two runs of 4 and 5 s, and one of the longer.
    expect([done.price, done.charged]).toEqual([3, 3]);
  });

  it('takes single files by their place, and keeps what lies on the way as it is passed on', slow, async () => {
    const { upload, start, finished, bytes } = await caller();
    const chain: Chain = {
      name: 'beds',
      steps: [
        { tool: 'loudness', input: 'files.2', options: { target: 'podcast' }, keep: true },
        { tool: 'mix', input: ['loudness', 'files.1'], options: { tracks: [{ role: 'voice' }, { role: 'music' }] } },
      ],
    };
    const order = { recipe: null, options: {}, chain, format: 'mp3' };
    const sources = [talk(300), talk(500, 3)];
    const ids = [await upload(sources[0]!, 'theme.wav'), await upload(sources[1]!, 'host.wav')];
    const { service } = await running();
    // What it costs is known before its files are there.
    expect(await service.chains.foretell({ ...order, lengths: [4, 5] })).toMatchObject({
      credits: 2,
      steps: [{ seconds: 5 }, { seconds: 5 }],
    });
    await expect(service.chains.foretell({ ...order, lengths: [4] })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'Step loudness: Its input files.2 is not there: the chain has one file',
    });
    const done = await finished((await start({ chain, file_ids: ids, format: 'mp3' })).id);
    expect(done.error).toBeNull();
    expect([done.price, done.charged]).toEqual([2, 2]);
    expect(done.outputs.map(({ filename }) => filename)).toEqual(['theme.beds.mp3', 'theme.beds-loudness.wav']);
    const paths = ['theme.wav', 'host.wav'].map((name, at) => {
      writeFileSync(join(folder, name), sources[at]!);
      return join(folder, name);
    });
    const ran = await runChain(engine, chain, paths, { output: join(folder, 'beds.mp3') });
    for (const [at, { path }] of ran.outputs.entries())
      expect((await bytes(done.outputs[at]?.id ?? '')).equals(readFileSync(path))).toBe(true);
    expect(ran.outputs.map(({ media }) => media?.codec)).toEqual(['mp3', 'pcm_f32le']);
  });

  const failing = {
    name: 'cut-short',
    steps: [
      { tool: 'loudness', name: 'loud' },
      // Beyond the end of what there is.
      { tool: 'cut', name: 'late', options: { ranges: [[50, 60]], mode: 'keep' } },
    ],
  };

  it('that fails is charged nothing and gives nothing, and names the step', slow, async () => {
    const { upload, start, finished, reserved, ledger, call } = await caller();
    const fileId = await upload(talk(440), 'talk.wav');
    const begun = await start({ chain: failing, file_ids: [fileId] });
    const done = await finished(begun.id);
    expect(done).toMatchObject({ status: 'failed', charged: 0, failedStep: 'late', outputs: [] });
    expect(done.steps.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    expect(done.error?.code).toBe('ranges_outside');
    expect(await reserved()).toEqual({ balance: 1000, reserved: 0 });
    expect((await ledger()).slice(1)).toEqual([
      { kind: 'reserve', credits: 0, jobId: begun.id },
      { kind: 'release', credits: 0, jobId: begun.id },
    ]);
    expect((await call('GET', '/api/v1/files')).json.data).toHaveLength(1);
  });

  it('that fails with settle steps gives and charges what its finished steps made', slow, async () => {
    const { upload, start, finished, reserved, call } = await caller();
    const fileId = await upload(talk(440), 'talk.wav');
    const done = await finished((await start({ chain: failing, file_ids: [fileId], settle: 'steps' })).id);
    expect(done).toMatchObject({ status: 'failed', charged: 1, price: 2, failedStep: 'late' });
    expect(done.outputs.map(({ filename }) => filename)).toEqual(['talk.loudness.wav']);
    expect(await reserved()).toEqual({ balance: 999, reserved: 0 });
    expect((await call('GET', '/api/v1/files')).json.data).toHaveLength(2);
  });
});

describe('the order of a chain', () => {
  it('is checked as a whole before anything is reserved', async () => {
    const { call, upload, ledger } = await caller(2);
    const fileId = await upload(talk(440), 'talk.wav');
    const refusals: readonly [object, string, RegExp][] = [
      [{ file_ids: [fileId] }, 'bad_request', /recipe/],
      [{ recipe: 'podcst', file_ids: [fileId] }, 'bad_request', /podcast/],
      [{ recipe: 'audiobook', file_ids: [fileId, fileId] }, 'bad_request', /1 file for audiobook/],
      [{ recipe: 'podcast', options: { target: 'loud' }, file_ids: [fileId] }, 'bad_request', /podcast, streaming/],
      [{ chain: { steps: [{ tool: 'nois' }] }, file_ids: [fileId] }, 'bad_request', /Step nois/],
      [{ chain: { steps: [{ tool: 'mix' }] }, file_ids: [fileId] }, 'bad_request', /Step mix: .*2 to 20 files/],
      [{ chain: tidy, file_ids: [fileId], format: 'flac' }, 'bad_request', /Step small: .*flac/],
      [{ chain: tidy, file_ids: ['file_gone'] }, 'not_found', /file_gone/],
      [{ chain: tidy, file_ids: [fileId] }, 'insufficient_balance', /3 credits for tidy/],
      [{ chain: tidy, file_ids: [fileId], max_credits: 1 }, 'over_spending_cap', /at most 1 credit/],
    ];
    for (const [body, code, message] of refusals) {
      const { json, text } = await call('POST', '/api/v1/chains', { body: { idempotency_key: 'one', ...body } });
      expect([json?.error?.code, json?.error?.message], text).toEqual([code, expect.stringMatching(message)]);
    }
    const { json } = await call('POST', '/api/v1/chains', { body: { chain: tidy, file_ids: [fileId] } });
    expect(json.error.message).toMatch(/Idempotency-Key/);
    expect((await ledger()).map(({ kind }) => kind)).toEqual(['grant']);
  });

  it('is taken once for a key, and another request with that key is refused', async () => {
    const { call, upload, start, ledger } = await caller();
    const fileId = await upload(talk(440), 'talk.wav');
    const body = { idempotency_key: 'same', chain: tidy, file_ids: [fileId] };
    const both = await Promise.all([start(body), start(body)]);
    expect(new Set(both.map(({ id }) => id)).size).toBe(1);
    const other = await call('POST', '/api/v1/chains', { body: { ...body, settle: 'steps' } });
    expect(other.json.error.code).toBe('idempotency_key_reused');
    expect((await ledger()).filter(({ kind }) => kind === 'reserve')).toHaveLength(1);
    const cancelled = await call('POST', `/api/v1/chains/${both[0]?.id}/cancel`);
    expect(cancelled.status, cancelled.text).toBe(200);
  });

  it('lists the recipes, and hides the chains of others', async () => {
    const { call, upload, start } = await caller();
    const fileId = await upload(talk(440), 'talk.wav');
    const { id } = await start({ chain: tidy, file_ids: [fileId] });
    const { json } = await call('GET', '/api/v1/chains/recipes');
    expect(json.data.map(({ name }: { name: string }) => name)).toEqual(['podcast', 'audiobook', 'subtitles']);
    const stranger = await caller();
    expect((await stranger.call('GET', `/api/v1/chains/${id}`)).json.error.code).toBe('not_found');
    expect((await stranger.call('POST', `/api/v1/chains/${id}/cancel`)).json.error.code).toBe('not_found');
    await call('POST', `/api/v1/chains/${id}/cancel`);
  });
});

it('follows a chain as a stream of events: the whole record at each change, the last one final', slow, async () => {
  const { call, upload, start } = await caller();
  const fileId = await upload(talk(440), 'talk.wav');
  const { id } = await start({ chain: tidy, file_ids: [fileId] });
  const { status, text } = await call('GET', `/api/v1/chains/${id}/events`);
  expect(status).toBe(200);
  const events = [...text.matchAll(/^id: (\w+)\ndata: (.*)$/gm)].map(([, number, data]) => [number, data] as const);
  const records = events.map(([, data = '']) => JSON.parse(data) as Shown);
  expect(records.length).toBeGreaterThan(2);
  expect(records.map(({ progress }) => progress)).toEqual(
    records.map(({ progress }) => progress).toSorted((a, b) => a - b),
  );
  expect([events.at(-1)?.[0], records.at(-1)?.status, records.at(-1)?.outputs.length]).toEqual(['end', 'succeeded', 1]);
  expect((await call('GET', `/api/v1/chains/${id}/events`, { headers: { 'last-event-id': 'end' } })).status).toBe(204);
  expect((await (await caller()).call('GET', `/api/v1/chains/${id}/events`)).status).toBe(404);
});

it('saves a chain under a name, and runs it by the name in place of a recipe', slow, async () => {
  const { call, upload, start, finished } = await caller();
  const preset = (name: string, chain: unknown) => call('PUT', `/api/v1/chains/presets/${name}`, { body: { chain } });
  const { steps } = tidy;
  expect((await preset('my-show', { steps })).json).toMatchObject({ name: 'my-show', chain: { steps } });
  const body = { recipe: 'my-show', file_ids: [await upload(talk(440), 'talk.wav')] };
  expect((await call('POST', '/api/v1/chains/quote', { body })).json).toMatchObject({ name: 'my-show', credits: 3 });
  const done = await finished((await start(body)).id);
  expect(done).toMatchObject({ status: 'succeeded', name: 'my-show', recipe: null, charged: 3 });
  expect(done.outputs.map(({ filename }) => filename)).toEqual(['talk.my-show.mp3']);
  // The next one of this name replaces it.
  await preset('my-show', { name: 'short', steps: steps.slice(1, 2) });
  expect((await call('GET', '/api/v1/chains/presets')).json.data).toMatchObject([{ chain: { name: 'short' } }]);
  for (const [name, chain] of [
    ['podcast', { steps }],
    ['My%20show', { steps }],
    ['other', { steps: [{ tool: 'remove-noise', options: { loud: 1 } }] }],
  ] as const)
    expect((await preset(name, chain)).status).toBe(400);
  const options = await call('POST', '/api/v1/chains/quote', { body: { ...body, options: { target: 'podcast' } } });
  expect(options.status).toBe(400);
  // Another account has none of that name, and no way to it.
  const stranger = await caller();
  expect((await stranger.call('DELETE', '/api/v1/chains/presets/my-show')).status).toBe(404);
  const unknown = await stranger.call('POST', '/api/v1/chains', { body: { ...body, idempotency_key: 'x' } });
  expect([unknown.status, unknown.json.error.message]).toEqual([400, expect.stringContaining('no recipe my-show')]);
  expect((await call('DELETE', '/api/v1/chains/presets/my-show')).status).toBe(204);
  expect((await call('POST', '/api/v1/chains/quote', { body })).status).toBe(400);
});
