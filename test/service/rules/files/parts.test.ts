import { buffer } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { joinedKey } from '../../../../src/service/rules/files/object-keys.ts';
import { inPieces, numbered, stuckAfter } from '../../../conformance/object-store.ts';
import { until } from '../../../fixtures/until.ts';
import { never, tokenOf, type FilesHost, useFilesHosts } from './host.ts';

const { open } = useFilesHosts();
const mebibyte = 1024 * 1024;

describe('in parts', () => {
  const partBytes = 5 * mebibyte;
  const whole = numbered(17 * mebibyte, 5);
  const start = async (): Promise<
    FilesHost & {
      token: string;
      id: string;
      owner: Awaited<ReturnType<FilesHost['account']>>;
      send(part: number, bytes?: Buffer): Promise<void>;
      piece(part: number): Buffer;
    }
  > => {
    const host = await open({ env: { EARSHOT_PART_BYTES: String(partBytes) } });
    const owner = await host.account();
    const { file, multipart } = await host.files.create(owner, { filename: 'a.wav', sizeBytes: whole.length });
    expect(multipart).toMatchObject({ partSizeBytes: partBytes, partCount: 4 });
    const token = tokenOf(multipart?.completeUrl);
    const piece = (part: number): Buffer => whole.subarray((part - 1) * partBytes, part * partBytes);
    return {
      ...host,
      token,
      id: file.id,
      owner,
      piece,
      send: (part, bytes = piece(part)) => host.files.acceptPart(token, part, inPieces(bytes), bytes.length, never),
    };
  };

  test('any order, repeated; missing ones are listed; completing again answers the same', async () => {
    const { files, token, id, send, stores, objects, onDisk } = await start();
    await expect(files.completeUpload(token)).rejects.toMatchObject({
      code: 'conflict',
      details: { missingParts: [1, 2, 3, 4] },
    });
    await Promise.all([send(4), send(1)]);
    await send(1);
    await expect(files.completeUpload(token)).rejects.toMatchObject({ details: { missingParts: [2, 3] } });
    await Promise.all([send(3), send(2)]);
    const waitingBefore = (await stores.queue.depth()).check;
    const uploaded = await files.completeUpload(token);
    expect(uploaded).toMatchObject({ id, status: 'processing', sizeBytes: whole.length });
    expect((await buffer(await objects.read(uploaded.objectKey ?? ''))).equals(whole)).toBe(true);
    expect((await stores.queue.depth()).check).toBe(waitingBefore + 1);
    expect(await files.completeUpload(token)).toMatchObject({ id, status: 'processing' });
    await expect(send(2)).rejects.toMatchObject({ code: 'conflict' });
    expect(onDisk()).toHaveLength(1);
  });

  test('two who complete at once both get the file', async () => {
    const { files, token, id, send, onDisk } = await start();
    for (const part of [1, 2, 3, 4]) await send(part);
    for (const file of await Promise.all([
      files.completeUpload(token),
      files.completeUpload(token),
      files.completeUpload(token),
    ]))
      expect(file).toMatchObject({ id, status: 'processing' });
    expect(onDisk()).toHaveLength(1);
  });

  test.each([[0], [5], [-1], [1.5], [NaN]])('there is no part %d', async (part) => {
    const { send } = await start();
    await expect(send(part, Buffer.alloc(1))).rejects.toMatchObject({ code: 'bad_request', details: { field: 'n' } });
  });

  test('wrong sizes are refused, announced or not; what had arrived before no longer counts', async () => {
    const { files, token, send, piece } = await start();
    for (const part of [1, 2, 3, 4]) await send(part);
    await expect(send(4, piece(1))).rejects.toMatchObject({
      code: 'bad_request',
      details: { field: 'Content-Length' },
    });
    await expect(files.acceptPart(token, 2, inPieces(piece(4)), null, never)).rejects.toMatchObject({
      code: 'bad_request',
    });
    await expect(files.completeUpload(token)).rejects.toMatchObject({ details: { missingParts: [2] } });
    await send(2);
    await files.completeUpload(token);
  });

  test('the same part again while it arrives takes over', async () => {
    const { files, token, send, piece, objects, onDisk } = await start();
    const stuck = stuckAfter(numbered(100, 9));
    const first = files.acceptPart(token, 1, stuck, null, never);
    const failed = expect(first).rejects.toMatchObject({ code: 'conflict', retryable: true });
    await until('it is arriving', () => onDisk().length > 0);
    await send(1);
    await failed;
    for (const part of [2, 3, 4]) await send(part);
    const { objectKey } = await files.completeUpload(token);
    expect((await buffer(await objects.read(objectKey ?? '', { start: 0, end: partBytes - 1 }))).equals(piece(1))).toBe(
      true,
    );
  });

  test('a completion that was cut short between store and record can be repeated, and takes no new parts', async () => {
    const { files, token, id, send, objects, stores } = await start();
    for (const part of [1, 2, 3, 4]) await send(part);
    const uploadId = (await stores.files.get(id))?.uploadId ?? '';
    await objects.completeUpload({ key: joinedKey(id), uploadId }, await stores.files.listParts(id));
    await expect(send(1)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('already joined'),
    });
    expect(await files.completeUpload(token)).toMatchObject({ status: 'processing' });
  });

  test('parts that the store has lost are asked for again', async () => {
    const { files, token, send, objects } = await start();
    for (const part of [1, 2, 3, 4]) await send(part);
    for await (const leftover of objects.stale(new Date(Date.now() + 60_000))) await leftover.remove();
    await expect(files.completeUpload(token)).rejects.toMatchObject({ details: { missingParts: [1, 2, 3, 4] } });
  });

  test('after a loss, sending all parts again is enough, the first of them included', async () => {
    const { files, token, id, send, objects, stores } = await start();
    for (const part of [1, 2]) await send(part);
    const before = (await stores.files.get(id))?.uploadId;
    for await (const leftover of objects.stale(new Date(Date.now() + 60_000))) await leftover.remove();
    await send(3);
    expect((await stores.files.get(id))?.uploadId).not.toBe(before);
    await expect(files.completeUpload(token)).rejects.toMatchObject({ details: { missingParts: [1, 2, 4] } });
    for (const part of [1, 2, 4]) await send(part);
    const { objectKey } = await files.completeUpload(token);
    expect((await buffer(await objects.read(objectKey ?? ''))).equals(whole)).toBe(true);
  });

  test('a part that is sent again just when the upload is completed is joined with its new receipt', async () => {
    const { files, token, send, objects, stores } = await start();
    for (const part of [1, 2, 3, 4]) await send(part);
    const list = stores.files.listParts;
    const resent = vi.spyOn(stores.files, 'listParts').mockImplementationOnce(async (id) => {
      const before = await list(id);
      await send(2);
      return before;
    });
    const { objectKey } = await files.completeUpload(token);
    expect(resent).toHaveBeenCalledTimes(2);
    resent.mockRestore();
    expect((await buffer(await objects.read(objectKey ?? ''))).equals(whole)).toBe(true);
  });

  test('parts that come at the same time share one upload', async () => {
    const { id, send, objects, stores } = await start();
    await Promise.all([1, 2, 3, 4].map((part) => send(part)));
    const uploads: string[] = [];
    for await (const { kind, key } of objects.stale(new Date(Date.now() + 60_000))) uploads.push(`${kind} ${key}`);
    expect(uploads).toEqual([`upload ${joinedKey(id)}`]);
    expect((await stores.files.listParts(id)).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  test('abort stops it: bodies end, bytes go, the record answers deleted', async () => {
    const { files, token, id, owner, send, onDisk } = await start();
    await send(2);
    const body = stuckAfter(numbered(100));
    const arriving = files.acceptPart(token, 1, body, null, never);
    const stopped = expect(arriving).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('stopped'),
    });
    await until('it is arriving', () => body.readableDidRead);
    await files.abort(owner, id);
    await stopped;
    expect(onDisk()).toEqual([]);
    expect((await files.get(owner, id, 5)).status).toBe('deleted');
    await files.abort(owner, id);
    expect((await files.list(owner, { kind: null }, { cursor: null, limit: 10 })).items).toEqual([]);
    for (const late of [
      () => send(3),
      () => files.completeUpload(token),
      () => files.name(owner, id, { filename: 'b', sizeBytes: 1 }),
    ])
      await expect(late()).rejects.toMatchObject({ code: 'file_expired' });
  });

  test('abort also ends a part that has only just begun', async () => {
    const { files, token, id, owner, onDisk } = await start();
    const arriving = [1, 2, 3].map((part) => files.acceptPart(token, part, stuckAfter(numbered(100)), null, never));
    const ended = Promise.allSettled(arriving);
    await files.abort(owner, id);
    for (const outcome of await ended)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: expect.stringMatching(/^(conflict|file_expired)$/) },
      });
    expect(onDisk()).toEqual([]);
  });

  test('an account may not send any number of parts at once', async () => {
    const host = await open({ env: { EARSHOT_PART_BYTES: String(partBytes), EARSHOT_ACCOUNT_UPLOADS: '1' } });
    const { multipart } = await host.files.create(await host.account(), {
      filename: 'a.wav',
      sizeBytes: 30 * mebibyte,
    });
    const token = tokenOf(multipart?.completeUrl);
    const bodies = [1, 2, 3, 4].map((part) => {
      const body = stuckAfter(numbered(10));
      const done = host.files.acceptPart(token, part, body, null, never);
      done.catch(() => {});
      return { body, done };
    });
    await until('four arrive', () => host.onDisk().length > 0);
    await expect(host.files.acceptPart(token, 5, stuckAfter(numbered(10)), null, never)).rejects.toMatchObject({
      code: 'upload_limit_reached',
    });
    for (const { body, done } of bodies) {
      body.destroy();
      await done.catch(() => {});
    }
  });
});
