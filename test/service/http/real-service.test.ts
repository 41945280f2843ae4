// The interface as clients meet it: real HTTP, PostgreSQL, disk, queue and job processes, with every answer held
// against openapi.json.
import { createHash } from 'node:crypto';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import { describe, expect, it } from 'vitest';
import { toolIds } from '../../../src/library/contract/tool-ids.ts';
import type { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';
import { useServices, type TestService } from '../../fixtures/service/service.ts';
import { createCaller, type Running } from './support.ts';
import { slow } from '../../fixtures/rounds.ts';

const services = useServices();
let shared: Promise<TestService> | undefined;
const running = (): Promise<TestService> => (shared ??= services.start());

/** A tone of so many seconds, mono, 16 bit. */
const tone = (seconds: number, rate = 16_000): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    wavBytes(
      [
        Float32Array.from(
          { length: Math.round(seconds * rate) },
          (_, frame) => 0.1 * Math.sin((2 * Math.PI * 440 * frame) / rate),
        ),
      ],
      rate,
    ),
  );

interface Caller {
  readonly call: Running['call'];
  readonly key: string;
  /** Creates, sends and waits until it is checked. */
  upload(
    bytes: Uint8Array<ArrayBuffer>,
    filename: string,
  ): Promise<{ id: string; status: string } & Record<string, unknown>>;
  refuse(method: string, path: string, body: unknown, code: EarshotError['code']): Promise<Record<string, unknown>>;
}

async function caller(service: TestService, credits = 1000): Promise<Caller> {
  const { key } = await service.account(credits);
  const call = createCaller(service.base, key);
  return {
    call,
    key,
    async upload(bytes, filename) {
      const { json } = await call('POST', '/api/v1/files', { body: { filename, sizeBytes: bytes.length } });
      const put = await call('PUT', json.upload.url, { raw: bytes, headers: json.upload.headers });
      expect(put.status, put.text).toBe(200);
      return (await call('GET', `/api/v1/files/${json.file.id}?wait=40`)).json;
    },
    async refuse(method, path, body, code) {
      const { json, text } = await call(method, path, body === undefined ? {} : { body });
      expect(json?.error?.code, text).toBe(code);
      return json.error;
    },
  };
}

/** The job when it has ended. */
async function finished(
  call: Caller['call'],
  started: { id: string; status: string; error: unknown },
): Promise<typeof started> {
  let job = started;
  while (!['succeeded', 'failed', 'cancelled'].includes(job.status)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = (await call('GET', `/api/v1/jobs/${job.id}`)).json;
  }
  return job;
}

describe('the main job', () => {
  it('is done by a client made of openapi.json', slow, async () => {
    const service = await running();
    const { key } = await service.account();
    const definition = (await (await fetch(`${service.base}/api/openapi.json`)).json()) as object;
    const api = new OpenAPIClientAxios({
      definition: definition as never,
      axiosConfigDefaults: { baseURL: service.base, headers: { Authorization: `Bearer ${key}` } },
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- the client's operations are only known from the document
    const client: any = await api.getClient();

    const tools = (await client.listTools()).data.data;
    expect(tools).toHaveLength(toolIds.length);
    const bytes = tone(6);
    const created = (await client.createFile(null, { filename: 'tone.wav', sizeBytes: bytes.length })).data;
    await client.put(created.upload.url, bytes, { headers: created.upload.headers });
    const file = (await client.getFile({ id: created.file.id, wait: 40 })).data;
    expect(file).toMatchObject({
      status: 'ready',
      format: 'wav',
      durationSeconds: 6,
      hasAudio: true,
      hasVideo: false,
      media: { sampleRate: 16_000, channels: 1 },
    });

    const quote = (await client.quote(null, { tool: 'adjust_loudness', fileIds: [file.id] })).data;
    expect(quote.credits).toBe(file.prices.adjust_loudness);
    let job = (
      await client.createJob(null, {
        tool: 'adjust_loudness',
        file_id: file.id,
        target: 'streaming',
        output_format: 'flac',
        idempotency_key: 'main-job',
      })
    ).data;
    while (!['succeeded', 'failed', 'cancelled'].includes(job.status)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      job = (await client.getJob({ id: job.id })).data;
    }
    expect(job).toMatchObject({ status: 'succeeded', progress: 1, free: false, processedSeconds: 6, error: null });
    const [output] = job.outputs;
    expect(output).toMatchObject({ kind: 'output', status: 'ready', format: 'flac', sourceJobId: job.id });

    const link = (await client.getDownloadLink({ id: output.id })).data;
    const downloaded = Buffer.from((await client.get(link.url, { responseType: 'arraybuffer' })).data as ArrayBuffer);
    expect(downloaded.subarray(0, 4).toString()).toBe('fLaC');
    expect(downloaded.length).toBe(output.sizeBytes);

    await client.getPeaks({ id: output.id });
    let peaks = (await client.getPeaks({ id: output.id, wait: 40, level: 50, count: 10 })).data;
    for (let round = 0; peaks.status === 'processing' && round < 5; round++)
      peaks = (await client.getPeaks({ id: output.id, wait: 40, level: 50, count: 10 })).data;
    expect(peaks).toMatchObject({ status: 'ready', bins: { level: 50, first: 0, count: 10 } });
    expect(Buffer.from(peaks.bins.data as string, 'base64')).toHaveLength(20);

    const [charge, grant] = (await client.listLedger()).data.data;
    expect([charge.kind, charge.credits, charge.jobId, charge.balance]).toEqual([
      'charge',
      -quote.credits,
      job.id,
      1000 - quote.credits,
    ]);
    expect([grant.kind, grant.credits, grant.balance]).toEqual(['grant', 1000, 1000]);
    expect((await client.getAccount()).data).toMatchObject({
      balance: 1000 - quote.credits,
      availableCents: 1000 - quote.credits,
    });
    expect((await client.listJobs({ tool: 'adjust_loudness' })).data.data.map(({ id }: { id: string }) => id)).toEqual([
      job.id,
    ]);
    expect((await client.listFiles({ kind: 'output' })).data.data.map(({ id }: { id: string }) => id)).toEqual([
      output.id,
    ]);
    await client.deleteFile({ id: file.id });
    expect((await client.getFile({ id: file.id })).data.status).toBe('deleted');
    expect((await client.listFiles({ kind: 'original' })).data.data).toEqual([]);
  });
});

describe('uploads', () => {
  it('come back byte for byte, whole and in ranges', slow, async () => {
    const { call, upload } = await caller(await running());
    const bytes = tone(2);
    const file = await upload(bytes, 'Tön – 音.wav');
    expect(file).toMatchObject({ status: 'ready', filename: 'Tön – 音.wav', sizeBytes: bytes.length });
    const { json: link } = await call('GET', `/api/v1/files/${file.id}/download`);
    const whole = await fetch(link.url);
    expect(Buffer.from(await whole.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    expect(whole.headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    expect(whole.headers.get('content-disposition')).toContain("filename*=UTF-8''T%C3%B6n%20%E2%80%93%20%E9%9F%B3.wav");
    const part = await fetch(link.url, { headers: { range: 'bytes=100-199' } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(Buffer.from(bytes.subarray(100, 200)))]).toEqual([
      206,
      true,
    ]);
  });

  it('go in parts above 16 MB, in any order, and again', slow, async () => {
    const { call } = await caller(await running());
    const bytes = tone(60, 150_000);
    const { json } = await call('POST', '/api/v1/files', { body: { filename: 'long.wav', sizeBytes: bytes.length } });
    expect(json.upload).toBeNull();
    const { partSizeBytes, partCount, partUrl, completeUrl } = json.multipart as {
      partSizeBytes: number;
      partCount: number;
      partUrl: string;
      completeUrl: string;
    };
    expect(partCount).toBe(2);
    const put = (part: number, end = part * partSizeBytes) =>
      call('PUT', partUrl.replace('{n}', String(part)), { raw: bytes.slice((part - 1) * partSizeBytes, end) });
    expect((await put(2)).json).toEqual({ part: 2 });
    const missing = await call('POST', completeUrl);
    expect([missing.status, missing.json.error.code, missing.json.error.details.missingParts]).toEqual([
      409,
      'conflict',
      [1],
    ]);
    expect((await put(1, 1000)).json.error.code).toBe('bad_request');
    expect((await put(3)).json.error.code).toBe('bad_request');
    expect((await put(1)).status).toBe(200);
    expect((await put(2)).status).toBe(200);
    expect((await call('POST', completeUrl)).json.status).not.toBe('awaiting_upload');
    const file = (await call('GET', `/api/v1/files/${json.file.id}?wait=40`)).json;
    expect(file).toMatchObject({ status: 'ready', sizeBytes: bytes.length });
    const { json: link } = await call('GET', `/api/v1/files/${file.id}/download`);
    expect(
      createHash('sha256')
        .update(Buffer.from(await (await fetch(link.url)).arrayBuffer()))
        .digest('hex'),
    ).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('are named later, through the page, or stopped', slow, async () => {
    const { call, refuse } = await caller(await running());
    const bytes = tone(1);
    const { json } = await call('POST', '/api/v1/files', { body: {} });
    expect([json.upload, json.multipart]).toEqual([null, null]);
    expect(await (await fetch(json.uploadPageUrl, { headers: { accept: 'text/html' } })).text()).toContain(
      'Upload a file',
    );
    const named = await call('POST', `${json.uploadPageUrl}/name`, {
      body: { filename: 'a.wav', sizeBytes: bytes.length },
    });
    expect(named.status).toBe(200);
    expect((await call('PUT', named.json.upload.url, { raw: bytes })).status).toBe(200);

    const { json: other } = await call('POST', '/api/v1/files', { body: {} });
    const instructions = (
      await call('POST', `/api/v1/files/${other.file.id}/upload`, { body: { filename: 'b.wav', sizeBytes: 10 } })
    ).json;
    expect((await call('PUT', instructions.upload.url, { raw: 'too much for ten' })).json.error.code).toBe(
      'bad_request',
    );
    expect((await call('PUT', instructions.upload.url, { raw: 'few' })).json.error.code).toBe('bad_request');
    expect((await call('POST', `/api/v1/files/${other.file.id}/abort`)).status).toBe(204);
    expect((await call('GET', `/api/v1/files/${other.file.id}`)).json.status).toBe('deleted');
    expect((await call('PUT', instructions.upload.url, { raw: '0123456789' })).status).toBeGreaterThanOrEqual(400);
    await refuse('POST', `/api/v1/files/${json.file.id}/abort`, undefined, 'conflict');
  });

  it('that cannot be read end as invalid, with the reason', async () => {
    const { call, upload } = await caller(await running());
    const file = await upload(new TextEncoder().encode('this is no sound at all'), 'noise.wav');
    expect(file).toMatchObject({ status: 'invalid', prices: null });
    expect((file['error'] as { code: string }).code).toMatch(/^(file_invalid|unsupported_format)$/);
    const { status, json } = await call('POST', '/api/v1/jobs', { body: { tool: 'analyze_audio', file_id: file.id } });
    expect([status, json.error.code]).toEqual([422, 'file_invalid']);
  });

  it('need their token', async () => {
    const { call } = await caller(await running());
    const { json } = await call('POST', '/api/v1/files', { body: { filename: 'a.wav', sizeBytes: 3 } });
    const token = json.upload.url.split('/').at(-2) as string;
    const forged = json.upload.url.replace(token, `${token.slice(0, -2)}xx`) as string;
    for (const url of [forged, forged.replace(/\/file$/, '/parts/1')])
      expect((await call('PUT', url, { raw: 'abc' })).status).toBeOneOf([401, 404]);
    for (const url of [`/f/${token}/a.wav`, `/upload/${token}.x`])
      expect((await call('GET', url)).status).toBeOneOf([401, 404]);
  });
});

describe('refusals', () => {
  it('of what is not there or not yours', slow, async () => {
    const service = await running();
    const [mine, theirs] = [await caller(service), await caller(service)];
    const file = await mine.upload(tone(1), 'mine.wav');
    const { json: job } = await mine.call('POST', '/api/v1/jobs', {
      body: { tool: 'analyze_audio', file_id: file.id },
    });
    for (const id of [file.id, 'file_nothing', '1', 'file_%00', encodeURIComponent("file_' or 1=1")]) {
      for (const path of [
        `/api/v1/files/${id}`,
        `/api/v1/files/${id}/download`,
        `/api/v1/files/${id}/peaks`,
        `/api/v1/files/${id}/transcript`,
      ])
        await theirs.refuse('GET', path, undefined, 'not_found');
      await theirs.refuse('DELETE', `/api/v1/files/${id}`, undefined, 'not_found');
      await theirs.refuse('POST', `/api/v1/files/${id}/abort`, undefined, 'not_found');
      await theirs.refuse('POST', `/api/v1/files/${id}/upload`, { filename: 'a.wav', sizeBytes: 1 }, 'not_found');
    }
    await theirs.refuse('POST', '/api/v1/quote', { tool: 'analyze_audio', fileIds: [file.id] }, 'not_found');
    await theirs.refuse('POST', '/api/v1/jobs', { tool: 'analyze_audio', file_id: file.id }, 'not_found');
    for (const id of [job.id, 'job_nothing', 'job_%00']) {
      await theirs.refuse('GET', `/api/v1/jobs/${id}`, undefined, 'not_found');
      await theirs.refuse('POST', `/api/v1/jobs/${id}/cancel`, undefined, 'not_found');
    }
    await theirs.refuse('GET', '/api/v1/files?cursor=nonsense', undefined, 'bad_request');
    await theirs.refuse('GET', '/api/v1/jobs?cursor=nonsense', undefined, 'bad_request');
    await theirs.refuse('GET', '/api/v1/ledger?cursor=nonsense', undefined, 'bad_request');
    expect((await theirs.call('GET', '/api/v1/files')).json.data).toEqual([]);
  });

  it('of revoked keys', async () => {
    const service = await running();
    const { account, key } = await service.account();
    const call = createCaller(service.base, key);
    expect((await call('GET', '/api/v1/account')).status).toBe(200);
    const [stored] = await service.operator.listKeys(account.id);
    await service.operator.revokeKey(stored!.id);
    expect((await call('GET', '/api/v1/account')).status).toBe(401);
    const { token } = await service.operator.createSession(account.id, 60);
    const bySession = await fetch(`${service.base}/api/v1/account`, {
      headers: { cookie: `__Secure-svc.session_token=${token}` },
    });
    expect(bySession.status).toBe(200);
  });

  it('of money, keys and times', slow, async () => {
    const { call, upload, refuse } = await caller(await running(), 1);
    const file = await upload(tone(2), 'a.wav');
    const long = await upload(tone(200, 1000), 'long.wav');
    const body = { tool: 'convert_audio', file_id: file.id, idempotency_key: 'k' };
    await refuse('POST', '/api/v1/jobs', { ...body, file_id: long.id, free: false }, 'insufficient_balance');
    const first = await call('POST', '/api/v1/jobs', { body });
    expect(first.status).toBe(201);
    expect((await call('POST', '/api/v1/jobs', { body })).json.id).toBe(first.json.id);
    expect(
      (
        await call('POST', '/api/v1/jobs', {
          body: { tool: 'convert_audio', file_id: file.id },
          headers: { 'idempotency-key': 'k' },
        })
      ).json.id,
    ).toBe(first.json.id);
    await refuse('POST', '/api/v1/jobs', { ...body, format: 'wav' }, 'idempotency_key_reused');
    await refuse('POST', '/api/v1/files', { filename: 'huge.wav', sizeBytes: 1e15 }, 'file_too_large');
    await refuse('GET', `/api/v1/files/${file.id}/transcript`, undefined, 'wrong_file_type');
    const job = await finished(call, first.json);
    expect(job.status).toBe('succeeded');
    await refuse('POST', `/api/v1/jobs/${job.id}/cancel`, undefined, 'job_not_cancellable');
    const { call: rich, upload: richUpload, refuse: richRefuse } = await caller(await running());
    const theirs = await richUpload(tone(200, 1000), 'long.wav');
    await richRefuse(
      'POST',
      '/api/v1/jobs',
      { tool: 'convert_audio', file_id: theirs.id, idempotency_key: 'k', max_credits: 1 },
      'over_spending_cap',
    );
    expect((await rich('GET', '/api/v1/account')).json.balance).toBe(1000);
    await richRefuse(
      'POST',
      '/api/v1/jobs',
      { tool: 'cut_audio', file_id: theirs.id, ranges: [[500, 600]], idempotency_key: 'c' },
      'ranges_outside',
    );
    await richRefuse(
      'POST',
      '/api/v1/jobs',
      { tool: 'cut_audio', file_id: theirs.id, ranges: [[500, 600]], idempotency_key: 'c', free: true },
      'ranges_outside',
    );
    expect((await rich('GET', '/api/v1/account')).json).toMatchObject({ balance: 1000, availableCents: 1000 });
    expect((await rich('DELETE', `/api/v1/files/${theirs.id}`)).status).toBe(204);
    expect((await rich('GET', `/api/v1/files/${theirs.id}/download`)).status).toBeGreaterThanOrEqual(400);
  });
});

describe('the running service', () => {
  it('is ready and counts', slow, async () => {
    const service = await running();
    const { call } = await caller(service);
    expect((await call('GET', '/readyz')).json).toEqual({
      status: 'ready',
      checks: { database: 'ok', files: 'ok', disk: 'ok' },
    });
    expect((await call('GET', '/metrics')).status).toBe(401);
    const { text } = await call('GET', '/metrics', { headers: { authorization: 'Bearer for-metrics' } });
    expect(text).toMatch(/earshot_jobs\{status="succeeded"\} [1-9]/);
    expect(text).toMatch(/earshot_queue_depth\{kind="job"\} \d/);
    expect(text).toMatch(/earshot_stored_bytes [1-9]/);
    expect(service.logged()).not.toMatch(/svc_sk_[A-Za-z0-9]/);
    expect(service.logged()).not.toMatch(/\/(upload|f)\/[A-Za-z0-9_-]{20}/);
  });
});
