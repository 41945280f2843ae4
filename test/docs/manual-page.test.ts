import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { manualPage } from '../../scripts/write-man.ts';
import { tools } from '../../src/library/tools/registry.ts';

const groff = spawnSync('groff', ['--version']).status === 0;

it('has every tool and its options, and is read by groff without a warning', async () => {
  const page = await manualPage();
  for (const { slug } of tools) expect(page).toContain(`\n.SS ${slug.replaceAll('-', String.raw`\-`)}\n`);
  expect(page).toContain(String.raw`.B \-f, \-\-format <value>`);
  if (!groff) return;
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tascii', '-ww'], { input: page, encoding: 'utf8' });
  expect(stderr).toBe('');
  // Bold letters are written twice, one over the other.
  expect(stdout.replaceAll(/.\u0008/g, '')).toContain('EXIT STATUS');
});
