import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, expectTypeOf, it } from 'vitest';
import { toolIds } from '../../src/library/contract/tool-ids.ts';
import { bodies } from '../clients/bodies.ts';
import type { ErrorCode as OwnCode } from '../../src/library/core/errors/errors.ts';
import type { ToolId as OwnToolId } from '../../src/library/contract/tool-ids.ts';
import type { Client, ErrorCode, InputsByTool, ToolId } from '../../src/client.ts';
import { slow } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('the types of the client were made of the openapi.json of today', slow, () => {
  const run = (): unknown =>
    execFileSync(process.execPath, [join(root, 'scripts/write-client-types.ts'), '--check'], { stdio: 'pipe' });
  expect(run).not.toThrow();
});

it('know the tools and the errors that there are', () => {
  expectTypeOf<ToolId>().toEqualTypeOf<OwnToolId>();
  expectTypeOf<ErrorCode>().toEqualTypeOf<OwnCode>();
  expectTypeOf<keyof InputsByTool>().toEqualTypeOf<OwnToolId>();
  expectTypeOf<InputsByTool['cut_audio']['ranges']>().toEqualTypeOf<readonly (readonly [number, number])[]>();
});

it('generated clients are tried with a body of every tool', () => {
  expect(new Set(bodies.map(({ tool }) => tool))).toEqual(new Set(toolIds));
});

/** Never called: the compiler alone reads it. */
export async function callers(client: Client): Promise<void> {
  await client.run('adjust_loudness', { file_id: 'file_1', target: 'custom', custom_lufs: -19 });
  await client.run('mix_tracks', { tracks: [{ file_id: 'file_1', role: 'music' }] });
  // @ts-expect-error -- no such tool
  await client.run('adjust_loudnes', { file_id: 'file_1' });
  // @ts-expect-error -- no file
  await client.run('adjust_loudness', { target: 'podcast' });
  // @ts-expect-error -- another tool's option
  await client.run('adjust_loudness', { file_id: 'file_1', noise_reduction: 50 });
}

it('the example of docs/client.md compiles, strictly, as its readers would compile it', slow, async () => {
  const code = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/client.md'), 'utf8'))?.[1] ?? '';
  expect(code).toContain("from 'earshot/client'");
  const folder = await mkdtemp(join(tmpdir(), 'earshot-client-types-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'example.ts'),
    code.replace("'earshot/client'", JSON.stringify(join(root, 'src/client.ts'))),
  );
  const options = [
    '--strict',
    '--noEmit',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
  ];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const { stdout, status } = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    [...options, ...types, join(folder, 'example.ts')],
    // Away from our own configuration.
    { encoding: 'utf8', cwd: folder },
  );
  expect([stdout, status]).toEqual(['', 0]);
  await rm(folder, { recursive: true });
});
