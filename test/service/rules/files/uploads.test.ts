import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { inPieces, numbered, sha256, stuckAfter } from '../../../conformance/object-store.ts';
import { until } from '../../../fixtures/until.ts';
import { never, tokenOf, type FilesHost, useFilesHosts } from './host.ts';

const { open } = useFilesHosts();

const mebibyte = 1024 * 1024;

describe('creating', () => {
  test('with name and size: one PUT up to 16 MiB, parts above; the ticket says where', async () => {
    const { files, account } = await open();
    const owner = await account();
    const small = await files.create(owner, { filename: 'a.wav', sizeBytes: 16 * mebibyte });
    expect(small.file).toMatchObject({
      status: 'awaiting_upload',
      kind: 'original',
      filename: 'a.wav',
      contentType: 'audio/wav',
      sizeBytes: 16 * mebibyte,
    });
    expect(small.multipart).toBeNull();
    expect(small.upload).toEqual({
      url: `${small.uploadPageUrl}/file`,
      headers: { 'Content-Type': 'audio/wav' },
      expiresAt: expect.any(Date),
    });
    expect(small.uploadPageUrl).toMatch(/^https:\/\/earshot\.example\/upload\/[\w.-]+$/);
    const large = await files.create(owner, {
      filename: 'a.mp4',
      sizeBytes: 16 * mebibyte + 1,
      contentType: 'video/mp4',
    });
    expect(large.upload).toBeNull();
    expect(large.multipart).toMatchObject({
      partSizeBytes: 16 * mebibyte,
      partCount: 2,
      partUrl: `${large.uploadPageUrl}/parts/{n}`,
      completeUrl: `${large.uploadPageUrl}/complete`,
    });
    expect(large.file.expiresAt.getTime() - large.file.createdAt.getTime()).toBeCloseTo(86_400_000, -4);
  });

  test('without: the file waits for its name, which it takes once', async () => {
    const { files, account } = await open();
    const owner = await account();
    for (const wanted of [{}, { filename: 'x.wav' }, { sizeBytes: 3 }])
      expect(await files.create(owner, wanted)).toMatchObject({ upload: null, multipart: null });
    const { file, uploadPageUrl } = await files.create(owner, {});
    await expect(files.acceptUpload(tokenOf(uploadPageUrl), Readable.from(['abc']), 3, never)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('no name and size'),
    });
    // Characters are counted as JSON Schema counts them, not in the halves of which JavaScript makes some.
    expect((await files.create(owner, { filename: '😀'.repeat(255) })).file.filename).toBe('😀'.repeat(255));
    const named = await files.name(owner, file.id, { filename: '../secret/ü.mp3', sizeBytes: 3 });
    expect(named).toMatchObject({
      file: { filename: 'ü.mp3', contentType: 'audio/mpeg', sizeBytes: 3 },
      upload: { headers: { 'Content-Type': 'audio/mpeg' } },
    });
    expect((await files.nameByToken(tokenOf(uploadPageUrl), { filename: 'ü.mp3', sizeBytes: 3 })).upload?.url).toBe(
      named.upload?.url,
    );
    await expect(files.name(owner, file.id, { filename: 'ü.mp3', sizeBytes: 4 })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await files.ticket(tokenOf(uploadPageUrl))).upload).toEqual(named.upload);
  });

  test('two who name it at once with different sizes do not both succeed', async () => {
    const { files, account } = await open();
    const owner = await account();
    const { file } = await files.create(owner, {});
    const outcomes = await Promise.allSettled(
      [3, 4, 5].map((sizeBytes) => files.name(owner, file.id, { filename: 'a.wav', sizeBytes })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('the same idempotency key answers the same file; with another request it is refused', async () => {
    const { files, account } = await open();
    const owner = await account();
    const wanted = { filename: 'a.wav', sizeBytes: 3, idempotencyKey: 'abcdefgh' };
    const [first, second] = await Promise.all([files.create(owner, wanted), files.create(owner, wanted)]);
    expect(second.file.id).toBe(first.file.id);
    await expect(files.create(owner, { ...wanted, sizeBytes: 4 })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect((await files.create(await account(), wanted)).file.id).not.toBe(first.file.id);
  });

  test.each([
    [{ filename: 'a', sizeBytes: 10_001 }, 'file_too_large'],
    [{ filename: 'a/', sizeBytes: 1 }, 'bad_request'],
    [{ filename: '..', sizeBytes: 1 }, 'bad_request'],
    [{ filename: '\u0001', sizeBytes: 1 }, 'bad_request'],
  ])('refuses %j', async (wanted, code) => {
    const { files, account } = await open({ env: { EARSHOT_MAX_FILE_BYTES: '10000' } });
    await expect(files.create(await account(), wanted)).rejects.toMatchObject({ code });
  });

  test("somebody else's file is none", async () => {
    const { files, account } = await open();
    const { file } = await files.create(await account(), { filename: 'a.wav', sizeBytes: 3 });
    const stranger = await account();
    for (const ask of [
      () => files.get(stranger, file.id, 0),
      () => files.remove(stranger, file.id),
      () => files.abort(stranger, file.id),
      () => files.downloadLink(stranger, file.id),
      () => files.name(stranger, file.id, { filename: 'a', sizeBytes: 1 }),
      () => files.get(stranger, 'file_none', 0),
    ]) {
      await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await files.list(stranger, { kind: null }, { cursor: null, limit: 10 })).items).toEqual([]);
  });
});

describe('one PUT', () => {
  test('stores the bytes, and the check is waiting in the queue', async () => {
    const { files, account, tasks, stores, objects, onDisk } = await open();
    const owner = await account();
    const bytes = numbered(300_000);
    const waitingBefore = (await stores.queue.depth()).check;
    const { file, upload } = await files.create(owner, { filename: 'a.wav', sizeBytes: bytes.length });
    const token = tokenOf(upload?.url);
    const uploaded = await files.acceptUpload(token, inPieces(bytes), null, never);
    expect(uploaded).toMatchObject({ id: file.id, status: 'processing', sha256: sha256(bytes) });
    expect((await stores.queue.depth()).check).toBe(waitingBefore + 1);
    expect((await buffer(await objects.read(uploaded.objectKey ?? ''))).equals(bytes)).toBe(true);
    await expect(files.acceptUpload(token, inPieces(bytes), null, never)).rejects.toMatchObject({
      code: 'conflict',
      retryable: false,
    });
    expect(onDisk()).toHaveLength(1);

    const waiting = files.get(owner, file.id, 20);
    await tasks.checkFile(file.id, never);
    expect(await waiting).toMatchObject({ status: 'ready', durationSeconds: 12.5, format: 'wav', hasAudio: true });
    expect(await files.ticket(token)).toMatchObject({ upload: null, multipart: null });
  });

  test('a body that breaks off, is too long or too short leaves the file waiting; the PUT can be repeated', async () => {
    const { files, account, onDisk } = await open();
    const owner = await account();
    const { file, upload } = await files.create(owner, { filename: 'a.wav', sizeBytes: 100_000 });
    const token = tokenOf(upload?.url);
    const broken = stuckAfter(numbered(50_000));
    const refused = expect(files.acceptUpload(token, broken, 100_000, never)).rejects.toMatchObject({
      code: 'bad_request',
      retryable: true,
    });
    await until('it is arriving', () => onDisk().length > 0);
    broken.destroy(new Error('ECONNRESET'));
    await refused;
    const gone = new AbortController();
    const ended = expect(
      files.acceptUpload(token, stuckAfter(numbered(10)), 100_000, gone.signal),
    ).rejects.toMatchObject({ name: 'AbortError' });
    await until('the next one is arriving', () => onDisk().length > 0);
    gone.abort();
    await ended;
    for (const length of [99_999, 100_001]) {
      await expect(files.acceptUpload(token, inPieces(numbered(length)), null, never)).rejects.toMatchObject({
        code: 'bad_request',
      });
      await expect(files.acceptUpload(token, inPieces(numbered(length)), length, never)).rejects.toMatchObject({
        code: 'bad_request',
        details: { field: 'Content-Length', expected: 100_000 },
      });
    }
    expect(onDisk()).toEqual([]);
    expect((await files.get(owner, file.id, 0)).status).toBe('awaiting_upload');
    expect((await files.acceptUpload(token, inPieces(numbered(100_000)), 100_000, never)).status).toBe('processing');
  });

  test('two at once: one wins, and only its bytes are kept', async () => {
    const { files, account, onDisk } = await open();
    const { upload } = await files.create(await account(), { filename: 'a.wav', sizeBytes: 200_000 });
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((seed) => files.acceptUpload(tokenOf(upload?.url), inPieces(numbered(200_000, seed)), null, never)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
    expect(onDisk()).toHaveLength(1);
  });

  test('takes a large file too, up to the limit of one PUT', async () => {
    const { files, account, onDisk } = await open({ env: { EARSHOT_SINGLE_PUT_BYTES: String(17 * mebibyte) } });
    const owner = await account();
    const { uploadPageUrl } = await files.create(owner, { filename: 'a.wav', sizeBytes: 17 * mebibyte });
    await files.acceptPart(tokenOf(uploadPageUrl), 2, Readable.from([Buffer.alloc(mebibyte)]), null, never);
    expect(
      (await files.acceptUpload(tokenOf(uploadPageUrl), Readable.from([Buffer.alloc(17 * mebibyte)]), null, never))
        .status,
    ).toBe('processing');
    expect(onDisk()).toHaveLength(1);
    const over = await files.create(owner, { filename: 'a.wav', sizeBytes: 17 * mebibyte + 1 });
    await expect(
      files.acceptUpload(tokenOf(over.uploadPageUrl), Readable.from(['x']), null, never),
    ).rejects.toMatchObject({ code: 'file_too_large' });
  });

  test('at most as many files of one account at once as configured', async () => {
    const { files, account, onDisk } = await open({ env: { EARSHOT_ACCOUNT_UPLOADS: '2' } });
    const owner = await account();
    const arriving = async (count: number): Promise<void> =>
      await until(`${count} are arriving`, () => onDisk().length === count);
    const start = async (): Promise<{ body: ReturnType<typeof stuckAfter>; done: Promise<unknown> }> => {
      const { upload } = await files.create(owner, { filename: 'a.wav', sizeBytes: 100 });
      const body = stuckAfter(numbered(50));
      const done = files.acceptUpload(tokenOf(upload?.url), body, null, never);
      done.catch(() => {});
      return { body, done };
    };
    const first = await start();
    await arriving(1);
    const second = await start();
    await arriving(2);
    await expect((await start()).done).rejects.toMatchObject({ code: 'upload_limit_reached', retryable: true });
    const { upload } = await files.create(await account(), { filename: 'a.wav', sizeBytes: 3 });
    await files.acceptUpload(tokenOf(upload?.url), Readable.from(['abc']), 3, never);
    first.body.end(numbered(50));
    await first.done;
    const third = await start();
    for (const { body } of [second, third]) body.end(numbered(50));
    await Promise.all([second.done, third.done]);
  });

  test('tokens: forged, of another purpose, expired', async () => {
    const { files, account, tasks, passSeconds } = await open({ env: { EARSHOT_UPLOAD_SECONDS: '600' } });
    const owner = await account();
    const { file, upload } = await files.create(owner, { filename: 'a.wav', sizeBytes: 3 });
    const token = tokenOf(upload?.url);
    for (const bad of ['', 'x', 'x.y', token.slice(0, -2), `${token}A`, token.replace(/^./, 'z')])
      await expect(files.ticket(bad)).rejects.toMatchObject({ code: 'not_found' });
    await files.acceptUpload(token, Readable.from(['abc']), 3, never);
    await tasks.checkFile(file.id, never);
    const link = await files.downloadLink(owner, file.id);
    await expect(files.ticket(tokenOf(link.url))).rejects.toMatchObject({ code: 'not_found' });
    await expect(files.openDownload(token)).rejects.toMatchObject({ code: 'not_found' });
    passSeconds(601);
    await expect(files.ticket(token)).rejects.toMatchObject({ code: 'file_expired' });
  });
});

describe('having files', () => {
  const ready = async (
    host: FilesHost,
    filename = 'a b?.wav',
  ): Promise<{ owner: Awaited<ReturnType<FilesHost['account']>>; id: string }> => {
    const owner = await host.account();
    const { file, upload } = await host.files.create(owner, { filename, sizeBytes: 1000 });
    await host.files.acceptUpload(tokenOf(upload?.url), inPieces(numbered(1000)), 1000, never);
    await host.tasks.checkFile(file.id, never);
    return { owner, id: file.id };
  };

  test('a download link opens the bytes, in ranges too, until it ends', async () => {
    const host = await open();
    const { owner, id } = await ready(host);
    const link = await host.files.downloadLink(owner, id);
    expect(link).toMatchObject({
      fileId: id,
      filename: 'a b?.wav',
      url: expect.stringMatching(/^https:\/\/earshot\.example\/f\/[\w.-]+\/a%20b%3F\.wav$/),
    });
    expect(link.expiresAt.getTime() - Date.now()).toBeCloseTo(900_000, -4);
    const { file, sizeBytes, read } = await host.files.openDownload(tokenOf(link.url));
    expect([file.id, sizeBytes]).toEqual([id, 1000]);
    expect((await buffer(await read())).equals(numbered(1000))).toBe(true);
    expect((await buffer(await read({ start: 10, end: 19 }))).equals(numbered(1000).subarray(10, 20))).toBe(true);
    host.passSeconds(901);
    await expect(host.files.openDownload(tokenOf(link.url))).rejects.toMatchObject({ code: 'file_expired' });
  });

  test('there is none for a file that is not ready, invalid or deleted', async () => {
    const host = await open();
    const owner = await host.account();
    const { file } = await host.files.create(owner, { filename: 'a.wav', sizeBytes: 3 });
    await expect(host.files.downloadLink(owner, file.id)).rejects.toMatchObject({ code: 'file_not_ready' });
    const there = await ready(host);
    const link = await host.files.downloadLink(there.owner, there.id);
    await host.files.remove(there.owner, there.id);
    await host.files.remove(there.owner, there.id);
    await expect(host.files.downloadLink(there.owner, there.id)).rejects.toMatchObject({ code: 'file_expired' });
    await expect(host.files.openDownload(tokenOf(link.url))).rejects.toMatchObject({ code: 'file_expired' });
    expect(host.onDisk()).toEqual([]);
    expect(await host.files.get(there.owner, there.id, 0)).toMatchObject({ status: 'deleted', filename: 'a b?.wav' });
    expect((await host.files.list(there.owner, { kind: null }, { cursor: null, limit: 10 })).items).toEqual([]);
  });

  test('an upload that has completed cannot be stopped', async () => {
    const host = await open();
    const { owner, id } = await ready(host);
    await expect(host.files.abort(owner, id)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('deleting a file while it arrives ends the arrival', async () => {
    const host = await open();
    const owner = await host.account();
    const { file, upload } = await host.files.create(owner, { filename: 'a.wav', sizeBytes: 1000 });
    const arriving = host.files.acceptUpload(tokenOf(upload?.url), stuckAfter(numbered(10)), 1000, never);
    const stopped = expect(arriving).rejects.toMatchObject({ code: 'conflict' });
    await until('it is arriving', () => host.onDisk().length > 0);
    await host.files.remove(owner, file.id);
    await stopped;
    expect(host.onDisk()).toEqual([]);
  });

  test('past its time a file has expired, also before it is swept', async () => {
    const host = await open();
    const { owner, id } = await ready(host);
    host.passSeconds(86_401);
    await expect(host.files.get(owner, id, 0)).rejects.toMatchObject({ code: 'file_expired' });
  });

  test('get waits no longer than asked, nor for a client that has gone', async () => {
    const host = await open();
    const owner = await host.account();
    const { file } = await host.files.create(owner, { filename: 'a.wav', sizeBytes: 3 });
    const startedAt = performance.now();
    expect((await host.files.get(owner, file.id, 0.3)).status).toBe('awaiting_upload');
    expect(performance.now() - startedAt).toBeGreaterThan(290);
    const gone = new AbortController();
    // An hour: a wait that goes on ends the test.
    const waiting = host.files.get(owner, file.id, 3600, gone.signal);
    gone.abort();
    expect((await waiting).status).toBe('awaiting_upload');
  });
});
