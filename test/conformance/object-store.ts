import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore, PartReceipt, UploadInParts } from '../../src/service/rules/files/object-store.ts';

export interface StoreUnderTest {
  readonly store: ObjectStore;
  remove(): Promise<void>;
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes that differ everywhere, so that a block in the wrong place shows. */
export function numbered(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  let state = seed >>> 0;
  for (let at = 0; at < sizeBytes; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** As a network hands bytes over: in pieces of uneven length. */
export function inPieces(bytes: Buffer, pieceBytes = 61_337): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return Readable.from(pieces, { objectMode: false });
}

/** Gives `bytes`, then stays silent until it is destroyed. */
export function stuckAfter(bytes: Buffer): PassThrough {
  const stream = new PassThrough();
  stream.write(bytes);
  return stream;
}

const all = 1e9;
const future = (): Date => new Date(Date.now() + 60_000);

async function keysOf(store: ObjectStore, olderThan = future()): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key, kind } of store.stale(olderThan)) keys.push(`${kind} ${key}`);
  return keys.sort();
}

/**
 * What every ObjectStore must do. `open` answers a fresh, empty one.
 * @param partBytes of an upload's parts; S3 takes none under 5 MiB but the last
 */
export function objectStoreConformance(name: string, open: () => Promise<StoreUnderTest>, partBytes = 100_000): void {
  describe(`${name} is an object store`, () => {
    let current: StoreUnderTest;
    let store: ObjectStore;
    let folder: string;
    beforeEach(async () => {
      current = await open();
      store = current.store;
      folder = mkdtempSync(join(tmpdir(), 'earshot-objects-'));
    });
    afterEach(async () => {
      await current.remove();
      rmSync(folder, { recursive: true, force: true });
    });
    const content = async (key: string): Promise<Buffer> => await buffer(await store.read(key));

    test('keeps bytes, says their size and hash', async () => {
      const bytes = numbered(3_000_001);
      expect(await store.write('a/one', inPieces(bytes), { maxBytes: all })).toEqual({
        sizeBytes: bytes.length,
        sha256: sha256(bytes),
      });
      expect((await content('a/one')).equals(bytes)).toBe(true);
      expect(await store.stat('a/one')).toEqual({ sizeBytes: bytes.length });
    });

    test('keeps an empty object, and one that arrives byte by byte', async () => {
      expect(await store.write('empty', Readable.from([]), { maxBytes: all })).toEqual({
        sizeBytes: 0,
        sha256: sha256(Buffer.alloc(0)),
      });
      expect((await content('empty')).length).toBe(0);
      const bytes = numbered(5000);
      await store.write('slow', inPieces(bytes, 1), { maxBytes: all, exactBytes: 5000 });
      expect((await content('slow')).equals(bytes)).toBe(true);
    });

    test('reads ranges, both ends inclusive', async () => {
      const bytes = numbered(100_000);
      await store.write('r', inPieces(bytes), { maxBytes: all });
      for (const [start, end] of [
        [0, 0],
        [0, 99_999],
        [99_999, 99_999],
        [1234, 70_000],
      ] as const) {
        expect((await buffer(await store.read('r', { start, end }))).equals(bytes.subarray(start, end + 1))).toBe(true);
      }
    });

    test('replaces an object as a whole', async () => {
      await store.write('k', inPieces(numbered(70_000, 1)), { maxBytes: all });
      await store.write('k', inPieces(numbered(50_000, 2)), { maxBytes: all });
      expect((await content('k')).equals(numbered(50_000, 2))).toBe(true);
    });

    test('refuses what is longer than allowed without reading on, and keeps nothing of it', async () => {
      let handed = 0;
      const endless = new Readable({
        read() {
          handed += 65_536;
          this.push(Buffer.alloc(65_536));
        },
      });
      await expect(store.write('big', endless, { maxBytes: 1_000_000 })).rejects.toMatchObject({
        code: 'file_too_large',
      });
      endless.destroy();
      expect(handed).toBeLessThan(4_000_000);
      expect(await store.stat('big')).toBeNull();
      expect(await keysOf(store)).toEqual([]);
    });

    test.each([[999], [1001]])('refuses a body that is not as long as announced (%i of 1000)', async (sizeBytes) => {
      await expect(
        store.write('x', inPieces(numbered(sizeBytes), 100), { maxBytes: all, exactBytes: 1000 }),
      ).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('1000') });
      expect(await keysOf(store)).toEqual([]);
    });

    test('a stream that fails leaves nothing and fails the same way', async () => {
      const source = stuckAfter(numbered(300_000));
      const writing = store.write('cut', source, { maxBytes: all });
      setTimeout(() => source.destroy(new Error('the line broke')), 30);
      await expect(writing).rejects.toThrow('the line broke');
      expect(await store.stat('cut')).toBeNull();
      expect(await keysOf(store)).toEqual([]);
    });

    // Making a place for the bytes takes a moment in which nobody reads yet.
    test.each(['at once', 'in the next turn'])('a stream that fails %s does so too, and harms nobody', async (when) => {
      const source = stuckAfter(numbered(1000));
      const writing = store.write('cut', source, { maxBytes: all });
      if (when !== 'at once') await Promise.resolve();
      source.destroy(new Error('the line broke'));
      await expect(writing).rejects.toThrow('the line broke');
      expect(await keysOf(store)).toEqual([]);
    });

    test('a stream that is closed without an end is not taken for a whole one', async () => {
      const source = stuckAfter(numbered(300_000));
      const writing = store.write('cut', source, { maxBytes: all });
      setTimeout(() => source.destroy(), 30);
      await expect(writing).rejects.toThrow();
      expect(await keysOf(store)).toEqual([]);
    });

    test('an abort ends a write that waits for bytes; the source stays alive for its owner', async () => {
      const abort = new AbortController();
      const source = stuckAfter(numbered(300_000));
      const writing = store.write('cut', source, { maxBytes: all, signal: abort.signal });
      setTimeout(() => abort.abort(), 30);
      await expect(writing).rejects.toMatchObject({ name: 'AbortError' });
      expect(source.destroyed).toBe(false);
      source.destroy();
      expect(await keysOf(store)).toEqual([]);
      await expect(
        store.write('cut', Readable.from(['x']), { maxBytes: all, signal: AbortSignal.abort() }),
      ).rejects.toMatchObject({ name: 'AbortError' });
    });

    test('moves a local file in', async () => {
      const bytes = numbered(2_000_000);
      const path = join(folder, 'made');
      writeFileSync(path, bytes);
      expect(await store.adopt('out/made.wav', path)).toEqual({ sizeBytes: bytes.length, sha256: sha256(bytes) });
      expect((await content('out/made.wav')).equals(bytes)).toBe(true);
      expect(() => readFileSync(path)).toThrow('ENOENT');
    });

    test('says that it can be written to', async () => {
      await store.check();
    });

    test('lends a local file, to several at once; what is given back stays an object', async () => {
      await store.write('p', inPieces(numbered(100_000)), { maxBytes: all });
      const [one, other] = await Promise.all([store.checkOut('p'), store.checkOut('p')]);
      expect(readFileSync(one.path).equals(numbered(100_000))).toBe(true);
      await one.release();
      expect(readFileSync(other.path).equals(numbered(100_000))).toBe(true);
      await other.release();
      await other.release();
      expect((await content('p')).equals(numbered(100_000))).toBe(true);
    });

    test('what is lent is what the object was, also when it is replaced meanwhile', async () => {
      await store.write('p', inPieces(numbered(100_000, 1)), { maxBytes: all });
      const lent = await store.checkOut('p');
      const handle = openSync(lent.path, 'r');
      await store.write('p', inPieces(numbered(90_000, 2)), { maxBytes: all });
      expect(readFileSync(handle).equals(numbered(100_000, 1))).toBe(true);
      closeSync(handle);
      await lent.release();
      expect((await content('p')).equals(numbered(90_000, 2))).toBe(true);
    });

    test('what is not there', async () => {
      await expect(store.read('none')).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.checkOut('none')).rejects.toMatchObject({ code: 'not_found' });
      expect(await store.stat('none')).toBeNull();
      await store.remove('none');
      await store.abortUpload({ key: 'none', uploadId: 'none' });
    });

    test('removes', async () => {
      await store.write('gone', inPieces(numbered(10)), { maxBytes: all });
      await store.remove('gone');
      expect(await store.stat('gone')).toBeNull();
    });

    test.each([
      ['../x'],
      ['/x'],
      ['a/../../x'],
      ['a//b'],
      ['a/.'],
      ['.hidden'],
      ['a\\b'],
      ['A'],
      ['a b'],
      ['a\0b'],
      [''],
    ])('refuses the key %j', async (key) => {
      await expect(store.write(key, Readable.from(['x']), { maxBytes: all })).rejects.toMatchObject({
        code: 'internal_error',
      });
      await expect(store.read(key)).rejects.toMatchObject({ code: 'internal_error' });
      await expect(store.remove(key)).rejects.toMatchObject({ code: 'internal_error' });
      await expect(store.beginUpload(key)).rejects.toMatchObject({ code: 'internal_error' });
      await expect(store.checkOut(key)).rejects.toMatchObject({ code: 'internal_error' });
    });

    test('lists what is old and nothing else, and removes it', async () => {
      await store.write('a/b/c', Readable.from(['x']), { maxBytes: all });
      const upload = { key: 'up/1', uploadId: await store.beginUpload('up/1') };
      await store.writePart(upload, { number: 1, offsetBytes: 0, exactBytes: 1 }, Readable.from(['x']));
      expect(await keysOf(store, new Date(Date.now() - 60_000))).toEqual([]);
      expect(await keysOf(store)).toEqual(['object a/b/c', 'upload up/1']);
      for await (const leftover of store.stale(future())) await leftover.remove();
      expect(await keysOf(store)).toEqual([]);
      expect(await store.stat('a/b/c')).toBeNull();
    });

    describe('in parts', () => {
      const whole = numbered(2.5 * partBytes, 7);
      const part = (number: number): { number: number; offsetBytes: number; exactBytes: number } => ({
        number,
        offsetBytes: (number - 1) * partBytes,
        exactBytes: Math.min(partBytes, whole.length - (number - 1) * partBytes),
      });
      const bytesOf = (number: number): Buffer =>
        whole.subarray(part(number).offsetBytes, part(number).offsetBytes + part(number).exactBytes);
      let upload: UploadInParts;
      beforeEach(async () => {
        upload = { key: 'up/whole', uploadId: await store.beginUpload('up/whole') };
      });
      const send = (number: number, bytes = bytesOf(number)): Promise<PartReceipt> =>
        store.writePart(upload, part(number), inPieces(bytes, Math.ceil(partBytes / 13)));
      const expectWhole = async (): Promise<void> => {
        expect((await content('up/whole')).equals(whole)).toBe(true);
        expect(await keysOf(store)).toEqual(['object up/whole']);
      };
      const refused = async (receipts: readonly PartReceipt[], of = upload): Promise<void> => {
        await expect(store.completeUpload(of, receipts)).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.stat(of.key)).toBeNull();
      };

      test('receipts name part and size, and make the object in whatever order they are', async () => {
        const receipts = [await send(3), await send(1), await send(2)];
        expect(receipts).toEqual(
          [3, 1, 2].map((number) => ({
            number,
            sizeBytes: part(number).exactBytes,
            etag: expect.any(String),
          })),
        );
        expect(await store.completeUpload(upload, receipts)).toEqual({ sizeBytes: whole.length });
        await expectWhole();
      });

      test('any order, repeated, at the same time; the latest receipts count', async () => {
        await Promise.all([send(3), send(1)]);
        const receipts = [await send(1), await send(2), await send(3)];
        // As a record keeps them.
        const kept = JSON.parse(JSON.stringify(receipts)) as PartReceipt[];
        expect(await store.completeUpload(upload, kept)).toEqual({ sizeBytes: whole.length });
        await expectWhole();
      });

      test('the same part twice at once with different bytes is one of them, never a mixture', async () => {
        const one = numbered(partBytes, 11);
        const other = numbered(partBytes, 12);
        const [first, second, ...rest] = await Promise.all([send(1, one), send(1, other), send(2), send(3)]);
        // One of the receipts is of the part that is there.
        const outcomes = await Promise.allSettled(
          [first, second].map((receipt) => store.completeUpload(upload, [receipt, ...rest])),
        );
        expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
        const begin = (await content('up/whole')).subarray(0, partBytes);
        expect(begin.equals(one) || begin.equals(other)).toBe(true);
      });

      test('two uploads of the same object know nothing of each other', async () => {
        const other = { ...upload, uploadId: await store.beginUpload(upload.key) };
        expect(other.uploadId).not.toBe(upload.uploadId);
        const receipts = [await send(1), await send(2), await send(3)];
        const elsewhere = await store.writePart(other, part(1), inPieces(numbered(partBytes, 5)));
        await refused([elsewhere, ...receipts.slice(1)]);
        await refused(receipts, other);
        await store.abortUpload(other);
        await store.completeUpload(upload, receipts);
        await expectWhole();
      });

      test('completing twice, also at once, is completing once', async () => {
        const receipts = await Promise.all([send(1), send(2), send(3)]);
        await Promise.all([store.completeUpload(upload, receipts), store.completeUpload(upload, receipts)]);
        expect(await store.completeUpload(upload, receipts)).toEqual({ sizeBytes: whole.length });
        await expectWhole();
      });

      test('never completes without all receipts, or with a receipt of bytes that are replaced', async () => {
        const [one, three] = await Promise.all([send(1), send(3)]);
        await refused([]);
        await refused([one, three]);
        const before = await send(2, numbered(partBytes, 3));
        await refused([one, three]);
        const two = await send(2);
        await refused([one, before, three]);
        await refused([one, { ...two, etag: '' }, three]);
        await refused([one, { ...two, sizeBytes: two.sizeBytes - 1 }, three]);
        await refused([one, one, three]);
        await store.completeUpload(upload, [one, two, three]);
        await expectWhole();
      });

      test('a part that breaks off is never in the object', async () => {
        const receipts = [await send(1), await send(2), await send(3)];
        const source = stuckAfter(numbered(partBytes / 2, 3));
        const again = store.writePart(upload, part(2), source);
        setTimeout(() => source.destroy(new Error('the line broke')), 30);
        await expect(again).rejects.toThrow('the line broke');
        // The part before it may be gone or not.
        const completed = await store.completeUpload(upload, receipts).then(
          () => true,
          (thrown: unknown) => {
            expect(thrown).toMatchObject({ code: 'conflict' });
            return false;
          },
        );
        if (!completed) await store.completeUpload(upload, [receipts[0]!, await send(2), receipts[2]!]);
        await expectWhole();
      });

      test('an upload that was never begun, is completed, or is aborted takes no parts and makes no object', async () => {
        const none = { key: 'up/none', uploadId: 'none' };
        const source = inPieces(bytesOf(1));
        await expect(store.writePart(none, part(1), source)).rejects.toMatchObject({ code: 'not_found' });
        expect(source.readableDidRead).toBe(false);
        const receipts = await Promise.all([send(1), send(2), send(3)]);
        await refused(receipts, none);
        await store.completeUpload(upload, receipts);
        await expect(send(1)).rejects.toMatchObject({ code: 'not_found' });
        await expectWhole();
      });

      test.each([[-1], [1]])(
        'refuses a part that is %i byte longer than announced and does not touch its neighbour',
        async (more) => {
          const two = await send(2);
          await expect(send(1, numbered(partBytes + more))).rejects.toMatchObject({
            code: 'bad_request',
            details: { expected: partBytes },
          });
          await store.completeUpload(upload, [await send(1), two, await send(3)]);
          await expectWhole();
        },
      );

      test('stops: nothing is left, and old receipts do not count for a new start', async () => {
        const old = await Promise.all([send(1), send(2)]);
        await store.abortUpload(upload);
        await store.abortUpload(upload);
        expect(await keysOf(store)).toEqual([]);
        await expect(send(3)).rejects.toMatchObject({ code: 'not_found' });
        upload = { ...upload, uploadId: await store.beginUpload(upload.key) };
        await refused([...old, await send(3)]);
      });

      test('an abort ends a part that waits for bytes', async () => {
        const abort = new AbortController();
        const writing = store.writePart(upload, part(1), stuckAfter(numbered(10)), abort.signal);
        setTimeout(() => abort.abort(), 30);
        await expect(writing).rejects.toMatchObject({ name: 'AbortError' });
      });
    });
  });
}
