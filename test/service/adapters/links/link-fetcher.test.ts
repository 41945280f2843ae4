import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import type { LinkOptions } from '../../../../src/service/adapters/links/link-requests.ts';
import type { LinkFetcher } from '../../../../src/service/rules/files/links.ts';
import { publicAddress, startLinkServer, type LinkServer } from '../../../fixtures/links/server.ts';

const servers: LinkServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  names: Parameters<typeof startLinkServer>[1] = {},
  options: LinkOptions = {},
): Promise<{ server: LinkServer; links: LinkFetcher }> {
  const server = await startLinkServer(handle, names);
  servers.push(server);
  return { server, links: createLinkFetcher({ network: server.network, ...options }) };
}
const media = new URL('https://media.example.com/sounds/a.mp3');
const options = { maxBytes: 1_000_000, signal: new AbortController().signal };
const sound = Buffer.from('not really a sound');

describe('a good link', () => {
  test('brings bytes, name, type and size, asking as a plain client does', async () => {
    let asked: IncomingMessage['headers'] = {};
    const { links, server } = await serve((request, response) => {
      asked = request.headers;
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': sound.length }).end(sound);
    });
    const fetched = await links.fetch(media, options);
    expect(fetched).toMatchObject({ filename: 'a.mp3', contentType: 'audio/mpeg', sizeBytes: sound.length });
    expect((await buffer(fetched.body)).equals(sound)).toBe(true);
    expect(asked).toMatchObject({ host: 'media.example.com', 'accept-encoding': 'identity' });
    expect(server.network.dialled).toEqual([[publicAddress]]);
  });

  test('a literal public address is connected to as it is, its certificate checked against it', async () => {
    const { links, server } = await serve((_request, response) => response.end(sound));
    const fetched = await links.fetch(new URL(`https://${publicAddress}/x`), options);
    expect((await buffer(fetched.body)).equals(sound)).toBe(true);
    expect(server.network.resolved).toEqual([]);
    await expect(links.fetch(new URL('https://93.184.215.15/x'), options)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('certificate'),
    });
  });

  test.each([
    ["attachment; filename*=UTF-8''%C3%A4%20b.wav", '/x', 'ä b.wav'],
    ['attachment; filename="../../etc/pass\\"wd.mp3"', '/x', 'pass"wd.mp3'],
    ['attachment; filename="C:\\\\music\\\\a.wav"', '/x', 'a.wav'],
    ['attachment', '/p/one%20two.flac', 'one two.flac'],
    ['nonsense;;;==', '/p/a.ogg?x=/b', 'a.ogg'],
    [undefined, '/', null],
    [undefined, '/%E0%A4%A', '%E0%A4%A'],
    [undefined, '/..%2F', null],
    [undefined, `/${'a'.repeat(300)}.mp3`, `${'a'.repeat(251)}.mp3`],
  ])('names the file by %j and %j', async (disposition, path, filename) => {
    const { links } = await serve((_request, response) =>
      response.writeHead(200, disposition === undefined ? {} : { 'content-disposition': disposition }).end(sound),
    );
    const fetched = await links.fetch(new URL(path, media), options);
    fetched.body.destroy();
    expect(fetched.filename).toBe(filename);
  });
});

describe('redirects', () => {
  const redirecting =
    (targets: Readonly<Record<string, string>>) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const target = targets[`${request.headers.host}${request.url}`];
      if (target === undefined) response.end(sound);
      else response.writeHead(302, { location: target }).end('moved');
    };

  test('are followed to other hosts and relative paths, each resolved and judged; the name is the last one', async () => {
    const { links, server } = await serve(
      redirecting({
        'media.example.com/sounds/a.mp3': '../b',
        'media.example.com/b': 'https://other.example.com/c.wav',
      }),
    );
    const fetched = await links.fetch(media, options);
    expect(fetched.filename).toBe('c.wav');
    expect((await buffer(fetched.body)).equals(sound)).toBe(true);
    expect(server.network.resolved).toEqual(['media.example.com', 'media.example.com', 'other.example.com']);
  });

  test.each([
    ['https://127.0.0.1/'],
    ['https://[::1]/'],
    ['https://2130706433/'],
    ['https://169.254.169.254/latest/meta-data/'],
    ['http://media.example.com/'],
    ['https://x:y@media.example.com/'],
    ['https://media.example.com:6379/'],
    ['//10.0.0.1/'],
    ['file:///etc/passwd'],
    ['https://localhost/'],
  ])('to %s stop there, nothing is connected to', async (target) => {
    const { links, server } = await serve(redirecting({ 'media.example.com/sounds/a.mp3': target }));
    await expect(links.fetch(media, options)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      message: expect.stringMatching(/media\.example\.com.*redirects/),
    });
    expect(server.network.dialled.length).toBe(1);
  });

  test('to a name that leads inside stop at that hop', async () => {
    const { links, server } = await serve(
      redirecting({ 'media.example.com/sounds/a.mp3': 'https://inner.hop.example.com/' }),
      { 'inner.hop.example.com': ['192.168.1.7'] },
    );
    const failure = await links.fetch(media, options).catch((thrown: unknown) => thrown as Error);
    expect(failure).toMatchObject({
      code: 'fetch_failed',
      message: 'Could not fetch the link from inner.hop.example.com: its name does not resolve to a public address',
    });
    expect(JSON.stringify(failure)).not.toContain('192.168');
    expect(server.network.dialled.length).toBe(1);
  });

  test('end after five', async () => {
    const chain = (length: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length }, (_, hop) => [`media.example.com/${hop}`, `/${hop + 1}`]));
    const five = await serve(redirecting(chain(5)));
    (await five.links.fetch(new URL('/0', media), options)).body.destroy();
    const six = await serve(redirecting(chain(6)));
    await expect(six.links.fetch(new URL('/0', media), options)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('more than 5'),
    });
  });
});

describe('addresses', () => {
  test.each([
    [['10.0.0.1']],
    [['127.0.0.1']],
    [[publicAddress, '127.0.0.1']],
    [['::ffff:10.0.0.1']],
    [['fd00::1', publicAddress]],
    [[]],
  ])('a name that leads to %j is refused before anything is sent', async (addresses) => {
    const { links, server } = await serve((_request, response) => response.end(sound), {
      'media.example.com': addresses,
    });
    await expect(links.fetch(media, options)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('does not resolve to a public address'),
    });
    expect(server.network.dialled).toEqual([]);
  });

  test('rebinding: the name is asked once a hop, and what was judged is what is dialled', async () => {
    let asked = 0;
    const { links, server } = await serve((_request, response) => response.end(sound), {
      'media.example.com': () => (asked++ === 0 ? [publicAddress] : ['127.0.0.1']),
    });
    expect((await buffer((await links.fetch(media, options)).body)).equals(sound)).toBe(true);
    expect(asked).toBe(1);
    expect(server.network.dialled).toEqual([[publicAddress]]);
    await expect(links.fetch(media, options)).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  test('a name that does not exist and one that leads inside sound the same', async () => {
    const { server } = await serve((_request, response) => response.end(sound), { 'inner.example.com': ['10.0.0.1'] });
    const links = createLinkFetcher({
      network: {
        ...server.network,
        resolve: (host) =>
          host === 'none.example.com'
            ? Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))
            : server.network.resolve(host),
      },
    });
    const messages = await Promise.all(
      ['none', 'inner'].map((name) =>
        links
          .fetch(new URL(`https://${name}.example.com/`), options)
          .catch((thrown: unknown) => (thrown as Error).message.replace(name, '')),
      ),
    );
    expect(messages[0]).toBe(messages[1]);
  });

  test('fetch judges again: a URL that never went through check is refused', async () => {
    const { links, server } = await serve((_request, response) => response.end(sound));
    await expect(links.fetch(new URL('https://127.0.0.1/'), options)).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(server.network.dialled).toEqual([]);
  });

  test('other ports only where they are allowed', async () => {
    const { links } = await serve((_request, response) => response.end(sound), {}, { ports: [443, 8443] });
    expect(links.check('https://media.example.com:8443/x').port).toBe('8443');
    (await links.fetch(new URL('https://media.example.com:8443/x'), options)).body.destroy();
  });
});

describe('bad servers', () => {
  test('an untrusted certificate, one of another host, and no TLS at all', async () => {
    const { server } = await serve((_request, response) => response.end(sound));
    const { trust: _trust, ...untrusting } = server.network;
    await expect(createLinkFetcher({ network: untrusting }).fetch(media, options)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      message: expect.stringMatching(/certificate is not valid \(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
    });
    await expect(
      createLinkFetcher({ network: server.network }).fetch(new URL('https://stranger.example.com/'), options),
    ).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/certificate is not valid \(ERR_TLS_CERT_ALTNAME_INVALID\)/),
    });
    const plain = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { connect } = await import('node:net');
    const toPlain = { ...server.network, dial: () => connect((plain.address() as AddressInfo).port, '127.0.0.1') };
    await expect(createLinkFetcher({ network: toPlain }).fetch(media, options)).rejects.toMatchObject({
      code: 'fetch_failed',
    });
    plain.close();
    const toNobody = {
      ...server.network,
      dial: () => connect((plain.address() as AddressInfo | null)?.port ?? 1, '127.0.0.1'),
    };
    await expect(createLinkFetcher({ network: toNobody }).fetch(media, options)).rejects.toMatchObject({
      retryable: true,
      message: 'Could not fetch the link from media.example.com: it refused the connection',
    });
  });

  test.each([
    [404, false],
    [500, true],
    [429, true],
    [408, true],
    [425, true],
    [206, false],
    [204, false],
  ])('status %i', async (status, retryable) => {
    const { links } = await serve((_request, response) => response.writeHead(status).end());
    await expect(links.fetch(media, options)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable,
      message: `Could not fetch the link from media.example.com: it responded with status ${status}`,
    });
  });

  test('too large, announced or not', async () => {
    const announced = await serve((_request, response) =>
      response.writeHead(200, { 'content-length': 2_000_000 }).end(Buffer.alloc(2_000_000)),
    );
    await expect(announced.links.fetch(media, options)).rejects.toMatchObject({ code: 'file_too_large' });
    const endless = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const fetched = await endless.links.fetch(media, options);
    expect(fetched.sizeBytes).toBeNull();
    let received = 0;
    await expect(
      (async () => {
        for await (const chunk of fetched.body as AsyncIterable<Buffer>) received += chunk.length;
      })(),
    ).rejects.toMatchObject({ code: 'file_too_large' });
    expect(received).toBeLessThanOrEqual(1_000_000);
  });

  test.each([[{ 'content-length': '1000' }], [{ 'transfer-encoding': 'chunked' }]])(
    'a body that is cut off (%j) is no file',
    async (headers) => {
      const { links } = await serve((_request, response) => {
        response.writeHead(200, headers).write('half of it');
        setTimeout(() => response.socket?.destroy(), 50);
      });
      const fetched = await links.fetch(media, options);
      await expect(buffer(fetched.body)).rejects.toMatchObject({
        code: 'fetch_failed',
        message: 'Could not fetch the link from media.example.com: the connection was closed',
      });
    },
  );

  test('compressed content', async () => {
    const { links } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    );
    await expect(links.fetch(media, options)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('compressed'),
    });
  });

  test('slow ones: no head, no more body, in all too long, no answer from the name server', async () => {
    const silent = await serve(() => {}, {}, { timeouts: { headersMs: 200 } });
    await expect(silent.links.fetch(media, options)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('did not respond in time'),
    });
    const stuck = await serve(
      (_request, response) => void response.writeHead(200).write('a'),
      {},
      { timeouts: { idleMs: 200 } },
    );
    await expect(buffer((await stuck.links.fetch(media, options)).body)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('stopped sending'),
    });
    const dripping = await serve(
      (_request, response) => {
        const timer = setInterval(() => response.write('a'), 20);
        response.on('close', () => clearInterval(timer));
      },
      {},
      { timeouts: { totalMs: 300 } },
    );
    await expect(buffer((await dripping.links.fetch(media, options)).body)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('longer than 0.3 s'),
    });
    const nameless = createLinkFetcher({
      network: { ...silent.server.network, resolve: () => new Promise(() => {}) },
      timeouts: { connectMs: 100 },
    });
    await expect(nameless.fetch(media, options)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('could not be resolved'),
    });
  });

  test("a caller's abort is an AbortError, while connecting and while reading", async () => {
    const { links } = await serve((request, response) => {
      if (request.url !== '/silent') response.writeHead(200).write('a');
    });
    const first = new AbortController();
    setTimeout(() => first.abort(), 50);
    await expect(links.fetch(new URL('/silent', media), { ...options, signal: first.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    const second = new AbortController();
    const fetched = await links.fetch(media, { ...options, signal: second.signal });
    setTimeout(() => second.abort(), 50);
    await expect(buffer(fetched.body)).rejects.toMatchObject({ name: 'AbortError' });
    await expect(links.fetch(media, { ...options, signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  test('dropping the body closes the connection', async () => {
    let closed: () => void;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { links } = await serve((request, response) => {
      request.socket.on('close', () => closed());
      response.writeHead(200).write('a');
    });
    (await links.fetch(media, options)).body.destroy();
    await gone;
  });
});
