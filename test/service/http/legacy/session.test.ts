// The older API as its clients have used it for years, against the whole service.
import { afterEach, describe, expect, it } from 'vitest';
import { requireTool } from '../../../../src/library/tools/registry.ts';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia, named, type FakeMedia } from '../try/fake-media.ts';
import { tone } from '../try/support.ts';
import { olderClient, type OlderClient } from './client.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let media: FakeMedia;
let shared: Promise<TestService> | undefined;
const running = (): Promise<TestService> => {
  media ??= createFakeMedia();
  return (shared ??= services.start({
    media,
    links: createLinkFetcher(),
    config: { legacyHost: 'older.example.com' },
  }));
};
afterEach(() => {
  if (media === undefined) return;
  media.runMs = 0;
  media.progress = [];
});

async function client(credits = 1000): Promise<OlderClient & { readonly service: TestService; readonly key: string }> {
  const service = await running();
  const { key } = await service.account(credits);
  return { ...olderClient(service.legacyBase, key), service, key };
}

const balanceOf = async ({ service, key }: { service: TestService; key: string }): Promise<number> => {
  const response = await fetch(`${service.base}/api/v1/account`, { headers: { authorization: `Bearer ${key}` } });
  return ((await response.json()) as { balance: number }).balance;
};

describe('a whole session', () => {
  it('is done on real sound: upload, job, websocket, download, with real noise removal', slow, async () => {
    const service = await services.start();
    const { key } = await service.account(100);
    const older = olderClient(service.legacyBase, key);
    const fileId = await older.upload(tone(2));
    const jobId = await older.createJob({ input: fileId, outputExtension: '.wav' });
    const { messages, closeCode } = await older.follow(jobId);
    expect(closeCode).toBe(1000);
    expect(messages.at(-1)).toEqual({
      state: 'succeeded',
      downloadPath: expect.stringMatching(/^\/download\/\S+\.wav$/),
    });
    const { bytes, status } = await older.download(String(messages.at(-1)?.['downloadPath']));
    expect(status).toBe(200);
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
    expect(bytes.length).toBeGreaterThan(60_000);
    await service.stop();
  });

  it('says exactly the documented objects, in order, with rising percent', slow, async () => {
    const older = await client();
    // What ends within half a second writes no progress.
    media.runMs = 1500;
    media.progress = [0.1, 0.25, 0.5, 0.99];
    const fileId = await older.upload(named('20s.wav'));
    const jobId = await older.createJob({ input: fileId });
    const { messages, closeCode } = await older.follow(jobId);
    expect(closeCode).toBe(1000);
    const states = messages.map(({ state }) => state);
    expect(states.at(-1)).toBe('succeeded');
    expect([...states].sort((a, b) => order.indexOf(a) - order.indexOf(b))).toEqual(states);
    for (const message of messages) expect(Object.keys(message).sort()).toEqual(fields[message.state]);
    const percents = messages.flatMap(({ percent }) => (percent === undefined ? [] : [Number(percent)]));
    expect(percents.length).toBeGreaterThan(1);
    expect(percents).toEqual([...new Set(percents)].sort((a, b) => a - b));
    expect(await older.status(jobId)).toEqual(messages.at(-1));
    expect(await balanceOf(older)).toBe(999);
  });

  const order = ['downloading', 'queued', 'in_progress', 'succeeded'];
  const fields: Record<string, string[]> = {
    downloading: ['state'],
    queued: ['jobsAhead', 'state'],
    in_progress: ['percent', 'state'],
    succeeded: ['downloadPath', 'state'],
    failed: ['reason', 'state'],
  };

  it('resolves the download path behind /v1 and behind /v1/, whole and in ranges', slow, async () => {
    const older = await client();
    const jobId = await older.createJob({ input: await older.upload(named('20s.wav')) });
    const { downloadPath } = (await older.ended(jobId)) as unknown as { downloadPath: string };
    expect(downloadPath.startsWith('/')).toBe(true);
    const plain = await older.download(downloadPath);
    const doubled = await older.download(`/${downloadPath}`);
    expect(plain.status).toBe(200);
    expect(doubled.bytes.equals(plain.bytes)).toBe(true);
    const part = await fetch(older.service.legacyBase + downloadPath, {
      headers: { 'x-api-key': older.key, range: 'bytes=0-3' },
    });
    expect([part.status, await part.text()]).toEqual([206, 'RIFF']);
    const head = await fetch(older.service.legacyBase + downloadPath, {
      method: 'HEAD',
      headers: { 'x-api-key': older.key },
    });
    expect(head.headers.get('content-length')).toBe(String(plain.bytes.length));
  });
});

describe('leniency', () => {
  it('takes null for what is left out, fields that nobody knows, and autoVolume', async () => {
    const older = await client();
    const input = await older.upload(named('20s.wav'));
    const options = async (more: object): Promise<object | undefined> => {
      await older.ended(await older.createJob({ input, ...more }));
      return media.runs.at(-1)?.options;
    };
    // What the older API does not name has the tool's own defaults.
    const own = requireTool('remove-noise').parseOptions({});
    const usual = { ...own, noise_reduction: 100, auto_volume: true, output_format: 'same' };
    expect(await options({ noiseReductionAmount: null, autoVolume: null, reduceEcho: 'please', x: { y: [] } })).toEqual(
      usual,
    );
    expect(await options({ autoVolume: false })).toEqual({ ...usual, auto_volume: false });
    expect(await options({ autoVolume: 'loud' })).toEqual(usual);
    expect(await options({ noiseReductionAmount: 1 })).toEqual({ ...usual, noise_reduction: 1 });
    expect(await options({ outputExtension: '.MP3' })).toEqual({ ...usual, output_format: 'mp3' });
  });

  it('gives what the input is already, which the tool does not make of others', async () => {
    const older = await client();
    const ogg = await older.upload(named('20s.ogg'));
    expect(await older.ended(await older.createJob({ input: ogg, outputExtension: 'ogg' }))).toMatchObject({
      state: 'succeeded',
    });
    expect(media.runs.at(-1)?.options).toMatchObject({ output_format: 'same' });
    const wav = await older.upload(named('20s.wav'));
    const refused = await older.request('POST', '/remove-noise', { body: { input: wav, outputExtension: 'ogg' } });
    expect([refused.status, Object.keys(refused.json as object)]).toEqual([400, ['detail']]);
    expect(await balanceOf(older)).toBe(999);
  });

  it('goes by inputExt, whatever the file is called', async () => {
    const older = await client();
    for (const [name, query, filename] of [
      ['20s.bin', '?inputExt=wav', '20s.wav'],
      ['20s', '?inputExt=.MP3', '20s.mp3'],
      ['20s.wav', '', '20s.wav'],
      ['20s.wav', '?inputExt=', '20s.wav'],
    ] as const) {
      const id = await older.upload(named(name), query);
      expect((await older.service.stores.files.get(id))?.filename).toBe(filename);
    }
  });

  it('serves clients that offer HTTP/2 beside their body', async () => {
    const older = await client();
    const { request } = await import('node:http');
    const body = JSON.stringify({ input: 'file_none' });
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(older.service.legacyBase);
      request(
        {
          hostname,
          port,
          path: '/v1/remove-noise',
          method: 'POST',
          headers: {
            'x-api-key': older.key,
            'content-type': 'application/json',
            'content-length': body.length,
            connection: 'Upgrade, HTTP2-Settings',
            upgrade: 'h2c',
            'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
          },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      )
        .on('error', reject)
        .end(body);
    });
    expect(status).toBe(404);
  });
});

describe('refusals are {"detail": text}', () => {
  it('without a key, or with a bad one, everywhere', async () => {
    const older = await client();
    const jobId = await older.createJob({ input: await older.upload(named('20s.wav')) });
    await older.ended(jobId);
    const outputId = (await older.service.stores.jobs.getSummary(jobId))?.outputFileIds[0];
    for (const key of [null, 'svc_sk_nobody', 'nonsense', ''])
      for (const [method, route] of [
        ['POST', '/upload'],
        ['POST', '/remove-noise'],
        ['GET', `/remove-noise/${jobId}/status`],
        ['GET', `/download/${outputId}.wav`],
        ['HEAD', `/download/${outputId}.wav`],
        ['GET', `/wss/remove-noise/${jobId}/status`],
      ] as const) {
        const answer = await older.request(method, route, { key });
        expect([answer.status, method, route]).toEqual([401, method, route]);
        if (method !== 'HEAD') expect(answer.json).toEqual({ detail: expect.any(String) });
      }
    await expect(older.connect(jobId, null)).rejects.toThrow('401');
    await expect(older.connect(jobId, 'svc_sk_nobody')).rejects.toThrow('401');
    // A session or a bearer token is no key of this API.
    const bearer = await fetch(`${older.service.legacyBase}/remove-noise/${jobId}/status`, {
      headers: { authorization: `Bearer ${older.key}` },
    });
    expect(bearer.status).toBe(401);
  });

  it('of what is somebody else’s or nobody’s: 404', async () => {
    const [mine, theirs] = [await client(), await client()];
    const fileId = await mine.upload(named('20s.wav'));
    const jobId = await mine.createJob({ input: fileId });
    const { downloadPath } = (await mine.ended(jobId)) as unknown as { downloadPath: string };
    for (const [method, route, body] of [
      ['POST', '/remove-noise', { input: fileId }],
      ['POST', '/remove-noise', { input: 'file_none' }],
      ['GET', `/remove-noise/${jobId}/status`],
      ['GET', '/remove-noise/job_none/status'],
      ['GET', downloadPath],
      ['GET', `/download/${fileId}.wav`],
      ['GET', '/nothing'],
    ] as const) {
      const answer = await theirs.request(method, route, body === undefined ? {} : { body });
      expect([answer.status, route, Object.keys(answer.json as object)]).toEqual([404, route, ['detail']]);
    }
    await expect(theirs.connect(jobId)).rejects.toThrow('404');
  });

  it.each([
    [{}],
    [[]],
    ['text'],
    [{ input: null }],
    [{ input: 7 }],
    [{ input: '' }],
    [{ input: 'http://media.example.com/a.wav' }],
    [{ input: 'file:///etc/passwd' }],
    [{ input: 'file_1', noiseReductionAmount: 0 }],
    [{ input: 'file_1', noiseReductionAmount: 101 }],
    [{ input: 'file_1', noiseReductionAmount: 1.5 }],
    [{ input: 'file_1', noiseReductionAmount: '50' }],
    [{ input: 'file_1', outputExtension: 7 }],
    [{ input: 'file_1', outputExtension: '../../x' }],
    [{ input: 'file_1', output: 7 }],
  ])('%j: 400', async (body) => {
    const older = await client();
    const answer = await older.request('POST', '/remove-noise', { body: body as object });
    expect([answer.status, answer.json]).toEqual([400, { detail: expect.any(String) }]);
    if (JSON.stringify(body).includes('noiseReductionAmount'))
      expect(answer.json.detail).toMatch(/noiseReductionAmount/);
  });

  it('unreadable: 422; forms without the file: 400; no credits: 400, and nothing is held', async () => {
    const older = await client(0);
    const form = new FormData();
    form.append('file', named('bad.wav'), 'bad.wav');
    const bad = await older.request('POST', '/upload', { body: form });
    expect([bad.status, bad.json]).toEqual([422, { detail: expect.stringContaining('bad.wav') }]);
    const other = new FormData();
    other.append('sound', named('20s.wav'), '20s.wav');
    expect((await older.request('POST', '/upload', { body: other })).status).toBe(400);
    expect((await older.request('POST', '/upload', { body: { file: 'x' } })).status).toBe(400);
    const input = await older.upload(named('20s.wav'));
    const poor = await older.request('POST', '/remove-noise', { body: { input } });
    expect([poor.status, poor.json]).toEqual([400, { detail: expect.stringContaining('credit') }]);
    const { items } = await older.service.operator.listAccounts({ cursor: null, limit: 1 });
    expect(items[0]).toMatchObject({ balance: 0, reserved: 0 });
  });

  it('a job that fails says why, and costs nothing', async () => {
    const older = await client();
    const jobId = await older.createJob({ input: await older.upload(named('20s-fail.wav')) });
    const { messages } = await older.follow(jobId);
    expect(messages.at(-1)).toEqual({ state: 'failed', reason: expect.stringContaining('Expected sound in') });
    expect(await balanceOf(older)).toBe(1000);
  });

  it('too many requests: 429 with Retry-After, for all doors together', slow, async () => {
    const service = await services.start({ media: createFakeMedia(), config: { rateLimitAccount: '3' } });
    const { key } = await service.account();
    const older = olderClient(service.legacyBase, key);
    for (let count = 0; count < 3; count += 1)
      expect((await older.request('GET', '/remove-noise/job_none/status')).status).toBe(404);
    const { status, headers, json } = await older.request('GET', '/remove-noise/job_none/status');
    expect([status, json]).toEqual([429, { detail: expect.any(String) }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await expect(older.connect('job_none')).rejects.toThrow('429');
    await service.stop();
  });
});

describe('a host name of its own', () => {
  const ask = async (service: TestService, host: string, path: string): Promise<{ status: number; text: string }> => {
    const { request } = await import('node:http');
    const { hostname, port } = new URL(service.base);
    return new Promise((resolve, reject) => {
      request({ hostname, port, path, headers: { host } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      })
        .on('error', reject)
        .end();
    });
  };

  it('speaks the older API there, and there alone', async () => {
    const { service } = await client();
    for (const host of ['older.example.com', 'OLDER.example.com:3000']) {
      const there = await ask(service, host, '/v1/remove-noise/job_1/status');
      expect([there.status, JSON.parse(there.text)]).toEqual([401, { detail: expect.any(String) }]);
      expect(JSON.parse((await ask(service, host, '/nothing')).text)).toEqual({ detail: expect.any(String) });
    }
    for (const host of ['127.0.0.1', 'olderxexample.com']) {
      const elsewhere = await ask(service, host, '/v1/remove-noise/job_1/status');
      expect([elsewhere.status, JSON.parse(elsewhere.text)]).toEqual([404, { error: expect.objectContaining({}) }]);
      expect(elsewhere.text).not.toContain('expected GET');
    }
  });
});
