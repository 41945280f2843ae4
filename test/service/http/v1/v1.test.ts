import { describe, expect, it, vi } from 'vitest';
import { toolIds } from '../../../../src/library/contract/tool-ids.ts';
import type { Service } from '../../../../src/service/rules/service.ts';
import { account, fakeService, storedFile, storedJob, useApps, useSharedApp } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const start = useApps();

const shared = useSharedApp();

describe('tools and prices', () => {
  it('lists every tool without credentials, with its input as JSON Schema', async () => {
    const { call } = await start();
    const { status, json } = await call('GET', '/api/v1/tools', { headers: { authorization: '' } });
    expect(status).toBe(200);
    expect(json.nextCursor).toBeNull();
    expect(json.data.map(({ id }: { id: string }) => id)).toContain('adjust_loudness');
    for (const tool of json.data) {
      expect(Object.keys(tool).sort()).toEqual([
        'creditsPerMinute',
        'description',
        'free',
        'id',
        'input',
        'slug',
        'title',
      ]);
      expect(tool.input).toMatchObject({
        type: 'object',
        additionalProperties: false,
        properties: { tool: { const: tool.id } },
      });
    }
    expect(json.data.find(({ id }: { id: string }) => id === 'analyze_audio').free).toEqual({
      enabled: true,
      seconds: null,
      dailyUses: 3,
    });
  });

  it('quotes for files in the order of the job', async () => {
    const quote = vi.fn<Service['tools']['quote']>(fakeService().tools.quote);
    const { call } = await start({ tools: { quote } });
    const { status, json } = await call('POST', '/api/v1/quote', {
      body: { tool: 'join_audio', fileIds: ['file_2', 'file_1'] },
    });
    expect([status, json]).toEqual([
      200,
      { tool: 'join_audio', seconds: 62, credits: 3, free: { seconds: 60, usesLeftToday: 3 } },
    ]);
    expect(quote).toHaveBeenCalledWith(account, 'join_audio', ['file_2', 'file_1']);
  });

  it.each([
    [{}, 'tool'],
    [{ tool: 'join_audio' }, 'fileIds'],
    [{ tool: 'sing', fileIds: ['file_1'] }, 'tool'],
    [{ tool: 'join_audio', fileIds: [] }, 'fileIds'],
    [{ tool: 'join_audio', fileIds: Array.from({ length: 21 }, () => 'file_1') }, 'fileIds'],
    [{ tool: 'join_audio', fileIds: ['x'.repeat(101)] }, 'fileIds'],
    [{ tool: 'join_audio', fileIds: [1] }, 'fileIds'],
    [{ tool: 'join_audio', fileIds: 'file_1' }, 'fileIds'],
    [{ tool: 'join_audio', fileIds: ['file_1'], seconds: 4 }, 'seconds'],
  ])('refuses the quote %j and names %s', async (body, field) => {
    const { call } = await shared();
    const { status, json } = await call('POST', '/api/v1/quote', { body });
    expect([status, json.error.code, json.error.details.field]).toEqual([400, 'bad_request', field]);
  });

  it('names unknown fields and what it expects instead', async () => {
    const { call } = await start();
    const { json } = await call('POST', '/api/v1/quote', {
      body: { tool: 'join_audio', fileIds: ['file_1'], fileId: 'file_1' },
    });
    expect(json.error.message).toBe(
      'Unknown field fileId for POST /api/v1/quote; expected one of tool, fileIds; did you mean fileIds?',
    );
  });
});

describe('account', () => {
  it('shows balance, free uses, prices and limits', async () => {
    const { call } = await start();
    const { json } = await call('GET', '/api/v1/account');
    expect(json).toMatchObject({ balance: 1000, balanceCents: 1000, availableCents: 975, limits: { maxFileBytes: 5 } });
    expect(Object.keys(json.freeUsesLeft)).toEqual(toolIds);
    expect(Object.keys(json.prices)).toEqual(toolIds);
  });

  it('shows the ledger and the auto-refill', async () => {
    const ledger = vi.fn<Service['accounts']['ledger']>(fakeService().accounts.ledger);
    const { call } = await start({ accounts: { ledger } });
    const { json } = await call('GET', '/api/v1/ledger?limit=7&cursor=abc');
    expect(json).toEqual({
      data: [
        {
          id: 'led_1',
          kind: 'charge',
          credits: -2,
          balance: 998,
          jobId: 'job_1',
          paymentId: null,
          disputeId: null,
          createdAt: '1970-01-01T00:00:00.000Z',
        },
      ],
      nextCursor: 'more',
    });
    expect(ledger).toHaveBeenCalledWith(account, { cursor: 'abc', limit: 7 });
    expect((await call('GET', '/api/v1/auto-refill')).json).toEqual({
      enabled: true,
      thresholdCents: 500,
      amountCents: 2000,
      monthlyCapCents: 10_000,
      card: { brand: 'visa', last4: '4242' },
    });
  });
});

describe('jobs', () => {
  it('starts a tool with its inputs and parsed options', async () => {
    const create = vi.fn<Service['jobs']['create']>(async () => ({ job: storedJob(), outputs: [] }));
    const { call } = await start({ jobs: { create } });
    const { status, json } = await call('POST', '/api/v1/jobs', {
      body: {
        tool: 'adjust_loudness',
        file_id: 'file_1',
        target: 'streaming',
        idempotency_key: 'k1',
        max_credits: 5,
        free: false,
      },
    });
    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual([
      'id',
      'tool',
      'status',
      'progress',
      'stage',
      'estimatedSecondsLeft',
      'outputs',
      'processedSeconds',
      'result',
      'free',
      'finishedBy',
      'error',
      'warnings',
      'createdAt',
    ]);
    expect(create.mock.lastCall?.[1]).toMatchObject({
      tool: 'adjust_loudness',
      inputs: { file_id: ['file_1'] },
      options: { target: 'streaming', output_format: 'same' },
      idempotencyKey: 'k1',
      maxCredits: 5,
      free: false,
    });

    await call('POST', '/api/v1/jobs', {
      body: { tool: 'adjust_loudness', file_id: 'file_1' },
      headers: { 'idempotency-key': 'k2' },
    });
    expect(create.mock.lastCall?.[1]).toMatchObject({ idempotencyKey: 'k2', maxCredits: null, free: undefined });
    await call('POST', '/api/v1/jobs', { body: { tool: 'analyze_audio', file_id: 'file_1' } });
    expect(create.mock.lastCall?.[1]).toMatchObject({
      tool: 'analyze_audio',
      options: { detail: 'concise' },
      idempotencyKey: null,
    });
  });

  it.each([
    [{ tool: 'adjust_loudness', file_id: 'file_1' }, {}, 'idempotency_key'],
    [
      { tool: 'adjust_loudness', file_id: 'file_1', idempotency_key: 'a' },
      { 'idempotency-key': 'b' },
      'idempotency_key',
    ],
    [{ tool: 'adjust_loudness', file_id: 'file_1', idempotency_key: 'a', target_lufs: -16 }, {}, 'target_lufs'],
    [{ tool: 'adjust_loudness', file_id: '1', idempotency_key: 'a' }, {}, 'file_id'],
    [{ tool: 'adjust_loudness', idempotency_key: 'a' }, {}, 'file_id'],
    [{ tool: 'adjust_loudness', file_id: 'file_1', idempotency_key: 'a', max_credits: 0 }, {}, 'max_credits'],
    [{ tool: 'adjust_loudness', file_id: 'file_1', idempotency_key: 'a', free: 'true' }, {}, 'free'],
    [{ tool: 'analyze_audio', file_id: 'file_1', max_credits: 4 }, {}, 'max_credits'],
    [{ tool: 'sing', file_id: 'file_1' }, {}, 'tool'],
    [{}, {}, 'tool'],
    [undefined, {}, 'body'],
  ])('refuses the job %j with headers %j and names %s', async (body, headers, field) => {
    const { call } = await shared();
    const { status, json } = await call('POST', '/api/v1/jobs', { ...(body === undefined ? {} : { body }), headers });
    expect([status, json.error.code, json.error.details.field]).toEqual([400, 'bad_request', field]);
  });

  it('takes a script of 2 MiB characters however JSON writes them', slow, async () => {
    const create = vi.fn<Service['jobs']['create']>(async () => ({ job: storedJob(), outputs: [] }));
    const { call } = await start({ jobs: { create } });
    const text = '\u0001'.repeat(2_097_152);
    const { status } = await call('POST', '/api/v1/jobs', {
      body: { tool: 'align_script', file_id: 'file_1', text, idempotency_key: 'a' },
    });
    expect(status).toBe(201);
    expect(create.mock.lastCall?.[1].options['text']).toHaveLength(2_097_152);
    const longer = await call('POST', '/api/v1/jobs', {
      body: { tool: 'align_script', file_id: 'file_1', text: `${text}a`, idempotency_key: 'a' },
    });
    expect([longer.status, longer.json.error.code]).toEqual([422, 'text_too_long']);
  });

  it('lists, shows and cancels', async () => {
    const list = vi.fn<Service['jobs']['list']>(async () => ({
      items: [
        {
          job: storedJob({ status: 'succeeded', progress: 1, processedSeconds: 61.5 }),
          outputs: [storedFile({ kind: 'output', sourceJobId: 'job_1' })],
        },
      ],
      nextCursor: 'n',
    }));
    const failed = storedJob({ status: 'failed', error: { code: 'file_invalid', message: 'Broken' } });
    const { call } = await start({ jobs: { list, get: async () => ({ job: failed, outputs: [] }) } });
    const { json } = await call('GET', '/api/v1/jobs?tool=cut_audio&limit=3');
    expect([json.nextCursor, json.data[0].outputs[0].sourceJobId, json.data[0].processedSeconds]).toEqual([
      'n',
      'job_1',
      61.5,
    ]);
    expect(list).toHaveBeenCalledWith(account, { tool: 'cut_audio' }, { cursor: null, limit: 3 });
    expect((await call('GET', '/api/v1/jobs/job_1')).json.error).toEqual({ code: 'file_invalid', message: 'Broken' });
    const cancelled = await call('POST', '/api/v1/jobs/job_1/cancel');
    expect([cancelled.status, cancelled.json.status]).toEqual([200, 'cancelled']);
  });
});
