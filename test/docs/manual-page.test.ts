import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { manualPage } from '../../scripts/write-man.ts';
import { tools } from '../../src/library/tools/registry.ts';
import { skipForMissing } from '../fixtures/missing-part.ts';

it('has every tool and its options', async () => {
  const page = await manualPage();
  for (const { slug } of tools) expect(page).toContain(`\n.SS ${slug.replaceAll('-', String.raw`\-`)}\n`);
  expect(page).toContain(String.raw`.B \-f, \-\-format <value>`);
});

it('is read by groff without a warning', async (context) => {
  if (spawnSync('groff', ['--version']).status !== 0) skipForMissing(context, 'groff');
  const page = await manualPage();
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tascii', '-ww', '-P-cbou'], {
    input: page,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('EXIT STATUS');
});
