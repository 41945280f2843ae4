import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { toolIds } from '../../src/library/contract/tool-ids.ts';
import { slow } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');

it('the types of the Python client were made of the openapi.json of today', slow, () => {
  const run = (): unknown =>
    execFileSync(process.execPath, [`${root}scripts/write-python-types.ts`, '--check'], { stdio: 'pipe' });
  expect(run).not.toThrow();
});

it('the Python client has the version of the service, its licence, and a signature for each tool', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  expect(read('clients/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`);
  expect(read('clients/python/LICENSE')).toBe(read('LICENSE'));
  const calls = read('clients/python/src/earshot_client/_tool_calls.py');
  for (const id of toolIds) expect(calls.split(`tool: Literal["${id}"]`), id).toHaveLength(5);
});
