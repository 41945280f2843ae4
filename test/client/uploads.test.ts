// Uploads over lines that break, to services that are busy or wrong: what has arrived stays.
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/client.ts';
import { startUploadServer, type Trouble, type UploadServer, type UploadServerOptions } from './upload-server.ts';
import { slow } from '../fixtures/rounds.ts';

let server: UploadServer | undefined;
afterEach(() => server?.close());

async function play(
  options: UploadServerOptions,
  settings: ClientOptions = {},
): Promise<{ readonly server: UploadServer; readonly client: Client }> {
  server = await startUploadServer(options);
  return { server, client: createClient({ baseUrl: server.base, apiKey: 'svc_sk_test', ...settings }) };
}

const partSizeBytes = 100_000;
const bytes = Uint8Array.from({ length: 450_000 }, (_, at) => (at * 7 + (at >> 8)) & 255);
const blob = new Blob([bytes]);
const parted = { sizeBytes: bytes.length, partSizeBytes };
const filename = 'talk.wav';
const same = (found: Uint8Array): boolean => Buffer.from(bytes).equals(found);
/** A part of which so many attempts are cut off in the middle. */
const cut =
  (cutPart: number, times: number) =>
  (part: number, attempt: number): Trouble =>
    part === cutPart && attempt <= times ? { cutAfterBytes: 20_000 } : null;
const streamOf = (whole: Uint8Array<ArrayBuffer>, pieceBytes = 33_333): ReadableStream<Uint8Array> => {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= whole.length) return controller.close();
      controller.enqueue(whole.slice(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
};
/** Attempts at each of five parts. */
const attemptsOf = (of: (part: number) => number): Record<number, number> =>
  Object.fromEntries([1, 2, 3, 4, 5].map((part) => [part, of(part)]));
const failure = (call: Promise<unknown>): Promise<Error & { readonly code: unknown }> =>
  call.then(
    () => expect.fail('expected an error'),
    (thrown: unknown) => thrown as Error & { readonly code: unknown },
  );

it('sends 80 MB of which one part is cut off, and only that part twice', slow, async () => {
  const size = 80_000_000;
  const partSize = 16 * 1024 * 1024;
  const onPart = (part: number, attempt: number): Trouble =>
    part === 5 && attempt === 1 ? { cutAfterBytes: 6_000_000 } : null;
  const { server, client } = await play({ sizeBytes: size, partSizeBytes: partSize, onPart });
  await client.upload(new Blob([new Uint8Array(size)]), { filename });
  expect(Object.fromEntries(server.attempts)).toEqual(attemptsOf((part) => (part === 5 ? 2 : 1)));
  expect(server.bytesReceived()).toBeGreaterThan(size);
  expect(server.bytesReceived()).toBeLessThan(size + partSize);
});

describe('a connection that is cut', () => {
  it.each([
    ['a Blob', () => blob],
    ['bytes', () => bytes],
    ['a stream', () => streamOf(bytes)],
  ])('in a part of %s: that part is sent again', async (_, source) => {
    const { server, client } = await play({ ...parted, onPart: cut(3, 2) });
    const file = await client.upload(source(), { filename, sizeBytes: bytes.length });
    expect([file.status, same(server.whole())]).toEqual(['ready', true]);
    expect(Object.fromEntries(server.attempts)).toEqual(attemptsOf((part) => (part === 3 ? 3 : 1)));
  });

  it('in the one PUT of a small file', async () => {
    const { server, client } = await play({ sizeBytes: bytes.length, onPart: cut(0, 1) });
    await client.upload(blob, { filename });
    expect([same(server.whole()), server.attempts.get(0)]).toEqual([true, 2]);
  });

  it('is waited for longer each time', slow, async () => {
    const { server, client } = await play({ ...parted, onPart: cut(5, 3) });
    await client.upload(blob, { filename });
    const times = server.times.get(5) ?? [];
    const pauses = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    // 0.3, 0.6 and 1.2 s, each at least by half.
    for (const [at, least] of [150, 300, 600].entries()) expect(pauses[at]).toBeGreaterThan(least - 5);
  });

  it('for good is an error that says how to go on, and nothing is given up', async () => {
    const { server, client } = await play({ ...parted, onPart: cut(4, 2) }, { attempts: 2 });
    const error = await failure(client.upload(blob, { filename, partsAtOnce: 1 }));
    expect(error).toMatchObject({ name: 'ConnectionError', code: 'connection' });
    expect(error.message).toContain(`idempotencyKey "${server.keys[0]}" to go on`);
    expect(server.requests.filter((request) => request.includes('abort'))).toEqual([]);
    // The same Blob goes on by itself.
    const sent: number[] = [];
    const file = await client.upload(blob, { filename, onProgress: ({ sentBytes }) => sent.push(sentBytes) });
    expect([file.status, same(server.whole())]).toEqual(['ready', true]);
    expect(Object.fromEntries(server.attempts)).toEqual(attemptsOf((part) => (part === 4 ? 3 : 1)));
    expect(sent.find((each) => each > 0)).toBeGreaterThanOrEqual(3 * partSizeBytes);
    expect(server.keys).toEqual([server.keys[0], server.keys[0]]);
  });

  it('goes on in another process by its key, also with a new stream', async () => {
    const { server, client } = await play({ ...parted, onPart: cut(4, 1) }, { attempts: 1 });
    const options = { filename, sizeBytes: bytes.length, idempotencyKey: 'talk of monday', partsAtOnce: 1 };
    await failure(client.upload(streamOf(bytes), options));
    const other = createClient({ baseUrl: server.base });
    await other.upload(streamOf(bytes, 70_001), options);
    expect(Object.fromEntries(server.attempts)).toEqual(attemptsOf((part) => (part === 4 ? 2 : 1)));
    expect(same(server.whole())).toBe(true);
  });

  it('in the answer to the one PUT: what has arrived is not an error', async () => {
    let puts = 0;
    const { client } = await play({
      sizeBytes: bytes.length,
      onPart: (_part, attempt) => {
        puts = attempt;
        return attempt === 1 ? { cutAfterBytes: bytes.length } : { status: 409, code: 'conflict' };
      },
      fileStatus: 'ready',
    });
    expect(await client.upload(blob, { filename })).toMatchObject({ status: 'ready' });
    expect(puts).toBe(2);
  });
});

describe('a service that is busy', () => {
  it.each([
    [503, 'tool_unavailable'],
    [429, 'upload_limit_reached'],
  ])('and answers %i is asked again after the seconds of Retry-After', slow, async (status, code) => {
    const { server, client } = await play({
      ...parted,
      onPart: (part, attempt) => (part === 2 && attempt === 1 ? { status, code, retryAfter: '1' } : null),
    });
    await client.upload(blob, { filename });
    const [first = 0, second = 0] = server.times.get(2) ?? [];
    expect(second - first).toBeGreaterThan(990);
    expect(same(server.whole())).toBe(true);
  });

  it('for longer than is waited for keeps what has arrived', async () => {
    const onPart = (part: number, attempt: number): Trouble =>
      part === 3 && attempt === 1 ? { status: 503, code: 'tool_unavailable', retryAfter: '3600' } : null;
    const { server, client } = await play({ ...parted, onPart });
    expect(await failure(client.upload(blob, { filename }))).toMatchObject({ code: 'tool_unavailable' });
    expect(server.requests.filter((request) => request.includes('abort'))).toEqual([]);
    await client.upload(blob, { filename });
    expect([same(server.whole()), server.attempts.get(1)]).toEqual([true, 1]);
  });

  it('and refuses for good: the upload ends there too', async () => {
    const onPart = (part: number): Trouble => (part === 2 ? { status: 413, code: 'file_too_large' } : null);
    const { server, client } = await play({ ...parted, onPart });
    expect(await failure(client.upload(blob, { filename }))).toMatchObject({ code: 'file_too_large', status: 413 });
    expect(server.requests.filter((request) => request.includes('abort'))).toHaveLength(1);
  });
});

describe('a service that is wrong about parts', () => {
  it('and has lost one gets it again', async () => {
    let asked = 0;
    const { server, client } = await play({
      ...parted,
      missing(really) {
        asked += 1;
        return asked === 1 ? [2] : really;
      },
    });
    await client.upload(blob, { filename });
    expect([server.attempts.get(2), server.attempts.get(1), same(server.whole())]).toEqual([2, 1, true]);
  });

  it('and always misses the same ends the upload after three rounds', async () => {
    const { server, client } = await play({ ...parted, missing: () => [2, 4] });
    const error = await failure(client.upload(blob, { filename }));
    expect(error).toMatchObject({ code: 'unexpected_answer' });
    expect(error.message).toBe('Sent all parts 3 times, but the service says that it misses 2, 4');
    expect([server.attempts.get(2), server.attempts.get(1)]).toEqual([3, 1]);
  });

  it.each([[[]], [[0]], [[6]], [['2']], [[1.5]]])(
    'and misses %j, which are none of the file, is told so',
    async (list) => {
      const { client } = await play({ ...parted, missing: () => list, alwaysMissing: true });
      const error = await failure(client.upload(blob, { filename }));
      expect(error.message).toMatch(/Expected details\.missingParts to list parts from 1 to 5 but received/);
    },
  );

  it('and has lost one of a stream says what to do', async () => {
    const { client } = await play({ ...parted, missing: () => [2] });
    const error = await failure(client.upload(streamOf(bytes), { filename, sizeBytes: bytes.length }));
    expect(error.message).toMatch(/it misses 2, and a stream cannot be read again. Call upload again/);
  });
});

it.each([
  ['more', bytes.length - 1, /has more/],
  ['fewer', bytes.length + 1, /ended after 450000/],
])('a stream of %s bytes than it was said to have is refused', async (_, sizeBytes, message) => {
  const { client } = await play({ sizeBytes, partSizeBytes });
  expect((await failure(client.upload(streamOf(bytes), { filename, sizeBytes }))).message).toMatch(message);
});

it('is told in bytes, and told again of what is sent again', async () => {
  const { client } = await play({ sizeBytes: bytes.length, onPart: cut(0, 1) });
  const sent: number[] = [];
  await client.upload(blob, { filename, onProgress: ({ sentBytes }) => sent.push(sentBytes) });
  expect([sent[0], sent.at(-1), Math.max(...sent)]).toEqual([0, bytes.length, bytes.length]);
  // 450,000 bytes in pieces of 65,536.
  expect(sent.length).toBeGreaterThanOrEqual(8);
  expect(sent.filter((each) => each === 0).length).toBe(2);
});

it('ends by its signal within a part', async () => {
  const { server, client } = await play(parted);
  const stop = new AbortController();
  const why = new Error('enough');
  const upload = client.upload(blob, {
    filename,
    signal: stop.signal,
    onProgress: ({ sentBytes }) => sentBytes > 0 && stop.abort(why),
  });
  expect(await failure(upload)).toBe(why);
  expect(server.requests.filter((request) => request.includes('abort'))).toHaveLength(1);
  expect(server.bytesReceived()).toBeLessThan(bytes.length);
});

it('a stream is read no faster than it is sent', async () => {
  const { client } = await play({ sizeBytes: 3_000_000, partSizeBytes });
  let [made, sentBytes, ahead] = [0, 0, 0];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (made >= 3_000_000) return controller.close();
      controller.enqueue(new Uint8Array(50_000));
      made += 50_000;
      ahead = Math.max(ahead, made - sentBytes);
    },
  });
  await client.upload(stream, {
    filename,
    sizeBytes: 3_000_000,
    partsAtOnce: 2,
    onProgress: (now) => void (sentBytes = now.sentBytes),
  });
  // Two parts that are being sent, one that is being read, and a piece in the stream.
  expect(ahead).toBeLessThanOrEqual(3 * partSizeBytes + 100_000);
});
