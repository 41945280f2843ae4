import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { toolIds } from '../../src/library/contract/tool-ids.ts';
import { slow } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');

it('the fields of the n8n node were made of the declarations of today', slow, () => {
  const run = (): unknown =>
    execFileSync(process.execPath, [`${root}scripts/write-n8n-node.ts`, '--check'], { stdio: 'pipe' });
  expect(run).not.toThrow();
});

it('the n8n node has the version of the service, its licence, and an operation for each tool', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  expect(JSON.parse(read('clients/n8n/package.json'))).toMatchObject({ version });
  expect(read('clients/n8n/LICENSE')).toBe(read('LICENSE'));
  const tools = read('clients/n8n/nodes/Earshot/tools.ts');
  for (const id of toolIds) expect(tools, id).toContain(`value: '${id}'`);
});
