// What attempts hand to the next ones: bounded, and packed as the database keeps it.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packParts, unpackParts } from '../../../../src/service/adapters/postgres/jobs/packed-parts.ts';
import { Resumable } from '../../../../src/service/rules/worker/resumable.ts';

test('parts are kept once, with those of earlier attempts, up to 8 MiB', () => {
  const resumable = new Resumable([{ key: 'a', value: 1 }]);
  resumable.add({ key: 'a', value: 2 });
  const large = 'x'.repeat(3 * 2 ** 20);
  for (const key of ['b', 'c', 'd']) resumable.add({ key, value: large });
  resumable.add({ key: 'e', value: [] });
  expect(resumable.all.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'e']);
  expect(resumable.all[0]?.value).toBe(1);
});

test('what cannot be read is done again', () => {
  const parts = [{ key: 'a', value: [{ text: 'naïve', at: 0.25 }] }];
  expect(unpackParts(packParts(parts) ?? Buffer.alloc(0))).toEqual(parts);
  expect(packParts([])).toBeNull();
  for (const damaged of [Buffer.alloc(0), Buffer.from('text'), gzipSync('{'), gzipSync('7'), gzipSync('[null, 7, {}]')])
    expect(unpackParts(damaged)).toEqual([]);
});
