import { expect, test } from 'vitest';
import { rotateTokenKeys } from '../../../../../src/service/rules/shared/token-keys.ts';
import { useDatabases } from '../../../../fixtures/service/database.ts';

const databases = useDatabases();

test('keys are rotated after their days, each table by itself', async () => {
  const { tokenKeys, programKeys } = await databases.freshStores();
  const day = 86_400_000;
  const start = new Date();
  const rotate = (days: number): Promise<void> =>
    rotateTokenKeys(tokenKeys, new Date(start.getTime() + days * day), { days: 30, longestSeconds: 60 });
  await rotate(0);
  await rotate(29);
  expect(await tokenKeys.list()).toHaveLength(1);
  await rotate(31);
  expect(await tokenKeys.list()).toHaveLength(2);
  // The other table has keys of its own.
  expect(await programKeys.list()).toEqual([]);
});

test('of processes that make the first key at once, one does', async () => {
  const { programKeys } = await databases.freshStores();
  const madeAt = new Date();
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((id) => programKeys.add({ id, secret: `secret of ${id}`, madeAt }, new Date(0))),
  );
  expect(await programKeys.list()).toHaveLength(1);
});
