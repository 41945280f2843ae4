// What a page loads, as it is sent: compressed.
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

interface Builder {
  buildScript(name: string): Promise<string>;
  buildStyle(): string;
  scriptNames(): readonly string[];
}

/** kB of 1000 bytes. */
const budgets: Readonly<Record<string, number>> = {
  client: 3,
  recipe: 20,
  chain: 15,
  tool: 25,
  editor: 60,
  analyse: 3,
  record: 2,
  device: 5,
  offline: 2,
  ranges: 7,
  pauses: 7,
  listed: 7,
  offset: 5,
  upload: 3,
  written: 15,
  timelines: 8,
  'upload-page': 5,
  front: 5,
  frame: 2,
  run: 2,
  passkey: 2,
  print: 1,
  files: 2,
};

it('stays within what each page may load', async () => {
  const { buildScript, buildStyle, scriptNames } = (await import(
    new URL('../../scripts/build-site.mjs', import.meta.url).href
  )) as Builder;
  const size = (text: string): number => gzipSync(text, { level: 9 }).length / 1000;
  for (const name of scriptNames()) {
    const script = await buildScript(name);
    expect(Object.keys(budgets)).toContain(name);
    expect([name, size(script) < (budgets[name] ?? 0)]).toEqual([name, true]);
    // Nothing is fetched from elsewhere, nor made of text.
    expect(script).not.toMatch(/https:\/\/(?!earshot)[\w.-]+\.\w+\/|\beval\(|new Function/);
  }
  expect(size(buildStyle())).toBeLessThan(20);
});
