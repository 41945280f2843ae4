// The result's own link: the clients that people have had for years put the base address and the path together and send
// no key with that one request.
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia, named } from '../try/fake-media.ts';
import { olderClient, type OlderClient } from './client.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let shared: Promise<TestService> | undefined;
const running = (): Promise<TestService> => (shared ??= services.start({ media: createFakeMedia() }));

interface Made {
  readonly service: TestService;
  readonly older: OlderClient;
  readonly key: string;
  readonly path: string;
}

async function result(name = '20s.wav', given: Promise<TestService> = running()): Promise<Made> {
  const service = await given;
  const { key } = await service.account(1000);
  const older = olderClient(service.legacyBase, key);
  const jobId = await older.createJob({ input: await older.upload(named(name)), outputExtension: 'wav' });
  const { downloadPath } = (await older.ended(jobId)) as unknown as { downloadPath: string };
  return { service, older, key, path: downloadPath };
}

/** As that client saves: text joined to text, no key, the extension off the end of the address, bytes as they come. */
const save = (
  base: string,
  path: string,
): Promise<{ status: number; extension: string; encoding: string | undefined; bytes: Buffer }> =>
  new Promise((resolve, reject) => {
    const address = base + path;
    request(address, { headers: { 'accept-encoding': 'gzip, deflate', 'user-agent': 'python-requests/2.32' } })
      .on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            extension: address.slice(address.lastIndexOf('.') + 1),
            encoding: response.headers['content-encoding'],
            bytes: Buffer.concat(pieces),
          }),
        );
      })
      .on('error', reject)
      .end();
  });

describe('the download path is its own credential', () => {
  it('saves as the client of all these years does, with the extension at the end of the address', slow, async () => {
    const { service, older, path } = await result();
    const whole = await older.download(path);
    expect(whole.status).toBe(200);
    for (const joined of [path, `/${path}`]) {
      const saved = await save(service.legacyBase, joined);
      expect([saved.status, saved.extension, saved.encoding]).toEqual([200, 'wav', undefined]);
      expect(saved.bytes.equals(whole.bytes)).toBe(true);
    }
    const head = await older.request('HEAD', path, { key: null });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.bytes.length)]);
    const part = await fetch(service.legacyBase + path, { headers: { range: 'bytes=0-3' } });
    expect(part.status).toBe(206);
  });

  it('says nothing of the file’s id', slow, async () => {
    const { older, path } = await result();
    expect(path).toMatch(/^\/download\/[\w.-]{60,}\.wav$/);
    expect(path).not.toContain('file_');
    expect((await older.request('GET', path, { key: null })).headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('holds a key that comes along to being right, and the account’s', async () => {
    const { service, older, path } = await result();
    for (const key of ['svc_sk_nobody', 'nonsense', '']) {
      const refused = await older.request('GET', path, { key });
      expect([refused.status, refused.json]).toEqual([401, { detail: expect.any(String) }]);
    }
    const { key: theirs } = await service.account();
    expect((await older.request('GET', path, { key: theirs })).status).toBe(404);
  });

  it('asks for a key where the token is not whole, not its own, or another link’s', async () => {
    const { service, older, key, path } = await result();
    const id =
      (
        await service.stores.files.list(
          (await service.service.access.byKey(key)).id,
          { kind: 'output', at: new Date() },
          { cursor: null, limit: 1 },
        )
      ).items[0]?.id ?? '';
    const rest = await service.service.files.downloadLink(await service.service.access.byKey(key), id);
    const otherPurpose = new URL(rest.url).pathname.split('/')[2] ?? '';
    const flipped = path.replace(/.(?=\.wav$)/, (last) => (last === 'A' ? 'Q' : 'A'));
    for (const wrong of [
      `/download/${id}.wav`,
      flipped,
      path.slice(0, 40),
      `/download/${otherPurpose}.wav`,
      '/download/.wav',
    ])
      expect([(await older.request('GET', wrong, { key: null })).status, wrong]).toEqual([401, wrong]);
    // With the key, what was handed out before links had tokens goes on working.
    expect((await older.download(`/download/${id}.wav`)).status).toBe(200);
  });

  it('ends after 24 hours, however long files are kept; the key still opens what is there', slow, async () => {
    let ahead = 0;
    const clock = (): Date => new Date(Date.now() + ahead);
    const made = await result(
      '20s.wav',
      services.start({ media: createFakeMedia(), now: clock, config: { retentionSeconds: String(3 * 86_400) } }),
    );
    const { older, path } = made;
    ahead = 23.9 * 3_600_000;
    expect((await older.request('GET', path, { key: null })).status).toBe(200);
    ahead = 24.1 * 3_600_000;
    expect((await older.request('GET', path, { key: null })).status).toBe(401);
    expect((await older.download(path)).status).toBe(200);
    ahead = 73 * 3_600_000;
    expect((await older.download(path)).status).toBe(404);
    await made.service.stop();
  });

  it('is not written to the log', async () => {
    const { service, older, path } = await result();
    await older.request('GET', path, { key: null });
    const token = path.slice('/download/'.length, -'.wav'.length);
    expect(service.logged()).toContain('/v1/download/');
    expect(service.logged()).not.toContain(token);
  });
});

describe('EARSHOT_LEGACY_DOWNLOADS=key', () => {
  it('asks for the key as everywhere else, and hands out no link that would do without', slow, async () => {
    const { older, path, service } = await result(
      '20s.wav',
      services.start({ media: createFakeMedia(), config: { legacyDownloads: 'key' } }),
    );
    expect(path).toMatch(/^\/download\/file_[0-9A-Za-z]+\.wav$/);
    expect((await older.request('GET', path, { key: null })).status).toBe(401);
    expect((await older.download(path)).status).toBe(200);
    await service.stop();
  });
});
