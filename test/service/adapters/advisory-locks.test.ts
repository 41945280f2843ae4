import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../../src/', import.meta.url));
const locks = 'service/adapters/advisory-locks.ts';

it('advisory locks are taken in one file, each number for one thing', () => {
  const taking = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && readFileSync(join(src, path), 'utf8').includes('pg_advisory'),
  );
  expect(taking).toEqual([locks]);
  const numbers = readFileSync(join(src, locks), 'utf8').match(/\b\d{7}\b/g) ?? [];
  expect(new Set(numbers).size).toBe(numbers.length);
});
