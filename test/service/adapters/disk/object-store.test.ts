import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { createDiskStore } from '../../../../src/service/adapters/disk/object-store.ts';
import { describeWriteFailure } from '../../../../src/service/adapters/disk/failures.ts';
import { inPieces, numbered, objectStoreConformance, sha256 } from '../../../conformance/object-store.ts';

const folders: string[] = [];
const fresh = (where = tmpdir()): string => {
  const folder = mkdtempSync(join(where, 'earshot-disk-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

objectStoreConformance('a folder', () => {
  const folder = fresh();
  return Promise.resolve({ store: createDiskStore(folder), remove: () => Promise.resolve() });
});

/** All files below, without folders. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

const part = (number: number): { number: number; offsetBytes: number; exactBytes: number } => ({
  number,
  offsetBytes: (number - 1) * 10,
  exactBytes: 10,
});

test('a new store on the same folder finds the objects and goes on with the parts', async () => {
  const folder = fresh();
  const earlier = createDiskStore(folder);
  await earlier.write('kept', Readable.from(['abc']), { maxBytes: 10 });
  const upload = { key: 'whole', uploadId: await earlier.beginUpload('whole') };
  const two = await earlier.writePart(upload, part(2), inPieces(numbered(20).subarray(10)));
  const store = createDiskStore(folder);
  expect(await store.stat('kept')).toEqual({ sizeBytes: 3 });
  const one = await store.writePart(upload, part(1), inPieces(numbered(20).subarray(0, 10)));
  expect(await store.completeUpload(upload, [one, two])).toEqual({ sizeBytes: 20 });
  expect(await buffer(await store.read('whole'))).toEqual(numbered(20));
});

test('parts that lie as an earlier version wrote them are joined with new ones', async () => {
  const folder = fresh();
  const store = createDiskStore(folder);
  const place = join(folder, 'uploads', 'uploads~0123');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'bytes'), numbered(20).subarray(0, 10));
  writeFileSync(join(place, 'part-1-0-10'), '');
  const upload = { key: 'originals/0123', uploadId: 'uploads~0123' };
  const one = { number: 1, sizeBytes: 10, etag: '' };
  const two = await store.writePart(upload, part(2), inPieces(numbered(20).subarray(10)));
  await expect(store.completeUpload(upload, [{ ...one, etag: 'ab' }, two])).rejects.toMatchObject({ code: 'conflict' });
  await store.completeUpload(upload, [one, two]);
  expect(await buffer(await store.read('originals/0123'))).toEqual(numbered(20));
  expect(filesBelow(folder)).toEqual(['0123']);
});

test('markers that a cut-short completion left do not vouch for new bytes', async () => {
  const folder = fresh();
  const store = createDiskStore(folder);
  const upload = { key: 'whole', uploadId: await store.beginUpload('whole') };
  const send = (number: number) => store.writePart(upload, part(number), inPieces(numbered(10)));
  const receipts = [await send(1), await send(2)];
  rmSync(join(folder, 'uploads', upload.uploadId, 'bytes'));
  await expect(send(2)).rejects.toMatchObject({ code: 'not_found' });
  await expect(store.completeUpload(upload, receipts)).rejects.toMatchObject({ code: 'conflict' });
});

test('no id of an upload leads out of the folder', async () => {
  const store = createDiskStore(fresh());
  for (const uploadId of ['..', '.', '../x', 'a/b', '', '/tmp'])
    await expect(store.abortUpload({ key: 'whole', uploadId })).rejects.toMatchObject({ code: 'internal_error' });
});

test('a folder that cannot be written to is said so by its check', async () => {
  const folder = fresh();
  const store = createDiskStore(folder);
  await store.check();
  rmSync(folder, { recursive: true });
  await expect(store.check()).rejects.toThrow('ENOENT');
});

test('a draft that a killed process left is listed as stale and swept', async () => {
  const folder = fresh();
  const store = createDiskStore(folder);
  await store.write('kept', Readable.from(['abc']), { maxBytes: 10 });
  const draft = join(folder, 'tmp', 'left');
  writeFileSync(draft, 'half');
  utimesSync(draft, new Date(1e12), new Date(1e12));
  const keys: string[] = [];
  for await (const leftover of store.stale(new Date(Date.now() - 60_000))) {
    keys.push(leftover.key);
    await leftover.remove();
  }
  expect(keys).toEqual(['tmp/left']);
  expect(filesBelow(folder)).toEqual(['kept']);
});

test('an adopted file counts as new, however old it is; it is renamed, not copied', async () => {
  const folder = fresh();
  const made = join(folder, 'made');
  writeFileSync(made, 'abc');
  utimesSync(made, new Date(1e12), new Date(1e12));
  const inode = statSync(made).ino;
  const store = createDiskStore(folder);
  await store.adopt('made', made);
  expect(statSync((await store.checkOut('made')).path).ino).toBe(inode);
  for await (const leftover of store.stale(new Date(Date.now() - 60_000))) expect.unreachable(leftover.key);
});

test('a file on another device is copied', async (context) => {
  let elsewhere: string;
  try {
    elsewhere = fresh('/dev/shm');
  } catch {
    skipHere(context, 'no /dev/shm on this machine');
  }
  const folder = fresh();
  if (statSync(elsewhere).dev === statSync(folder).dev)
    skipHere(context, '/dev/shm and the temporary folder are one device');
  const bytes = numbered(1_000_000);
  const path = join(elsewhere, 'made');
  writeFileSync(path, bytes);
  expect(await createDiskStore(folder).adopt('made', path)).toEqual({ sizeBytes: bytes.length, sha256: sha256(bytes) });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('a removed object leaves no empty folders, also beside others that are made at that moment', async () => {
  const folder = fresh();
  const store = createDiskStore(folder);
  const objects = join(folder, 'objects');
  const write = async (key: string): Promise<unknown> =>
    await store.write(key, Readable.from(['abc']), { maxBytes: 10 });
  await write('outputs/one/1-a');
  await write('outputs/one/1-b');
  await store.remove('outputs/one/1-a');
  expect(await store.stat('outputs/one/1-b')).toEqual({ sizeBytes: 3 });
  await store.remove('outputs/one/1-b');
  expect(readdirSync(objects)).toEqual([]);
  // All in one folder, which goes and comes.
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      for (let round = 0; round < 25; round++) {
        const key = `outputs/shared/${worker}-${round}`;
        await write(key);
        expect(await store.stat(key)).toEqual({ sizeBytes: 3 });
        await store.remove(key);
      }
    }),
  );
  expect(readdirSync(objects)).toEqual([]);
  await write('outputs/swept/1-a');
  for await (const { remove } of store.stale(new Date(Date.now() + 1000))) await remove();
  expect(readdirSync(objects)).toEqual([]);
});

test('a disk that takes no more is a clear error, and the draft goes', () => {
  const folder = fresh();
  // The limit on file size is the one way to make real writes fail that needs no rights: EFBIG, treated as a full disk
  // is.
  const script = `
    import { Readable } from 'node:stream';
    import { createDiskStore } from '${join(import.meta.dirname, '../../../../src/service/adapters/disk/object-store.ts')}';
    const store = createDiskStore(${JSON.stringify(folder)});
    const source = () => Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(65536)), { objectMode: false });
    const answers = [];
    const upload = { key: 'up', uploadId: await store.beginUpload('up') };
    for (const work of [() => store.write('x', source(), { maxBytes: 1e9 }), () => store.writePart(upload, { number: 1, offsetBytes: 0, exactBytes: 64 * 65536 }, source())]) await work().then(() => answers.push('written'), (thrown) => answers.push(thrown.toJSON?.() ?? String(thrown)));
    await store.abortUpload(upload);
    process.stdout.write(JSON.stringify(answers));`;
  const run = spawnSync(
    'bash',
    ['-c', `ulimit -f 1024; exec "$0" --input-type=module-typescript -e "$1"`, process.execPath, script],
    { encoding: 'utf8' },
  );
  expect(run.stderr).not.toContain('Error');
  const answer = {
    code: 'internal_error',
    retryable: true,
    message: expect.stringContaining('disk is full'),
    nextAction: expect.stringContaining('operator'),
  };
  expect(JSON.parse(run.stdout)).toMatchObject([answer, answer]);
  expect(filesBelow(folder)).toEqual([]);
  expect(describeWriteFailure(Object.assign(new Error('full'), { code: 'ENOSPC' }))).toMatchObject({
    code: 'internal_error',
    message: "The service's disk is full at the moment",
    cause: expect.objectContaining({ code: 'ENOSPC' }),
  });
  const other = Object.assign(new Error('broken'), { code: 'EIO' });
  expect(describeWriteFailure(other)).toBe(other);
});
