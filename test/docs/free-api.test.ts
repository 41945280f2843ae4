// The page's curl lines say fields that the tools take, one line for every tool.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toolSlugs } from '../../src/library/contract/tool-ids.ts';
import { formOf } from '../../src/service/http/interface/tool-form.ts';
import { createFormReader } from '../../src/service/http/try/form.ts';
import { settings } from '../../src/service/rules/settings/config.ts';
import { offeredTools as tools } from '../../src/service/offers/offers.ts';

const read = (page: string): string => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
const page = read('docs/free-api.md');
const requests = (text: string): RegExpExecArray[] => [
  ...text.matchAll(/^curl (.*) (?:\$base|http:\/\/127\.0\.0\.1:3000)\/api\/try\/([\w-]+)/gm),
];

it('has one curl line for each tool', () => {
  const slugs = requests(page).map(([, , slug]) => slug);
  expect(slugs).toHaveLength(Object.values(toolSlugs).length);
  expect(new Set(slugs)).toEqual(new Set(Object.values(toolSlugs)));
});

it.each(['docs/free-api.md', 'README.md'])('%s sends what the form of the tool takes', (name) => {
  const lines = requests(read(name));
  expect(lines.length).toBeGreaterThan(1);
  for (const [line, flags = '', slug] of lines) {
    const tool = tools.find((each) => each.slug === slug) ?? expect.fail(line);
    const reader = createFormReader(formOf(tool), 'text', false);
    for (const [, quoted, plain] of flags.matchAll(/-F (?:'([^']*)'|(\S+))/g)) {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(quoted ?? plain ?? '') ?? [];
      if (value.startsWith('@')) reader.addFile(reader.fileField(name, false), { id: 'file_1', mark: value });
      else reader.addValue(name, value);
    }
    expect(Object.keys(reader.finish().inputs).length, line).toBeGreaterThan(0);
  }
});

it('names settings that there are', () => {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env));
  const named = [...page.matchAll(/EARSHOT_[A-Z_]+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
