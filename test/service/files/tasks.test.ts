import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { createLinkFetcher } from '../../../src/adapters/links/link-fetcher.ts';
import { AbortError } from '../../../src/core/abort.ts';
import { EarshotError } from '../../../src/core/errors.ts';
import type { MediaWork } from '../../../src/contract/media-work.ts';
import type { FetchedLink, LinkFetcher } from '../../../src/service/ports.ts';
import type { Account } from '../../../src/service/records.ts';
import { inPieces, numbered, sha256, stuckAfter } from '../../conformance/object-store.ts';
import { startLinkServer } from '../../fixtures/links/server.ts';
import { useDatabases, type TestStores } from '../../fixtures/service/database.ts';
import { bins, createFilesHost, never, sound, tokenOf, until, type FilesHost } from './host.ts';

const databases = useDatabases();
type Options = NonNullable<Parameters<typeof createFilesHost>[1]>;
let shared: TestStores;
beforeAll(async () => {
  shared = await databases.freshStores();
});
const open = async (options: Options = {}): Promise<FilesHost> => await createFilesHost(shared, options);
/** With a queue and a database of its own. */
const openAlone = async (options: Options = {}): Promise<FilesHost> =>
  await createFilesHost(await databases.freshStores(), options);

async function uploaded(host: FilesHost, filename = 'a.wav'): Promise<{ owner: Account; id: string }> {
  const owner = await host.account();
  const { file, upload } = await host.files.create(owner, { filename, sizeBytes: 1000 });
  await host.files.acceptUpload(tokenOf(upload?.url), inPieces(numbered(1000)), 1000, never);
  return { owner, id: file.id };
}

describe('the check', () => {
  const checking = (check: MediaWork['check'], env: Options['env'] = {}): Promise<FilesHost> =>
    open({ media: { check }, ...(env === undefined ? {} : { env }) });

  test('sees the bytes under the names that the client gave', async () => {
    const seen: unknown[] = [];
    const host = await checking((path, filename, contentType) => {
      seen.push(filename, contentType, path.startsWith(host.folder));
      return Promise.resolve(sound);
    });
    const { owner, id } = await uploaded(host, 'talk.mp3');
    await host.tasks.checkFile(id, never);
    expect(seen).toEqual(['talk.mp3', 'audio/mpeg', true]);
    expect(await host.files.get(owner, id, 0)).toMatchObject({
      status: 'ready',
      contentType: 'audio/wav',
      format: 'wav',
      durationSeconds: 12.5,
      hasVideo: false,
      hasAudio: true,
      media: sound.media,
      error: null,
    });
    await host.tasks.checkFile(id, never);
    await host.tasks.checkFile('file_none', never);
    expect(seen).toHaveLength(3);
  });

  test('a bad file becomes invalid, says why, and its bytes go', async () => {
    const error = { code: 'unsupported_format', message: 'Expected audio or video but received a picture' } as const;
    const host = await checking(() => Promise.resolve({ ok: false, error }));
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    expect(await host.files.get(owner, id, 0)).toMatchObject({ status: 'invalid', error, objectKey: null });
    await expect(host.files.downloadLink(owner, id)).rejects.toMatchObject({
      code: 'file_invalid',
      message: expect.stringContaining(error.message),
    });
    expect(host.onDisk()).toEqual([]);
  });

  test('a file that is too long is invalid', async () => {
    const host = await checking(() => Promise.resolve({ ...sound, durationSeconds: 12.6 }), {
      EARSHOT_MAX_SECONDS: '12.5',
    });
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    expect((await host.files.get(owner, id, 0)).error).toEqual({
      code: 'file_too_long',
      message: 'Expected at most 12.5 s but the file is 13 s long',
    });
    const just = await checking(() => Promise.resolve(sound), { EARSHOT_MAX_SECONDS: '12.5' });
    const other = await uploaded(just);
    await just.tasks.checkFile(other.id, never);
    expect((await just.files.get(other.owner, other.id, 0)).status).toBe('ready');
  });

  test('trouble of ours is tried again once, and then ends too', async () => {
    let calls = 0;
    const passing = await checking(() => (calls++ === 0 ? Promise.reject(new Error('EIO')) : Promise.resolve(sound)));
    const first = await uploaded(passing);
    await passing.tasks.checkFile(first.id, never);
    expect((await passing.files.get(first.owner, first.id, 0)).status).toBe('ready');
    const lasting = await checking(() =>
      Promise.reject(new EarshotError('internal_error', 'crashed at /secret/path', { details: { crashed: true } })),
    );
    const second = await uploaded(lasting);
    await lasting.tasks.checkFile(second.id, never);
    const { status, error } = await lasting.files.get(second.owner, second.id, 0);
    expect([status, error?.code]).toEqual(['invalid', 'internal_error']);
    expect(error?.message).not.toContain('secret');
  });

  test('a shutdown leaves the file to the next delivery', async () => {
    const host = await checking(
      (_path, _name, _type, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new AbortError()))),
    );
    const { owner, id } = await uploaded(host);
    const shutdown = new AbortController();
    setTimeout(() => shutdown.abort(), 30);
    await expect(host.tasks.checkFile(id, shutdown.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect((await host.files.get(owner, id, 0)).status).toBe('processing');
  });

  test('a file that is deleted meanwhile stays deleted', async () => {
    const host = await checking(async () => {
      await host.files.remove(owner, id);
      return sound;
    });
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    expect((await host.files.get(owner, id, 0)).status).toBe('deleted');
    expect(host.onDisk()).toEqual([]);
  });
});

describe('importing', () => {
  /** Answers by path; counts what is fetched at the same time. */
  function fakeLinks(
    answer: (path: string) => Partial<FetchedLink> & { body: Readable },
  ): LinkFetcher & { readonly fetched: string[]; most: number } {
    let current = 0;
    const links = {
      fetched: [] as string[],
      most: 0,
      check: createLinkFetcher().check,
      async fetch(url: URL, { signal }: { signal: AbortSignal }) {
        links.fetched.push(url.pathname);
        links.most = Math.max(links.most, (current += 1));
        const fetched = { filename: null, contentType: null, sizeBytes: null, ...answer(url.pathname) };
        fetched.body.once('close', () => (current -= 1));
        fetched.body.on('error', () => {});
        signal.addEventListener('abort', () => fetched.body.destroy(new AbortError()));
        return await Promise.resolve(fetched);
      },
    };
    return links;
  }
  const broken = (): Readable =>
    new Readable({
      read() {
        this.destroy(new EarshotError('fetch_failed', 'It broke'));
      },
    });
  const small = (): { body: Readable } => ({ body: Readable.from([Buffer.from('abc')]) });

  test('through the queue: the request answers the checked file; the link is forgotten', async () => {
    const bytes = numbered(500_000);
    const server = await startLinkServer((_request, response) =>
      response
        .writeHead(200, { 'content-disposition': 'attachment; filename="talk.mp3"', 'content-type': 'audio/mpeg' })
        .end(bytes),
    );
    const host = await openAlone({ links: createLinkFetcher({ network: server.network }) });
    await host.stores.queue.work('import', 1, host.tasks.importFile);
    await host.stores.queue.work('check', 1, host.tasks.checkFile);
    const owner = await host.account();
    const file = await host.files.importLink(owner, { url: 'https://media.example.com/x?token=secret' });
    await server.close();
    expect(file).toMatchObject({
      status: 'ready',
      kind: 'original',
      filename: 'talk.mp3',
      sizeBytes: bytes.length,
      sha256: sha256(bytes),
      durationSeconds: 12.5,
    });
    expect(JSON.stringify(file)).not.toContain('secret');
    expect((await buffer(await host.objects.read(file.objectKey ?? ''))).equals(bytes)).toBe(true);
    expect((await host.files.importLink(owner, { url: 'https://media.example.com/x?token=secret' })).id).toBe(file.id);
    expect(
      (await host.files.importLink(owner, { url: 'https://media.example.com/other', filename: '../mine.wav' }))
        .filename,
    ).toBe('mine.wav');
    await host.stores.queue.stop(0);
  });

  test(
    'the same link within an hour is the same file, also for two at once; later, after a failure and for ' +
      'others it is not',
    async () => {
      const links = fakeLinks((path) => (path === '/bad' ? { body: broken() } : small()));
      const host = await openAlone({ links });
      await host.stores.queue.work('import', 4, host.tasks.importFile);
      await host.stores.queue.work('check', 4, host.tasks.checkFile);
      const owner = await host.account();
      const ask = (path: string, account = owner) =>
        host.files.importLink(account, { url: `https://media.example.com${path}` });
      const both = await Promise.all([ask('/a'), ask('/a'), ask('/a#t=1')]);
      expect(new Set(both.map(({ id }) => id)).size).toBe(1);
      expect((await ask('/a', await host.account())).id).not.toBe(both[0].id);
      const failed = await ask('/bad');
      expect(failed).toMatchObject({ status: 'invalid', error: { code: 'fetch_failed', message: 'It broke' } });
      expect((await ask('/bad')).id).not.toBe(failed.id);
      await host.files.remove(owner, both[0].id);
      const again = await ask('/a');
      expect(again.id).not.toBe(both[0].id);
      expect(again.status).toBe('ready');
      host.passSeconds(3601);
      expect((await ask('/a')).id).not.toBe(again.id);
      await host.stores.queue.stop(0);
    },
  );

  test('one at a time for each account, in order; other accounts do not wait', async () => {
    const bodies = new Map<string, Readable>();
    const links = fakeLinks((path) => {
      const body = stuckAfter(Buffer.from('abc'));
      bodies.set(path, body);
      return { body };
    });
    const host = await openAlone({ links });
    await host.stores.queue.work('import', 2, host.tasks.importFile);
    const [one, other] = [await host.account(), await host.account()];
    const first = ['/1', '/2', '/3', '/4'].map((path) =>
      host.files.importLink(one, { url: `https://media.example.com${path}` }),
    );
    await until('the first is fetched', () => links.fetched.length === 1);
    const second = host.files.importLink(other, { url: 'https://media.example.com/other' });
    await until('the other account is served', () => links.fetched.includes('/other'));
    expect(links.most).toBe(2);
    const end = (path: string): void => (bodies.get(path) as Readable & { end(): void }).end();
    end('/other');
    for (let count = 0; count < 4; count += 1) {
      const own = (): string[] => links.fetched.filter((path) => path !== '/other');
      await until('the next of the first account is fetched', () => own().length === count + 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(own()).toHaveLength(count + 1);
      end(own()[count] ?? '');
    }
    await host.stores.queue.work('check', 1, host.tasks.checkFile);
    for (const file of await Promise.all([...first, second])) expect(file.status).toBe('ready');
    expect(links.most).toBe(2);
    await host.stores.queue.stop(0);
  });

  test.each([
    [
      'fetch_failed',
      () => Promise.reject(new EarshotError('fetch_failed', 'Could not fetch the link from x: it answered 404')),
    ],
    [
      'file_too_large',
      () =>
        Promise.resolve({
          body: Readable.from([Buffer.alloc(2000)]),
          filename: null,
          contentType: null,
          sizeBytes: null,
        }),
    ],
    ['internal_error', () => Promise.reject(new Error('EIO /secret'))],
  ] as const)('%s ends in an invalid file', async (code, fetch) => {
    const host = await open({
      links: { check: (url) => new URL(url), fetch },
      env: { EARSHOT_MAX_FILE_BYTES: '1000' },
    });
    const owner = await host.account();
    const importing = host.files.importLink(owner, { url: 'https://media.example.com/a.wav' });
    await until(
      'the file is there',
      async () => (await host.files.list(owner, { kind: null }, { cursor: null, limit: 1 })).items.length === 1,
    );
    const id = (await host.files.list(owner, { kind: null }, { cursor: null, limit: 1 })).items[0]?.id ?? '';
    await host.tasks.importFile(id, never);
    const file = await importing;
    expect(file).toMatchObject({ status: 'invalid', error: { code } });
    expect(file.error?.message).not.toContain('secret');
    expect(host.onDisk()).toEqual([]);
  });

  test('takes no longer than allowed; a shutdown leaves it to the next delivery; deleting ends it', async () => {
    const links = fakeLinks(() => ({ body: stuckAfter(Buffer.from('abc')) }));
    const host = await open({ links, env: { EARSHOT_IMPORT_SECONDS: '3' } });
    const begin = async (path: string): Promise<{ owner: Account; id: string }> => {
      const owner = await host.account();
      void host.files.importLink(owner, { url: `https://media.example.com${path}` }).catch(() => {});
      await until(
        'the file is there',
        async () => (await host.files.list(owner, { kind: null }, { cursor: null, limit: 1 })).items.length === 1,
      );
      return {
        owner,
        id: (await host.files.list(owner, { kind: null }, { cursor: null, limit: 1 })).items[0]?.id ?? '',
      };
    };
    const [slow, shut, unwanted] = [await begin('/slow'), await begin('/shut'), await begin('/unwanted')];
    const shutdown = new AbortController();
    setTimeout(() => shutdown.abort(), 100);
    setTimeout(() => void host.files.abort(unwanted.owner, unwanted.id), 100);
    const tooSlow = host.tasks.importFile(slow.id, never);
    await Promise.all([
      expect(host.tasks.importFile(shut.id, shutdown.signal)).rejects.toMatchObject({ name: 'AbortError' }),
      host.tasks.importFile(unwanted.id, never),
    ]);
    expect((await host.files.get(shut.owner, shut.id, 0)).status).toBe('processing');
    expect((await host.files.get(unwanted.owner, unwanted.id, 0)).status).toBe('deleted');
    await tooSlow;
    expect((await host.files.get(slow.owner, slow.id, 0)).error).toEqual({
      code: 'fetch_failed',
      message: 'Fetching the link took longer than 3 s',
    });
    await until('nothing is left', () => host.onDisk().length === 0);
  });

  test('a link that is not public is refused before anything is made', async () => {
    const host = await open({ links: createLinkFetcher() });
    const owner = await host.account();
    await expect(host.files.importLink(owner, { url: 'http://media.example.com/' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect((await host.files.list(owner, { kind: null }, { cursor: null, limit: 1 })).items).toEqual([]);
  });
});

describe('peaks', () => {
  const ready = async (
    opener = open,
    options: Options = {},
  ): Promise<
    FilesHost & {
      owner: Account;
      id: string;
      ask(wanted?: Partial<Parameters<FilesHost['peaks']['get']>[2]>): ReturnType<FilesHost['peaks']['get']>;
    }
  > => {
    const host = await opener(options);
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    return {
      ...host,
      owner,
      id,
      ask: (wanted) => host.peaks.get(owner, id, { waitSeconds: 0, level: null, first: 0, count: 4096, ...wanted }),
    };
  };

  test('are begun by the first request, waited for, and read in windows', async () => {
    const { ask, tasks, id, stores } = await ready(openAlone);
    const processing = { fileId: id, status: 'processing', durationSeconds: null, peak: null, levels: [], bins: null };
    expect(await ask()).toEqual(processing);
    expect(await ask({ level: 5 })).toEqual(processing);
    expect(await stores.queue.depth()).toMatchObject({ peaks: 1 });
    const waiting = ask({ waitSeconds: 20 });
    await tasks.makePeaks(id, never);
    expect(await waiting).toEqual({
      fileId: id,
      status: 'ready',
      durationSeconds: 12.5,
      peak: 0.5,
      levels: [
        { perSecond: 5, count: 63 },
        { perSecond: 50, count: 625 },
        { perSecond: 500, count: 6250 },
      ],
      bins: null,
    });
    for (const [level, first, count, offset, there] of [
      [5, 0, 4096, 0, 63],
      [5, 62, 1, 124, 1],
      [50, 0, 4096, 126, 625],
      [500, 100, 200, 1576, 200],
      [500, 6249, 16_384, 1376 + 12_498, 1],
    ] as const) {
      const { bins: window } = await ask({ level, first, count });
      expect(window).toMatchObject({ level, first, count: there });
      expect(window?.data.equals(bins.subarray(offset, offset + 2 * there))).toBe(true);
    }
    expect((await ask({ level: 5, first: 63, count: 1 })).bins).toEqual({
      level: 5,
      first: 63,
      count: 0,
      data: Buffer.alloc(0),
    });
    expect((await ask({ level: 5, first: 1_000_000, count: 1 })).bins?.count).toBe(0);
    await tasks.makePeaks(id, never);
    expect((await ask()).status).toBe('ready');
  });

  test('made twice at once are kept once, and go with the file', async () => {
    const { ask, tasks, id, owner, files, onDisk } = await ready();
    await ask();
    await Promise.all([tasks.makePeaks(id, never), tasks.makePeaks(id, never)]);
    expect((await ask({ level: 5 })).bins?.data.equals(bins.subarray(0, 126))).toBe(true);
    expect(onDisk().filter((path) => path.includes('peaks'))).toHaveLength(1);
    await files.remove(owner, id);
    expect(onDisk()).toEqual([]);
    await expect(ask()).rejects.toMatchObject({ code: 'file_expired' });
  });

  test('none without sound', async () => {
    const { ask, tasks, id } = await ready(open, { media: { peaks: () => Promise.resolve(null) } });
    await ask();
    await tasks.makePeaks(id, never);
    expect(await ask({ level: 50 })).toEqual({
      fileId: id,
      status: 'none',
      durationSeconds: null,
      peak: null,
      levels: [],
      bins: null,
    });
  });

  test('that cannot be made are an error, and the next request tries anew', async () => {
    let calls = 0;
    const { ask, tasks, id, onDisk } = await ready(open, {
      media: { peaks: () => Promise.reject(new Error(`crash ${(calls += 1)}`)) },
    });
    const waiting = expect(ask({ waitSeconds: 20 })).rejects.toMatchObject({ code: 'internal_error', retryable: true });
    await until('it was asked for', async () => (await ask()).status === 'processing');
    await tasks.makePeaks(id, never);
    await waiting;
    expect(calls).toBe(2);
    expect((await ask()).status).toBe('processing');
    expect(onDisk()).toHaveLength(1);
  });

  test('text has none, nor has a file that is not ready', async () => {
    const text = {
      ok: true,
      contentType: 'text/plain',
      format: 'txt',
      durationSeconds: null,
      hasVideo: false,
      hasAudio: false,
      media: null,
    } as const;
    const { ask } = await ready(open, { media: { check: () => Promise.resolve(text) } });
    await expect(ask()).rejects.toMatchObject({ code: 'wrong_file_type' });
    const host = await open();
    const { owner, id } = await uploaded(host);
    await expect(host.peaks.get(owner, id, { waitSeconds: 0, level: null, first: 0, count: 1 })).rejects.toMatchObject({
      code: 'file_not_ready',
    });
    await expect(
      host.peaks.get(await host.account(), id, { waitSeconds: 0, level: null, first: 0, count: 1 }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the sweeper', () => {
  test('deletes what has expired: bytes, waveform, parts under way, record', async () => {
    const host = await openAlone();
    const { owner, id } = await uploaded(host);
    await host.tasks.checkFile(id, never);
    await host.peaks.get(owner, id, { waitSeconds: 0, level: null, first: 0, count: 1 });
    await host.tasks.makePeaks(id, never);
    const { file, multipart } = await host.files.create(owner, { filename: 'a.wav', sizeBytes: 20_000_000 });
    await host.files.acceptPart(
      tokenOf(multipart?.completeUrl),
      2,
      Readable.from([Buffer.alloc(20_000_000 - 16 * 1024 * 1024)]),
      null,
      never,
    );
    expect(await host.tasks.sweep()).toEqual({ expired: 0, leftovers: 0 });
    expect(host.onDisk()).toHaveLength(4);
    const fresh = await uploaded(host);
    await host.stores.files.update(fresh.id, ['processing'], { expiresAt: new Date(Date.now() + 2 * 86_400_000) });
    host.passSeconds(86_401);
    expect(await host.tasks.sweep()).toMatchObject({ expired: 2 });
    expect(await host.stores.files.getMany([id, file.id])).toEqual([null, null]);
    expect((await host.stores.files.get(fresh.id))?.status).toBe('processing');
    expect(host.onDisk()).toHaveLength(1);
    await expect(host.files.get(owner, id, 0)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('clears what dead uploads and workers left once no link to them can work, and nothing else', async () => {
    const host = await openAlone({ env: { EARSHOT_UPLOAD_SECONDS: '600' } });
    const { id } = await uploaded(host);
    await host.objects.write('originals/unknown', Readable.from(['abc']), { maxBytes: 10 });
    await host.objects.writePart(
      { key: 'originals/dead', uploadId: await host.objects.beginUpload('originals/dead') },
      { number: 1, offsetBytes: 0, exactBytes: 3 },
      Readable.from(['abc']),
    );
    const drawing = join(host.folder, 'work', 'peaks-left');
    mkdirSync(drawing, { recursive: true });
    mkdirSync(join(host.folder, 'work', 'run-of-another'));
    const past = new Date(Date.now() - 86_400_000);
    for (const name of ['peaks-left', 'run-of-another']) utimesSync(join(host.folder, 'work', name), past, past);
    expect(await host.tasks.sweep()).toEqual({ expired: 0, leftovers: 1 });
    host.passSeconds(601 + 3600);
    expect(await host.tasks.sweep()).toEqual({ expired: 0, leftovers: 2 });
    expect(host.onDisk()).toHaveLength(1);
    expect((await host.stores.files.get(id))?.objectKey).toEqual(expect.any(String));
    expect(host.onDisk()[0]).toContain((await host.stores.files.get(id))?.objectKey);
  });
});
