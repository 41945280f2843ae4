// The door for assistants, as the official clients of both generations of the protocol use it.
import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from '@modelcontextprotocol/client';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { offeredTools } from '../../../../src/service/offers/offers.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { eventually } from '../../../fixtures/until.ts';
import { createSpeaking } from '../openai/said.ts';
import { tone } from '../try/support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const media = createSpeaking();
let service: TestService;
let key: string;

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  readonly structuredContent?: any;
}

/** A client of either generation. */
interface Asking {
  call(name: string, given?: object, options?: object): Promise<Result>;
  list(): Promise<
    readonly { readonly name: string; readonly inputSchema: object; readonly description?: string | undefined }[]
  >;
  close(): Promise<void>;
}

const headersOf = (secret: string) => ({ requestInit: { headers: { authorization: `Bearer ${secret}` } } });
const url = (): URL => new URL(`${service.base}/mcp`);

/** @param answer of the person, to a form or, with `url`, to a page; null: the client cannot ask */
async function asking2026(
  secret = key,
  answer: object | ((asked: { readonly url?: string }) => object | Promise<object>) | null = null,
  elicitation: { readonly url?: Record<string, never> } = {},
): Promise<Asking> {
  const client = new Client2026(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, ...(answer === null ? {} : { capabilities: { elicitation } }) },
  );
  if (answer !== null)
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => (typeof answer === 'function' ? await answer(params as never) : answer) as never,
    );
  await client.connect(new Transport2026(url(), headersOf(secret)));
  return {
    call: async (name, given = {}, options = {}) =>
      (await client.callTool({ name, arguments: given as never }, options)) as Result,
    list: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

/** @param answer of the person to a form; null: the client cannot ask */
async function asking2025(secret = key, answer: object | null = null): Promise<Asking> {
  const capabilities = answer === null ? {} : { elicitation: {} };
  const client = new Client2025({ name: 'test', version: '1' }, { capabilities });
  if (answer !== null) client.setRequestHandler(ElicitRequestSchema, async () => answer as never);
  await client.connect(new Transport2025(url(), headersOf(secret)));
  return {
    call: async (name, given = {}, options = {}) =>
      (await client.callTool({ name, arguments: given as never }, undefined, options)) as Result,
    list: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

const open: Asking[] = [];
const keep = async (asking: Promise<Asking>): Promise<Asking> => {
  open.push(await asking);
  return open.at(-1)!;
};
let newer: Asking;
let older: Asking;

beforeAll(async () => {
  service = await services.start({ media, config: { jobSlots: '4', mcpAskCredits: '5', mcpTools: 'all' } });
  ({ key } = await service.account(1000));
  newer = await keep(asking2026());
  older = await keep(asking2025());
});
afterEach(() => {
  media.runMs = 0;
  media.progress = [];
});
afterAll(async () => {
  for (const each of open) await each.close();
});

/** A file of this name, uploaded by the link that create_upload gives. */
async function upload(asking: Asking, name = '60s.wav'): Promise<string> {
  const bytes = Buffer.from(await tone(0.1).arrayBuffer());
  const { structuredContent: made } = await asking.call('create_upload', { filename: name, size_bytes: bytes.length });
  const sent = await fetch(made.upload.url as string, {
    method: 'PUT',
    headers: made.upload.headers as never,
    body: bytes,
  });
  expect(sent.status).toBeLessThan(300);
  const file = await asking.call('get_file', { file_id: made.file.id });
  expect(file.structuredContent.status).toBe('ready');
  return made.file.id as string;
}

describe('the list of tools', () => {
  it('is the same for both generations', async () => {
    const tools = await newer.list();
    expect((await older.list()).map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    const offered = offeredTools.map(({ id }) => id);
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...offered, 'create_upload', 'import_file', 'get_file', 'list_files', 'get_job']),
    );
    expect(tools).toHaveLength(offered.length + 13);
  });

  it('says in words what a schema without combinators cannot', async () => {
    const words = new Map((await newer.list()).map(({ name, description = '' }) => [name, description]));
    expect(words.get('align_script')).toContain('Give exactly one of text and script_file_id.');
    expect(words.get('adjust_loudness')).toContain('custom_lufs is needed with target custom, and only then.');
    expect(words.get('remove_fillers')).toContain('cut_ids needs transcript_file_id.');
  });
});

it('runs several tools as one, answers with what came out, and finds it again by its id', async () => {
  const file = await upload(newer);
  const chain = {
    name: 'tidy',
    steps: [{ tool: 'remove_noise' }, { tool: 'loudness', options: { target: 'podcast' } }],
  };
  const done = await newer.call('run_chain', { file_ids: [file], chain, wait: 40 });
  expect(done.isError, JSON.stringify(done.content)).toBeFalsy();
  const { id } = done.structuredContent;
  expect(done.structuredContent).toMatchObject({ status: 'succeeded', name: 'tidy', steps: [{}, {}] });
  expect(done.content[0]?.text).toContain('remove_noise succeeded, adjust_loudness succeeded');
  expect(done.content.filter(({ type }) => type === 'resource_link')).toHaveLength(1);
  // A call that is repeated, as after a lost answer, is the same chain.
  const again = await newer.call('run_chain', { file_ids: [file], chain });
  expect(again.structuredContent.id).toBe(id);
  expect((await older.call('get_job', { job_id: id })).structuredContent).toMatchObject({ id, status: 'succeeded' });
  const listed = await older.call('list_jobs', { limit: 5 });
  expect(listed.structuredContent.chains).toMatchObject([{ id, status: 'succeeded' }]);
  expect((await older.call('list_jobs', { tool: 'remove_noise' })).structuredContent).not.toHaveProperty('chains');
  const late = await older.call('cancel_job', { job_id: id });
  expect(late.content[0]?.text).toContain('job_not_cancellable');
  // What is wrong is named; more than 5 credits need a person's consent.
  const wrong = await newer.call('run_chain', { file_ids: [file], recipe: 'podcast', options: { target: 'loud' } });
  expect(wrong.content.map(({ text }) => text).join(' ')).toContain('podcast, streaming, broadcast');
  const dear = { steps: Array.from({ length: 6 }, () => ({ tool: 'remove_noise' })) };
  const asked = await newer.call('run_chain', { file_ids: [file], chain: dear });
  expect(asked.content.map(({ text }) => text).join(' ')).toContain('max_credits: 6');
});

describe.each([
  ['2026', () => newer],
  ['2025', () => older],
])('a client of %s', (_generation, of) => {
  it('uploads, runs a tool, and gets a link to what came out', async () => {
    const file = await upload(of());
    const done = await of().call('adjust_loudness', { file_id: file, target: 'podcast' });
    expect(done.structuredContent).toMatchObject({ tool: 'adjust_loudness', status: 'succeeded' });
    const link = done.content.find(({ type }) => type === 'resource_link');
    expect(await (await fetch(link?.uri ?? '')).text()).toBe('RIFF of 60s.wav, 60 s');
    expect(done.content[0]?.text).toContain('out-1.wav');
  });

  it('reads a transcript in windows', async () => {
    const done = await of().call('transcribe_audio', { file_id: await upload(of()) });
    const [, id] = /get_transcript and file_id (file_\w+)/.exec(done.content[0]?.text ?? '') ?? [];
    const { content, structuredContent } = await of().call('get_transcript', { file_id: id });
    expect(content[0]?.text).toMatch(/^Language de, 8\.4 s, 2 speakers\. End of the transcript\.\n/);
    expect(content[0]?.text).toMatch(
      /\n<(untrusted-data-[0-9a-f-]+)>\n\[0\.2-2\.7\] Speaker 1: Guten Tag zusammen\.\n\[4\.0-6\.5\] .*\n<\/\1>$/,
    );
    expect(structuredContent.sentences).toHaveLength(2);
  });

  it('may write values as models do: times, numbers as text, a loudness for a target', async () => {
    const file = await upload(of());
    const louder = await of().call('adjust_loudness', { file_id: file, target: -19, wait: '20', max_credits: '9' });
    expect(louder.structuredContent).toMatchObject({ status: 'succeeded' });
    expect(media.runs.at(-1)?.options).toMatchObject({ target: 'custom', custom_lufs: -19 });
    const cut = await of().call('cut_audio', { file_id: file, ranges: [['0:01', '0:02.5']], keep_encoding: 'no' });
    expect(cut.structuredContent).toMatchObject({ status: 'succeeded' });
    expect(media.runs.at(-1)?.options).toMatchObject({ ranges: [[1, 2.5]], keep_encoding: false });
    const done = await of().call('transcribe_audio', { file_id: file, language: 'German' });
    const [, id] = /get_transcript and file_id (file_\w+)/.exec(done.content[0]?.text ?? '') ?? [];
    const { structuredContent } = await of().call('get_transcript', { file_id: id, from: '0:03', to: null });
    expect(structuredContent.sentences).toMatchObject([{ text: 'Wir beginnen jetzt.' }]);
  });

  it('gets errors with what to do next', async () => {
    const wrong = await of().call('cut_audio', { file_id: await upload(of()), ranges: [[0, 1]], crossfade: 20 });
    expect([wrong.isError, wrong.structuredContent.error.code]).toEqual([true, 'bad_request']);
    expect(wrong.content[0]?.text).toMatch(/crossfade.*crossfade_ms/);
    const missing = await of().call('get_job', { job_id: 'job_none' });
    expect([missing.isError, missing.structuredContent.error.code]).toEqual([true, 'not_found']);
    const both = await of().call('level_speakers', {});
    expect(both.content[0]?.text).toMatch(/exactly one of file_id.*track_file_ids/);
  });

  it('does not wait longer than it says, follows the progress, and gets the job later', slow, async () => {
    media.runMs = 2000;
    media.progress = [0.25, 0.5, 0.75];
    const file = await upload(of(), '50s.wav');
    const started = await of().call('remove_noise', { file_id: file, wait: 0 });
    expect(['queued', 'running']).toContain(started.structuredContent.status);
    const told: number[] = [];
    const ended = await of().call(
      'get_job',
      { job_id: started.structuredContent.id, wait: 40 },
      { onprogress: ({ progress }: { progress: number }) => void told.push(progress) },
    );
    expect(ended.structuredContent.status).toBe('succeeded');
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  });

  it('starts one job with the same call made twice, and another after a failure', slow, async () => {
    const file = await upload(of(), '30s.wav');
    const [first, second] = [
      await of().call('remove_silence', { file_id: file }),
      await of().call('remove_silence', { file_id: file }),
    ];
    expect(second.structuredContent.id).toBe(first.structuredContent.id);
    const failing = await upload(of(), '30s-fail.wav');
    const ids = [];
    for (let count = 0; count < 3; count += 1)
      ids.push((await of().call('remove_silence', { file_id: failing })).structuredContent.id);
    expect(new Set(ids).size).toBe(3);
  });

  it('is told the price before it is high, and pays it by saying so', async () => {
    const file = await upload(of(), '3000s.wav');
    const dear = await of().call('remove_noise', { file_id: file });
    expect([dear.isError, dear.structuredContent.error]).toEqual([
      true,
      expect.objectContaining({ code: 'over_spending_cap', details: expect.objectContaining({ limit: 5 }) }),
    ]);
    const { credits } = dear.structuredContent.error.details;
    expect(dear.content[0]?.text).toContain(`call again with max_credits: ${credits}`);
    const paid = await of().call('remove_noise', { file_id: file, max_credits: credits });
    expect(paid.structuredContent.status).toBe('succeeded');
  });
});

describe('a client that can ask its person', () => {
  it.each([
    ['2026', { action: 'accept', content: { start: true } }, 'succeeded'],
    ['2026', { action: 'decline' }, 'over_spending_cap'],
    ['2025', { action: 'accept', content: { start: true } }, 'succeeded'],
    ['2025', { action: 'accept', content: { start: false } }, 'over_spending_cap'],
    ['2025', { action: 'cancel' }, 'over_spending_cap'],
  ])('of %s asks before a high price: %j', async (generation, reply, outcome) => {
    const asking = await keep(generation === '2026' ? asking2026(key, reply) : asking2025(key, reply));
    const done = await asking.call('enhance_voice', { file_id: await upload(asking, '2000s.wav') });
    expect(done.structuredContent.status ?? done.structuredContent.error.code).toBe(outcome);
  });
});

describe('a client that can open pages, without credits', () => {
  const ask = async (bought: boolean) => {
    const { ledger } = service.stores;
    const { account: poor, key: itsKey } = await service.account(0);
    const pages: string[] = [];
    const answer = async ({ url: page }: { readonly url?: string }) => {
      pages.push(page ?? '');
      if (bought) await ledger.post({ accountId: poor.id, kind: 'grant', credits: 50, note: null });
      return { action: 'accept' };
    };
    const asking = await keep(asking2026(itsKey, answer, { url: {} }));
    const done = await asking.call('remove_noise', { file_id: await upload(asking), free: false });
    expect(pages).toEqual([expect.stringContaining(`${service.base}/credits/`)]);
    return done.structuredContent;
  };
  it('opens the one where they are bought, and goes on', async () => {
    expect((await ask(true)).status).toBe('succeeded');
  });
  it('asks once: the error follows where none were bought', async () => {
    expect((await ask(false)).error.code).toBe('insufficient_balance');
  });
});

describe('credentials', () => {
  it('that are missing or wrong lead to the metadata of the resource', async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(url(), {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    for (const headers of [{}, { authorization: 'Bearer svc_sk_wrong' }] as Record<string, string>[]) {
      const { status, headers: answered } = await ask(headers);
      expect([status, answered.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${service.base}/.well-known/oauth-protected-resource/mcp"`,
      ]);
    }
    const metadata = await (await fetch(`${service.base}/.well-known/oauth-protected-resource/mcp`)).json();
    expect(metadata).toMatchObject({ resource: `${service.base}/mcp`, bearer_methods_supported: ['header'] });
  });

  it('of one account do not reach files and jobs of another', async () => {
    const file = await upload(newer);
    const other = await keep(asking2026((await service.account(100)).key));
    for (const [name, given] of [
      ['get_file', { file_id: file }],
      ['remove_noise', { file_id: file }],
      ['quote', { tool: 'remove_noise', file_ids: [file] }],
    ] as const)
      expect([name, (await other.call(name, given)).structuredContent.error?.code]).toEqual([name, 'not_found']);
    expect((await other.call('list_files')).structuredContent.data).toEqual([]);
  });

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['a name that points here', { host: 'evil.example:3000', origin: 'http://evil.example:3000' }],
    ['no name at all', { host: '"><script>' }],
  ])('do not let pages of other sites in: %s', async (_name, headers) => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      payload: '{}',
    });
    expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'forbidden']);
  });

  it('without credits lead to the page where they are bought', async () => {
    const poor = await keep(asking2026((await service.account(0)).key));
    const { structuredContent, content } = await poor.call('remove_noise', {
      file_id: await upload(poor),
      free: false,
    });
    expect(structuredContent.error).toMatchObject({ code: 'insufficient_balance' });
    expect(content[0]?.text).toContain(`${service.base}/credits/`);
  });
});

it('a cancelled call leaves its job alone; cancel_job ends it', slow, async () => {
  media.runMs = 600_000;
  const file = await upload(newer, '40s.wav');
  const gone = new AbortController();
  const call = newer.call('convert_audio', { file_id: file, wait: 40 }, { signal: gone.signal });
  call.catch(() => undefined);
  await eventually(() => expect(media.runs.at(-1)?.inputs['file_id']?.[0]?.name).toBe('40s.wav'));
  gone.abort();
  await expect(call).rejects.toThrow();
  const { structuredContent } = await newer.call('list_jobs', { limit: 1 });
  expect(structuredContent.data[0].status).toBe('running');
  await newer.call('cancel_job', { job_id: structuredContent.data[0].id });
  const ended = await newer.call('get_job', { job_id: structuredContent.data[0].id });
  expect(ended.structuredContent.status).toBe('cancelled');
});
