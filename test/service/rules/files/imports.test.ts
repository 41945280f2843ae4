import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { AbortError } from '../../../../src/library/core/abort.ts';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import type { FetchedLink, LinkFetcher } from '../../../../src/service/rules/files/links.ts';
import type { Account } from '../../../../src/service/rules/accounts/account.ts';
import { numbered, sha256, stuckAfter } from '../../../conformance/object-store.ts';
import { startLinkServer } from '../../../fixtures/links/server.ts';
import { until } from '../../../fixtures/until.ts';
import { never, useFilesHosts } from './host.ts';
import { slow } from '../../../fixtures/rounds.ts';

const { open, openAlone } = useFilesHosts();

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
    // A name that is given stays, whatever the server calls the file.
    expect(
      await host.files.importLink(owner, { url: 'https://media.example.com/other', filename: '../mine.wav' }),
    ).toMatchObject({ status: 'ready', filename: 'mine.wav' });
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

  test('one at a time for each account, in order; other accounts do not wait', slow, async () => {
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

  test('takes no longer than allowed; a shutdown leaves it to the next delivery; deleting ends it', slow, async () => {
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

  test('what is more than the account may keep is not kept', async () => {
    const links = fakeLinks(() => ({ body: Readable.from([Buffer.alloc(700)]) }));
    const host = await openAlone({ links, env: { EARSHOT_ACCOUNT_BYTES: '1000' } });
    const owner = await host.account();
    await host.stores.queue.work('import', 1, host.tasks.importFile);
    await host.stores.queue.work('check', 1, host.tasks.checkFile);
    const take = (path: string) => host.files.importLink(owner, { url: `https://media.example.com/${path}` });
    expect(await take('a.wav')).toMatchObject({ status: 'ready', sizeBytes: 700 });
    const over = await take('b.wav');
    expect(over).toMatchObject({ status: 'invalid', objectKey: null, error: { code: 'limit_exceeded' } });
    // What could not be kept counts no more.
    await host.files.remove(
      owner,
      (await host.files.list(owner, { kind: null }, { cursor: null, limit: 9 })).items.find(
        ({ status }) => status === 'ready',
      )?.id ?? '',
    );
    expect(await take('c.wav')).toMatchObject({ status: 'ready', sizeBytes: 700 });
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
