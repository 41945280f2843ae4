import { beforeAll, describe, expect, it } from 'vitest';
import { createJobs, withOutputs } from '../../../../src/service/rules/jobs/jobs.ts';
import { canonicalJson } from '../../../../src/service/rules/jobs/request-hash.ts';
import type { Account } from '../../../../src/service/rules/accounts/account.ts';
import type { StoredFile } from '../../../../src/service/rules/files/stored-file.ts';
import type { JobRequest } from '../../../../src/library/contract/job-request.ts';
import { indexTools } from '../../../../src/service/rules/tools/tool-facts.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import type { Host } from '../host.ts';
import { createStockedHost, requestFor, textual } from '../stocked-host.ts';
import { fakeTools } from '../tool-facts.ts';

const databases = useDatabases();

let host: Host;
let account: Account;
let audio: StoredFile;
let long: StoredFile;
let text: StoredFile;
let transcript: StoredFile;

beforeAll(async () => {
  ({ host, account, audio, long, text, transcript } = await createStockedHost(await databases.freshStores()));
  return () => host[Symbol.asyncDispose]();
});

const request = (changes: Partial<JobRequest> = {}): JobRequest => requestFor(audio, changes);

const idOf = (file: StoredFile): string => file.id;

describe('creating a job', () => {
  it('is refused above the number that may wait or run, and a repeated request is not', async () => {
    const few = await createStockedHost(await databases.freshStores(), { EARSHOT_ACCOUNT_JOBS: '2' });
    try {
      const create = (key: string) => few.host.jobs.create(few.account, requestFor(few.audio, { idempotencyKey: key }));
      const [{ job }] = [await create('one'), await create('two')];
      await expect(create('three')).rejects.toMatchObject({
        code: 'limit_exceeded',
        details: { limit: 'maxUnfinishedJobs', expected: 2, received: 2 },
      });
      expect((await create('one')).job.id).toBe(job.id);
      await few.host.jobs.cancel(few.account, job.id);
      expect((await create('three')).job.status).toBe('queued');
    } finally {
      await few.host[Symbol.asyncDispose]();
    }
  });

  it('holds the price and waits', async () => {
    const { job, outputs } = await host.jobs.create(account, request({ inputs: { file_id: [long.id] } }));
    expect(job).toMatchObject({
      status: 'queued',
      tool: 'remove_noise',
      price: 11,
      free: false,
      windowSeconds: null,
      attempt: 0,
    });
    expect(outputs).toEqual([]);
    expect(job).toMatchObject((await host.jobs.get(account, job.id)).job);
    await host.expectExact(account, 1000);
  });

  it.each<[string, () => Partial<JobRequest>, number]>([
    ['the sum for join', () => ({ tool: 'join_audio', inputs: { file_ids: [audio, long, audio].map(idOf) } }), 13],
    ['the longest for mix', () => ({ tool: 'mix_tracks', inputs: { tracks: [audio, long].map(idOf) } }), 11],
    [
      'the video for replace',
      () => ({ tool: 'replace_audio', inputs: { video_file_id: [audio.id], audio_file_id: [long.id] } }),
      1,
    ],
    ['one recording for level', () => ({ tool: 'level_speakers', inputs: { file_id: [long.id] } }), 11],
    ['two a minute for fillers', () => ({ tool: 'remove_fillers', inputs: { file_id: [long.id] } }), 21],
    [
      'one a minute with a transcript',
      () => ({ tool: 'remove_fillers', inputs: { file_id: [long.id], transcript_file_id: [transcript.id] } }),
      11,
    ],
    ['nothing for media info', () => ({ tool: 'analyze_audio', inputs: { file_id: [long.id] } }), 0],
  ])('bills %s', async (_name, changes, price) => {
    expect((await host.jobs.create(account, request({ free: undefined, ...changes() }))).job.price).toBe(price);
  });

  it('answers the same job to a repeated request, even without its file, and refuses the key for another', async () => {
    const gone = await host.file(account);
    const asked = request({
      inputs: { file_id: [gone.id] },
      options: { b: 1, a: { d: [1], c: 2 } },
      idempotencyKey: 'key-1',
    });
    const first = await host.jobs.create(account, asked);
    await host.stores.files.update(gone.id, ['ready'], { status: 'deleted', objectKey: null });
    const again = await host.jobs.create(account, { ...asked, options: { a: { c: 2, d: [1] }, b: 1 } });
    expect(again.job.id).toBe(first.job.id);
    for (const other of [
      { options: {} },
      { maxCredits: 5 },
      { free: false },
      { tool: 'cut_audio' as const },
      { inputs: { file_id: [audio.id] } },
    ]) {
      await expect(host.jobs.create(account, { ...asked, ...other })).rejects.toMatchObject({
        code: 'idempotency_key_reused',
      });
    }
    const stranger = await host.account(10);
    const theirs = await host.file(stranger);
    expect((await host.jobs.create(stranger, { ...asked, inputs: { file_id: [theirs.id] } })).job.id).not.toBe(
      first.job.id,
    );
  });

  it('shows outputs that have expired as deleted, before they are swept', async () => {
    const { job } = await host.jobs.create(account, request({ idempotencyKey: 'expired outputs' }));
    const file = await host.file(account);
    const files = { getMany: async () => [file, null] };
    const done = { ...job, outputFileIds: [file.id, 'file_gone'] };
    const outputsAt = async (at: Date) => (await withOutputs(files, [done], at))[0]?.outputs;
    expect(await outputsAt(new Date(file.expiresAt.getTime() - 1))).toEqual([file]);
    expect(await outputsAt(file.expiresAt)).toMatchObject([{ id: file.id, status: 'deleted', objectKey: null }]);
  });

  it('makes one job of requests that come at the same time', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, () => host.jobs.create(account, request({ idempotencyKey: 'at once' }))),
    );
    expect(new Set(made.map(({ job }) => job.id)).size).toBe(1);
    await host.expectExact(account, 1000);
  });

  it('never holds more than there is, however many ask at the same time', async () => {
    const poor = await host.account(5);
    const file = await host.file(poor, { durationSeconds: 120 });
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, () => host.jobs.create(poor, request({ inputs: { file_id: [file.id] } }))),
    );
    const jobs = made.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.job] : []));
    // Two paid, then the three free uses of the day, then no more.
    expect([jobs.filter(({ free }) => !free).length, jobs.filter(({ free }) => free).length]).toEqual([2, 3]);
    for (const outcome of made)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          code: 'insufficient_balance',
          details: { price: 2, available: 1, missing: 1, freeUsesLeft: 0 },
        });
    await host.expectExact(poor, 5);
  });

  it.each<[string, () => Partial<JobRequest> | Promise<Partial<JobRequest>>, object]>([
    [
      'a file that is not there',
      () => ({ inputs: { file_id: ['file_none'] } }),
      { code: 'not_found', details: { field: 'file_id', id: 'file_none' } },
    ],
    [
      "somebody else's",
      async () => ({ inputs: { file_id: [(await host.file(await host.account(0))).id] } }),
      { code: 'not_found' },
    ],
    [
      'one that is still awaited',
      async () => ({ inputs: { file_id: [(await host.file(account, { status: 'awaiting_upload' })).id] } }),
      { code: 'file_not_ready', details: { field: 'file_id', status: 'awaiting_upload' } },
    ],
    [
      'one that is being checked',
      async () => ({ inputs: { file_id: [(await host.file(account, { status: 'processing' })).id] } }),
      { code: 'file_not_ready', details: { status: 'processing' } },
    ],
    [
      'an invalid one',
      async () => ({ inputs: { file_id: [(await host.file(account, { status: 'invalid' })).id] } }),
      {
        code: 'file_invalid',
        message: expect.stringContaining('its check failed'),
        details: expect.not.objectContaining({ error: expect.anything() }),
      },
    ],
    [
      'an invalid one, with what its check found',
      async () => {
        const error = { code: 'file_invalid', message: 'It holds a poem' } as const;
        const { id } = await host.file(account, { status: 'processing' });
        await host.stores.files.update(id, ['processing'], { status: 'invalid', error });
        return { inputs: { file_id: [id] } };
      },
      {
        code: 'file_invalid',
        message: expect.stringContaining('It holds a poem'),
        details: { field: 'file_id', error: { message: 'It holds a poem' } },
      },
    ],
    [
      'a deleted one',
      async () => ({ inputs: { file_id: [(await host.file(account, { status: 'deleted' })).id] } }),
      { code: 'file_expired' },
    ],
    [
      'one that is over',
      async () => ({
        inputs: { file_id: [(await host.file(account, { expiresAt: new Date(Date.now() - 1000) })).id] },
      }),
      { code: 'file_expired' },
    ],
    [
      'one that is too long',
      async () => ({ inputs: { file_id: [(await host.file(account, { durationSeconds: 36_001 })).id] } }),
      { code: 'file_too_long', details: { limit: 36_000, received: 36_001 } },
    ],
    [
      'files that are too long together',
      async () => {
        const half = await host.file(account, { durationSeconds: 20_000 });
        return { tool: 'join_audio', inputs: { file_ids: [half.id, half.id] } };
      },
      { code: 'file_too_long' },
    ],
    [
      'text for sound',
      () => ({ inputs: { file_id: [text.id] } }),
      { code: 'wrong_file_type', details: { field: 'file_id' } },
    ],
    [
      'sound for text',
      () => ({ tool: 'align_script', inputs: { file_id: [audio.id], script_file_id: [audio.id] } }),
      { code: 'wrong_file_type', details: { field: 'script_file_id' } },
    ],
    [
      'another kind of text',
      () => ({ tool: 'align_script', inputs: { file_id: [audio.id], script_file_id: [transcript.id] } }),
      { code: 'wrong_file_type' },
    ],
    [
      'too much text',
      async () => ({
        tool: 'align_script',
        inputs: {
          file_id: [audio.id],
          script_file_id: [
            (await host.file(account, { ...textual, filename: 'script.txt', format: 'txt', sizeBytes: 2_097_153 })).id,
          ],
        },
      }),
      { code: 'text_too_long', details: { limit: 2_097_152 } },
    ],
    [
      'no file',
      () => ({ inputs: {} }),
      {
        code: 'bad_request',
        message: expect.stringContaining('Expected one file for file_id') as string,
        details: { field: 'file_id' },
      },
    ],
    [
      'too many files',
      () => ({ inputs: { file_id: [audio.id, audio.id] } }),
      { code: 'bad_request', details: { field: 'file_id' } },
    ],
    [
      'too few files',
      () => ({ tool: 'join_audio', inputs: { file_ids: [audio.id] } }),
      {
        code: 'bad_request',
        message: expect.stringContaining('Expected 2 to 20 files for file_ids') as string,
        details: { field: 'file_ids' },
      },
    ],
    [
      'an input that the tool does not have',
      () => ({ inputs: { file_id: [audio.id], other: [] } }),
      { code: 'bad_request', details: { field: 'other' } },
    ],
    [
      'more than the cap',
      () => ({ inputs: { file_id: [long.id] }, maxCredits: 10 }),
      { code: 'over_spending_cap', details: { price: 11, limit: 10 } },
    ],
  ])('refuses %s', async (_name, changes, expected) => {
    const before = await host.operator.account(account.id);
    await expect(host.jobs.create(account, request(await changes()))).rejects.toMatchObject(expected);
    expect(await host.operator.account(account.id)).toEqual(before);
  });

  it("refuses what the tool's plan refuses, and a tool that is not there, with what to do", async () => {
    const tools = indexTools(
      fakeTools({
        cut_audio: {
          plan: (facts) => ({
            refusals:
              facts['file_id']?.[0]?.durationSeconds === 60
                ? [{ code: 'ranges_outside', message: 'Expected ranges inside 60 s' }]
                : [],
          }),
        },
        transcribe_audio: {
          unavailable: () =>
            Promise.resolve({ message: 'transcribe_audio needs a model', nextAction: 'Run earshot models install.' }),
        },
      }),
    );
    const jobs = createJobs({
      jobs: host.stores.jobs,
      files: host.stores.files,
      changes: host.stores.changes,
      tools,
      prices: host.prices,
      config: host.config,
    });
    await expect(jobs.create(account, request({ tool: 'cut_audio' }))).rejects.toMatchObject({
      code: 'ranges_outside',
      message: 'Expected ranges inside 60 s',
    });
    await expect(jobs.create(account, request({ tool: 'transcribe_audio' }))).rejects.toMatchObject({
      code: 'tool_unavailable',
      nextAction: 'Run earshot models install.',
      details: { tool: 'transcribe_audio' },
    });
  });

  it('names the shop in every 402 and 429 of an account without the credits', async () => {
    const poor = await host.account(0);
    const file = await host.file(poor);
    const jobs = createJobs({
      jobs: host.stores.jobs,
      files: host.stores.files,
      changes: host.stores.changes,
      tools: indexTools(fakeTools()),
      prices: host.prices,
      config: host.config,
      buyUrl: (accountId) => `https://audio.test/credits/${accountId}`,
    });
    const ask = (terms: Partial<JobRequest>) =>
      jobs.create(poor, request({ inputs: { file_id: [file.id] }, ...terms }));
    for (let use = 0; use < 3; use++) await ask({ free: true });
    for (const terms of [{}, { free: false }, { free: true }])
      await expect(ask(terms)).rejects.toMatchObject({
        code: terms.free === true ? 'free_limit_reached' : 'insufficient_balance',
        nextAction: expect.stringContaining(`1 credit more at https://audio.test/credits/${poor.id}`),
        details: { buyUrl: `https://audio.test/credits/${poor.id}`, missing: 1 },
      });
  });

  it('counts free uses by UTC day', async () => {
    const visitor = await host.account(0);
    const file = await host.file(visitor);
    let now = new Date();
    const jobs = createJobs({
      jobs: host.stores.jobs,
      files: host.stores.files,
      changes: host.stores.changes,
      tools: indexTools(fakeTools()),
      prices: host.prices,
      config: host.config,
      now: () => now,
    });
    const ask = () => jobs.create(visitor, request({ inputs: { file_id: [file.id] }, free: true }));
    for (let use = 0; use < 3; use++)
      expect((await ask()).job).toMatchObject({ free: true, price: 0, windowSeconds: 180 });
    await expect(ask()).rejects.toMatchObject({
      code: 'free_limit_reached',
      details: { limit: 3, taken: 3, price: 1, available: 0 },
    });
    now = new Date(now.getTime() + 86_400_000);
    await host.stores.files.update(file.id, ['ready'], { expiresAt: new Date(now.getTime() + 3_600_000) });
    expect((await ask()).job.free).toBe(true);
  });
});

describe('reading jobs', () => {
  it("lists an account's own, newest first, by tool", async () => {
    const reader = await host.account(100);
    const file = await host.file(reader);
    const made: string[] = [];
    for (const tool of ['cut_audio', 'remove_noise', 'cut_audio'] as const)
      made.push((await host.jobs.create(reader, request({ tool, inputs: { file_id: [file.id] } }))).job.id);
    const first = await host.jobs.list(reader, { tool: null }, { cursor: null, limit: 2 });
    expect(first.items.map(({ job }) => job.id)).toEqual([made[2], made[1]]);
    const second = await host.jobs.list(reader, { tool: null }, { cursor: first.nextCursor, limit: 2 });
    expect([second.items.map(({ job }) => job.id), second.nextCursor]).toEqual([[made[0]], null]);
    expect((await host.jobs.list(reader, { tool: 'cut_audio' }, { cursor: null, limit: 10 })).items.length).toBe(2);
    await expect(host.jobs.get(account, made[0] ?? '')).rejects.toMatchObject({ code: 'not_found' });
    await expect(host.jobs.cancel(account, made[0] ?? '')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves out outputs whose records are gone', async () => {
    const { job } = await host.jobs.create(account, request());
    const started = await host.stores.jobs.start(job.id, 'a worker', 3);
    const [kept, dropped] = [await host.file(account), await host.file(account)].map((file, index) => ({
      ...file,
      id: `file_out${index}${job.id}`,
      kind: 'output' as const,
      sourceJobId: job.id,
    }));
    if (!kept || !dropped) throw new Error('two files were made');
    await host.stores.jobs.succeed(job.id, started?.attempt ?? 0, {
      outputs: [kept, dropped],
      result: {},
      processedSeconds: 60,
      warnings: [],
      credits: Infinity,
    });
    await host.stores.files.remove([dropped.id]);
    const { outputs } = await host.jobs.get(account, job.id);
    expect(outputs.map(idOf)).toEqual([kept.id]);
    await expect(host.jobs.cancel(account, job.id)).rejects.toMatchObject({ code: 'job_not_cancellable' });
  });
});

it('writes the same request the same way', () => {
  expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[{"d":1}]}');
  expect(() => indexTools(fakeTools().slice(1))).toThrow(/remove_noise has none/);
});
