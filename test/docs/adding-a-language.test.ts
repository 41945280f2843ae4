// @module-tag slower
// A third language of the website is one folder: a made one is added to a copy of the sources, and served.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { startService } from '../fixtures/service/running-service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'earshot-new-language-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Hebrew, so that it also runs the other way. */
const folder = `import { en, type Strings } from '../en/index.ts';

const cut = {
  title: 'Kuturo',
  summary: 'Kuturo summo',
  description: 'Kuturo longa.',
  examples: ['Kuturo ekzemplo'],
};

export const he: Strings = {
  ...en,
  frame: { ...en.frame, tools: 'Kelim' },
  toolTexts: { cut_audio: cut },
};
`;

it('is one folder with its texts: in the list, by what a browser asks for, and in the tools', async () => {
  for (const name of ['src', 'scripts']) cpSync(join(root, name), join(copy, name), { recursive: true });
  for (const name of ['node_modules', 'build', 'native', 'prebuilt', 'models', 'dist', 'docs', 'package.json'])
    symlinkSync(join(root, name), join(copy, name));
  const strings = join(copy, 'src/service/http/site/strings/he');
  mkdirSync(strings);
  writeFileSync(join(strings, 'index.ts'), folder);
  execFileSync(process.execPath, [join(copy, 'scripts/write-lists.ts')]);
  const service = await startService(join(copy, 'data'), [], {}, [], join(copy, 'src/cli/main.ts'));
  try {
    const page = async (path: string, headers: Record<string, string>): Promise<string> =>
      (await fetch(service.address + path, { headers: { accept: 'text/html', ...headers } })).text();
    const front = await page('/', { 'accept-language': 'he-IL,de;q=0.5' });
    expect(front).toContain('<html lang="he" dir="rtl"');
    expect(front).toMatch(/<a href="\/tools"[^>]*>Kelim<\/a>/);
    expect(front.match(/name="lang" value="\w+"/g)).toEqual(
      ['en', 'de', 'he'].map((code) => `name="lang" value="${code}"`),
    );
    expect(front).toContain('עברית');
    const tool = await page('/tools/cut', { cookie: 'lang=he' });
    for (const text of ['<h1>Kuturo', 'Kuturo longa.', 'Kuturo ekzemplo']) expect(tool).toContain(text);
    // A tool of which the folder says nothing is in English.
    expect(await page('/tools/loudness', { cookie: 'lang=he' })).toContain('<h1>Set loudness');
    expect(await page('/', { 'accept-language': 'de' })).toContain('<html lang="de" dir="ltr"');
  } finally {
    await service.stop();
  }
});
