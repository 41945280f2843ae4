// The guide's error table and the one that answers are the same, both ways.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { statusByCode } from '../../src/service/http/server/errors.ts';

it('docs/rest-api.md lists every error code with the status it has', () => {
  const guide = readFileSync(new URL('../../docs/rest-api.md', import.meta.url), 'utf8');
  const documented: Record<string, number> = {};
  for (const [, status, codes] of guide.matchAll(/^\| (\d{3}) \| (.+) \|$/gm))
    for (const [, code] of (codes ?? '').matchAll(/`(\w+)`/g)) documented[code ?? ''] = Number(status);
  expect(documented).toEqual(statusByCode);
});
