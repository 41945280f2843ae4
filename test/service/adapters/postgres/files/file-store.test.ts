import { beforeAll, expect, test } from 'vitest';
import { useDatabases, type TestStores } from '../../../../fixtures/service/database.ts';
import { hash, newAccount, newFile } from '../../../../fixtures/service/rows.ts';

const databases = useDatabases();

let stores: TestStores;

beforeAll(async () => {
  stores = await databases.freshStores();
});

test('files: guarded updates, peaks once, imports, parts, expiry, keys in use', async () => {
  const { files } = stores;
  const account = await newAccount(stores);
  const { file } = await files.create(newFile(account.id), null);
  expect(file).toMatchObject({
    filename: 'talk "1".wav',
    expiresAt: new Date('2026-11-22T10:00:00.123Z'),
    peaksStatus: null,
    error: null,
  });
  expect(await files.update(file.id, ['ready', 'processing'], { filename: 'no' })).toBeNull();
  expect(await files.update('file_missing', ['ready'], { filename: 'no' })).toBeNull();
  expect(
    await files.update(file.id, ['awaiting_upload'], { status: 'processing', objectKey: 'in/1' }, 'check'),
  ).toMatchObject({ status: 'processing', objectKey: 'in/1', filename: 'talk "1".wav' });
  expect(
    await files.update(file.id, ['processing'], { status: 'invalid', error: { code: 'file_invalid', message: 'no' } }),
  ).toMatchObject({ error: { code: 'file_invalid', message: 'no' } });
  expect(
    await files.update(file.id, ['invalid'], { status: 'ready', error: null, durationSeconds: 1.5 }),
  ).toMatchObject({ error: null, durationSeconds: 1.5 });
  expect(await files.update(file.id, ['ready'], {})).toMatchObject({ status: 'ready' });
  const peaks = { durationSeconds: 1.5, peak: 0.9, levels: [{ perSecond: 5, count: 8, offsetBytes: 0 }] };
  await Promise.all(
    Array.from({ length: 5 }, async () =>
      expect(await files.requestPeaks(file.id)).toMatchObject({ peaksStatus: 'processing' }),
    ),
  );
  expect(await files.update(file.id, ['ready'], { peaksStatus: 'ready', peaks, peaksKey: 'peaks/1' })).toMatchObject({
    peaks,
    peaksStatus: 'ready',
  });
  expect(await files.requestPeaks(file.id)).toMatchObject({ peaksStatus: 'ready' });
  expect(await files.requestPeaks('file_missing')).toBeNull();
  expect(await stores.queue.depth()).toMatchObject({ check: 1, peaks: 1, import: 0 });

  const at = new Date(0);
  const times = { since: new Date(Date.now() - 3_600_000), at };
  const link = {
    mode: 'import',
    partSizeBytes: null,
    partCount: null,
    link: { url: 'https://example.org/a.wav', named: false },
  } as const;
  const imported = await files.create(
    newFile(account.id, { status: 'processing', upload: link, importHash: hash('i') }),
    null,
  );
  expect((await files.findImport(account.id, hash('i'), times))?.id).toBe(imported.file.id);
  expect(await files.findImport(account.id, hash('i'), { since: new Date(Date.now() + 60_000), at })).toBeNull();
  const whenExpired = { ...times, at: imported.file.expiresAt };
  expect(await files.findImport(account.id, hash('i'), whenExpired)).toBeNull();
  expect(await files.findImport('acc_other', hash('i'), times)).toBeNull();
  expect(await stores.queue.depth()).toMatchObject({ import: 1 });
  await files.update(imported.file.id, ['processing'], { status: 'invalid' });
  expect(await files.findImport(account.id, hash('i'), times)).toBeNull();

  await files.endPart(file.id, { number: 2, sizeBytes: 5, etag: 'a' });
  await files.endPart(file.id, { number: 1, sizeBytes: 16, etag: '"quoted"' });
  await files.endPart(file.id, { number: 2, sizeBytes: 7, etag: 'b' });
  expect(await files.listParts(file.id)).toEqual([
    { number: 1, sizeBytes: 16, etag: '"quoted"' },
    { number: 2, sizeBytes: 7, etag: 'b' },
  ]);
  await files.beginPart(file.id, 1);
  expect(await files.listParts(file.id)).toEqual([{ number: 2, sizeBytes: 7, etag: 'b' }]);
  await expect(files.endPart('file_missing', { number: 1, sizeBytes: 1, etag: 'a' })).rejects.toMatchObject({
    code: 'not_found',
  });

  expect(await files.getMany([imported.file.id, 'file_missing', file.id, file.id])).toMatchObject([
    { id: imported.file.id },
    null,
    { id: file.id },
    { id: file.id },
  ]);
  expect(await files.usedKeys(['in/1', 'peaks/1', 'in/2'])).toEqual(new Set(['in/1', 'peaks/1']));
  expect(await files.totals()).toMatchObject({
    files: expect.any(Number) as number,
    bytes: expect.any(Number) as number,
  });
  expect((await files.expired(new Date('2026-11-22T10:00:00.122Z'), 1000)).map(({ id }) => id)).not.toContain(file.id);
  expect((await files.expired(new Date('2026-11-22T10:00:00.123Z'), 1000)).map(({ id }) => id)).toContain(file.id);
  await files.remove([file.id]);
  expect(await files.get(file.id)).toBeNull();
});
