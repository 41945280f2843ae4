import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect, it } from 'vitest';
import { readScript, readStyle } from '../../../../src/service/http/pages/page-files.ts';

const folder = new URL('../../../../src/service/http/pages/browser/', import.meta.url);

it('joins the modules of a page to one classic script, each once and before those that need it', () => {
  const script = readScript('upload-page.js');
  expect(() => new Script(script)).not.toThrow();
  const places = ['function formatBytes(', 'class TransferError ', 'function start('].map((text) => {
    expect(script.split(text), text).toHaveLength(2);
    return script.indexOf(text);
  });
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(script).not.toMatch(/^(?:import|export)\b/m);
});

it('hands styles on as they are', () =>
  expect(readStyle('upload-page.css')).toBe(readFileSync(new URL('upload-page.css', folder), 'utf8')));

it('refuses a script of a page that is not there', () => expect(() => readScript('nothing.js')).toThrow(/ENOENT/));

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
  const served = readdirSync(folder).filter((name) => !name.endsWith('.json'));
  expect(served.length).toBeGreaterThan(3);
  expect(readdirSync(copied).sort()).toEqual(served.sort());
  for (const name of served) expect(readFileSync(join(copied, name))).toEqual(readFileSync(new URL(name, folder)));
  rmSync(dist, { recursive: true });
});
