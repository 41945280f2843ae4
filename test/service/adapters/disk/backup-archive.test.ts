// Archives that were not made by `earshot backup`, or were changed with their sums.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expect, it } from 'vitest';
import { checkArchive } from '../../../../src/service/adapters/disk/backup-archive.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-archive-');
let number = 0;

async function archive(...members: readonly (readonly [name: string, text: string])[]): Promise<string> {
  const tar = pack();
  const sums = new Map(members.map(([name, text]) => [name, createHash('sha256').update(text).digest('hex')]));
  for (const [name, text] of members) tar.entry({ name }, text);
  tar.entry({ name: 'SHA256SUMS' }, Array.from(sums, ([name, sum]) => `${sum}  ${name}\n`).join(''));
  tar.finalize();
  const path = join(folder, `${(number += 1)}.tar`);
  writeFileSync(path, await buffer(tar));
  return path;
}

it('an archive is refused whose manifest is no JSON or too long, or that has a member twice', async () => {
  expect(await checkArchive(await archive(['manifest.json', '{"format":1}'], ['objects/a', 'x']))).toEqual({
    format: 1,
  });
  for (const harmed of [
    await archive(['manifest.json', '{nope']),
    await archive(['manifest.json', JSON.stringify('x'.repeat(2_000_000))]),
    await archive(['manifest.json', '{"format":1}'], ['objects/a', 'x'], ['objects/a', 'x']),
  ])
    await expect(checkArchive(harmed)).rejects.toMatchObject({ code: 'file_invalid' });
});
