// earshot/client against the whole service: PostgreSQL, disk, job processes, HTTP.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { toolIds } from '../../src/library/contract/tool-ids.ts';
import { createClient, ApiError, ChainError, type Client, type Job } from '../../src/client.ts';
import { useServices, type TestService } from '../fixtures/service/service.ts';
import { wavBytes } from '../fixtures/media/pcm-files.ts';
import { slow } from '../fixtures/rounds.ts';

const services = useServices();
let service: TestService;
let client: Client;

const tone = (seconds: number, rate = 16_000): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    wavBytes(
      [Float32Array.from({ length: seconds * rate }, (_, frame) => 0.1 * Math.sin((2 * Math.PI * 440 * frame) / rate))],
      rate,
    ),
  );

beforeAll(async () => {
  service = await services.start();
  client = createClient({ baseUrl: `${service.base}/`, apiKey: (await service.account(500)).key });
});

async function listed<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of pages) items.push(item);
  return items;
}

async function thrown(call: () => Promise<unknown>): Promise<unknown> {
  return call().then(
    () => expect.fail('expected an error but nothing was thrown'),
    (error: unknown) => error,
  );
}

describe('a whole session', () => {
  it('uploads, quotes, runs, downloads, and reads the account', slow, async () => {
    const bytes = tone(6);
    const sent: number[] = [];
    const file = await client.upload(bytes, {
      filename: 'tone.wav',
      onProgress: ({ sentBytes, totalBytes }) => sent.push(sentBytes / totalBytes),
    });
    expect(file).toMatchObject({ status: 'ready', durationSeconds: 6, filename: 'tone.wav' });
    expect([sent[0], sent.at(-1)]).toEqual([0, 1]);

    const { credits } = await client.quote('adjust_loudness', [file.id]);
    const seen: Job['status'][] = [];
    const job = await client.run(
      'adjust_loudness',
      { file_id: file.id, target: 'streaming', output_format: 'flac' },
      { onProgress: ({ status }) => seen.push(status) },
    );
    expect(job).toMatchObject({ status: 'succeeded', progress: 1, processedSeconds: 6 });
    expect(seen.at(-1)).toBe('succeeded');

    const [output] = job.outputs;
    const received: number[] = [];
    const download = await client.download(output!.id, { onProgress: (each) => received.push(each.receivedBytes) });
    const downloaded = await download.bytes();
    expect([download.filename, download.sizeBytes]).toEqual([output!.filename, output!.sizeBytes]);
    expect(Buffer.from(downloaded.subarray(0, 4)).toString()).toBe('fLaC');
    expect([downloaded.byteLength, received.at(-1)]).toEqual([output!.sizeBytes, output!.sizeBytes]);

    const peaks = await client.peaks(file.id, { level: 50, count: 10 });
    expect(peaks).toMatchObject({ status: 'ready', bins: { level: 50, count: 10 } });
    expect(await client.account()).toMatchObject({ balance: 500 - credits });
    expect((await listed(client.ledger())).map(({ kind }) => kind)).toEqual(['charge', 'grant']);
    expect((await listed(client.jobs({ tool: 'adjust_loudness' }))).map(({ id }) => id)).toEqual([job.id]);
    expect((await listed(client.files({ kind: 'output' }))).map(({ id }) => id)).toEqual([output!.id]);
    expect((await client.tools()).map(({ id }) => id).toSorted()).toEqual(toolIds.toSorted());
    expect(await client.autoRefill()).toMatchObject({ enabled: false });
    await client.deleteFile(file.id);
    expect((await client.file(file.id)).status).toBe('deleted');
  });

  it('reads a report as JSON', slow, async () => {
    const file = await client.upload(new File([tone(2)], 'report.wav'));
    const job = await client.run('analyze_audio', { file_id: file.id });
    const report = await (await client.download(job.outputs[0]!.id)).json<{ loudness: object }>();
    expect(report.loudness).toBeTypeOf('object');
  });
});

describe('parts', () => {
  const bytes = tone(60, 150_000);

  it.each([
    ['a Blob', () => new Blob([bytes], { type: 'audio/wav' })],
    ['a stream', () => Readable.toWeb(Readable.from(cut(bytes, 700_001)))],
  ])('of %s arrive whole', slow, async (_, source) => {
    const sent: number[] = [];
    const file = await client.upload(source(), {
      filename: 'long.wav',
      sizeBytes: bytes.byteLength,
      partsAtOnce: 2,
      onProgress: ({ sentBytes }) => sent.push(sentBytes),
    });
    expect(file).toMatchObject({ status: 'ready', sizeBytes: bytes.byteLength, durationSeconds: 60 });
    expect([sent[0], sent.at(-1), sent.length > 10]).toEqual([0, bytes.byteLength, true]);
    const back = await (await client.download(file.id)).bytes();
    expect(Buffer.from(back).equals(Buffer.from(bytes))).toBe(true);
  });
});

function* cut(bytes: Uint8Array<ArrayBuffer>, size: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.slice(start, start + size);
}

describe('refusals', () => {
  it('are errors with the code, the status and what to do', async () => {
    const error = await thrown(() => client.file('file_nothing'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'not_found', status: 404, retryable: false });
    expect((error as ApiError).nextAction).toMatch(/\w/);
    expect((error as ApiError).requestId).toMatch(/^[\da-f-]{36}$/);
    const stranger = createClient({ baseUrl: service.base, apiKey: () => Promise.resolve('svc_sk_wrong') });
    expect(await thrown(() => stranger.account())).toMatchObject({ code: 'unauthorized', status: 401 });
    // @ts-expect-error -- no such option
    expect(await thrown(() => client.start('cut_audio', { file_id: 'file_1', rangess: [] }))).toMatchObject({
      code: 'bad_request',
    });
  });

  it('of a file that cannot be used carry its own code', async () => {
    const error = await thrown(() => client.upload(new Blob(['no sound at all']), { filename: 'words.wav' }));
    expect(error).toMatchObject({ name: 'ApiError', code: 'unsupported_format', status: null });
  });

  it('an idempotency key answers the same job, and none for another request', async () => {
    const file = await client.upload(tone(2), { filename: 'twice.wav' });
    const inputs = { file_id: file.id, format: 'flac' } as const;
    const first = await client.start('convert_audio', inputs, { idempotencyKey: 'one' });
    expect((await client.start('convert_audio', inputs, { idempotencyKey: 'one' })).id).toBe(first.id);
    expect(
      await thrown(() => client.start('convert_audio', { ...inputs, format: 'mp3' }, { idempotencyKey: 'one' })),
    ).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await client.start('convert_audio', inputs)).id).not.toBe(first.id);
  });
});

describe('a signal', () => {
  it('ends an upload with its reason, and what has arrived is dropped', slow, async () => {
    const controller = new AbortController();
    const why = new Error('changed my mind');
    const error = await thrown(() =>
      client.upload(new Blob([tone(60, 150_000)]), {
        filename: 'stopped.wav',
        partsAtOnce: 1,
        signal: controller.signal,
        onProgress: ({ sentBytes }) => sentBytes > 0 && controller.abort(why),
      }),
    );
    expect(error).toBe(why);
    // One that still waits for its bytes would stand there.
    expect((await listed(client.files())).map(({ filename }) => filename)).not.toContain('stopped.wav');
  });

  it('cancels the job that it ran', slow, async () => {
    const file = await client.upload(tone(60, 48_000), { filename: 'cancelled.wav' });
    const controller = new AbortController();
    const why = new Error('enough');
    const running = client.run(
      'remove_noise',
      { file_id: file.id },
      { signal: controller.signal, onProgress: ({ status }) => status === 'running' && controller.abort(why) },
    );
    expect(await thrown(() => running)).toBe(why);
    const [job] = await listed(client.jobs({ tool: 'remove_noise' }));
    expect(await thrown(() => client.wait(job!.id))).toMatchObject({ job: { status: 'cancelled' } });
  });
});

it('the example of docs/client.md runs', slow, async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const code = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/client.md'), 'utf8'))?.[1] ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'earshot-client-'));
  const file = join(folder, 'example.ts');
  writeFileSync(join(folder, 'interview.wav'), tone(5));
  writeFileSync(
    file,
    code
      .replace("'earshot/client'", JSON.stringify(join(root, 'src/client.ts')))
      .replace('http://127.0.0.1:3000', service.base),
  );
  const { key } = await service.account(10);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, EARSHOT_KEY: key },
  });
  expect(`${stdout}${stderr}`).toMatch(/sent 100 %\n5 s will cost \d+ credits\n[\s\S]*wrote interview\S*\.mp3\n$/);
  await rm(folder, { recursive: true });
});

describe('chains', () => {
  it('quotes, runs and lists several tools as one, and says at which step one failed', slow, async () => {
    const file = await client.upload(tone(3), { filename: 'talk.wav' });
    const steps = [
      { tool: 'loudness', options: { target: 'streaming' } },
      { tool: 'convert', options: { format: 'mp3' } },
    ];
    const request = { chain: { name: 'small', steps }, file_ids: [file.id], format: 'mp3' } as const;
    expect((await client.recipes()).map(({ name }) => name)).toContain('podcast');
    const { credits } = await client.quoteChain({ ...request, settle: 'steps', max_credits: 9 });
    const seen: number[] = [];
    const done = await client.runChain(request, { onProgress: ({ progress }) => seen.push(progress) });
    expect(done).toMatchObject({ status: 'succeeded', charged: credits, price: credits, progress: 1 });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    const download = await client.download(done.outputs[0]!.id);
    expect([download.filename, (await download.bytes()).byteLength > 1000]).toEqual(['talk.small.mp3', true]);
    const late = {
      steps: [{ tool: 'loudness' }, { tool: 'cut', name: 'late', options: { ranges: [[50, 60]], mode: 'keep' } }],
    };
    const error = await thrown(() => client.runChain({ chain: late, file_ids: [file.id] }));
    expect(error).toBeInstanceOf(ChainError);
    expect((error as ChainError).chain).toMatchObject({ failedStep: 'late', charged: 0, status: 'failed' });
    const { id } = await client.startChain({ ...request, recipe: undefined });
    await client.cancelChain(id).catch((refused: ApiError) => expect(refused.code).toBe('job_not_cancellable'));
    expect((await listed(client.chains())).map((chain) => chain.id)).toEqual([
      id,
      (error as ChainError).chain.id,
      done.id,
    ]);
  });
});
