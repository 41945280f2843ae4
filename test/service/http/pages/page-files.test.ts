import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readScript, readStyle } from '../../../../src/service/http/pages/page-files.ts';

const folder = new URL('../../../../src/service/http/pages/browser/', import.meta.url);

it('makes the script of a page one classic script', async () => {
  const script = await readScript('upload-page');
  expect(() => new Script(script)).not.toThrow();
  expect(script).not.toMatch(/^(?:import|export)\b/m);
  // Before it used the client, it was 4.6 kB.
  expect(gzipSync(script, { level: 9 }).length).toBeLessThan(5000);
});

it('hands styles on as they are', () =>
  expect(readStyle('upload-page.css')).toBe(readFileSync(new URL('upload-page.css', folder), 'utf8')));

it('refuses a script of a page that is not there', () => expect(readScript('nothing')).rejects.toThrow(/nothing/));

it('is copied to dist by the build, all of it', () => {
  const root = new URL('../../../../', import.meta.url);
  const { scripts, files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    scripts: Record<string, string>;
    files: string[];
  };
  expect(scripts['build']).toContain('node scripts/copy-page-files.mjs');
  expect(files).toContain('dist');
  const dist = mkdtempSync(join(tmpdir(), 'earshot-pages-'));
  execFileSync(process.execPath, ['scripts/copy-page-files.mjs', dist], { cwd: root });
  const copied = join(dist, 'service/http/pages/browser');
  const styles = readdirSync(folder);
  expect(styles).toContain('upload-page.css');
  expect(readdirSync(copied).sort()).toEqual([...styles, 'upload-page.js'].sort());
  for (const name of styles) expect(readFileSync(join(copied, name))).toEqual(readFileSync(new URL(name, folder)));
  rmSync(dist, { recursive: true });
});
