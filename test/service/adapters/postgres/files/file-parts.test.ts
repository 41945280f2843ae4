import { beforeAll, expect, test } from 'vitest';
import { useDatabases, type TestStores } from '../../../../fixtures/service/database.ts';
import { newFile } from '../../../../fixtures/service/rows.ts';

const databases = useDatabases();
let stores: TestStores;
beforeAll(async () => {
  stores = await databases.freshStores();
});

test('one upload in parts of a file counts, whoever begins it; a lost one takes its receipts with it', async () => {
  const { files } = stores;
  const { file } = await files.create(
    newFile(null, { sizeBytes: 20, upload: { mode: 'multipart', partSizeBytes: 10, partCount: 2 } }),
    null,
  );
  expect(file.uploadId).toBeNull();
  const answers = await Promise.all(['a', 'b', 'c'].map((id) => files.beginUpload(file.id, id)));
  expect(new Set(answers).size).toBe(1);
  const kept = answers[0] ?? '';
  expect(await files.get(file.id)).toMatchObject({ uploadId: kept });
  await files.endPart(file.id, { number: 1, sizeBytes: 1, etag: 'x' });
  await files.forgetUpload(file.id, 'another');
  expect(await files.listParts(file.id)).toHaveLength(1);
  await files.forgetUpload(file.id, kept);
  expect(await files.listParts(file.id)).toEqual([]);
  expect(await files.beginUpload(file.id, 'd')).toBe('d');
  await files.update(file.id, ['awaiting_upload'], { status: 'deleted' });
  expect(await files.beginUpload(file.id, 'e')).toBeNull();
  expect(await files.beginUpload('file_missing', 'e')).toBeNull();
  expect((await files.get(file.id))?.uploadId).toBe('d');
});
