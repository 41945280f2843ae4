// The table of whole commands in docs/figures.md is the data that `npm run bench -- --write` keeps.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../bench/commands/rows.ts';
import { figuresPage, lastFigures, pageWith } from '../../bench/commands/table.ts';

describe('The bench of whole commands', () => {
  it('has written docs/figures.md from what it keeps', () => {
    const page = readFileSync(figuresPage, 'utf8');
    expect(pageWith(page, lastFigures())).toBe(page);
  });

  it('keeps figures of its own rows, in their order', () => {
    const names = (rows: readonly { readonly work: string; readonly peer: string }[]): string[] =>
      rows.map(({ work, peer }) => `${work} beside ${peer}`);
    for (const { seconds, rows } of lastFigures()) {
      const kept = names(rows);
      expect(kept).not.toHaveLength(0);
      expect(names(rowsOf(seconds, '/tmp')).filter((name) => kept.includes(name))).toStrictEqual(kept);
    }
  });
});
