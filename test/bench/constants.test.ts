// Every number of src/library/{dsp,speech} that has a name says in docs/constants where it comes from, with the value
// that it has now. Numbers that a measure chose are measured by `npm run bench:constants`.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { differing } from '../../bench/constants/check-pages.ts';
import { families, familyOf, sourceOf } from '../../bench/constants/families.ts';
import { notMeasured, page, pagePath, readFigures, readRows, rowOf, shownValue } from '../../bench/constants/pages.ts';
import { constantsOfText, keyOf, root, sourceConstants } from '../../bench/constants/source-constants.ts';
import { rulesOfText } from '../../bench/constants/source-rules.ts';
import { sources } from '../../bench/constants/sources/all.ts';
import { unitOf } from '../../bench/constants/units.ts';
import { variationOf } from '../../bench/constants/variations.ts';
import { slow } from '../fixtures/rounds.ts';

/** May only fall. */
const mostNotMeasured = 0;

const constants = sourceConstants();
const rows = families.flatMap(({ id }) => readRows(id).map((row) => ({ ...row, family: id })));
const asNow = 'npm run bench:constants -- --write brings the tables up to date with the source';
const anew = (family: string, name: string): string =>
  `npm run bench:constants -- --family ${family} --only ${name} --write measures it anew`;

test("every constant is in its family's table, once, with its value; no table has another", () => {
  const wrong: string[] = [];
  const keys = new Set(constants.map(keyOf));
  for (const constant of constants) {
    const found = rows.filter((row) => keyOf(row) === keyOf(constant));
    const family = familyOf(constant.file).id;
    if (found.length !== 1 || found[0]?.family !== family)
      wrong.push(
        `${keyOf(constant)} is in ${found.map((row) => row.family).join() || 'no table'}, not ${family}: ${asNow}`,
      );
    else if (found[0].value !== shownValue(constant))
      wrong.push(
        `${keyOf(constant)} is ${shownValue(constant)} and docs/constants/${family}.md has ${found[0].value}: ` +
          (sourceOf(constant)?.isTuned === false ? asNow : anew(family, constant.name)),
      );
    else if (found[0].source === '') wrong.push(`${keyOf(constant)} has no source`);
  }
  for (const row of rows)
    if (!keys.has(keyOf(row)))
      wrong.push(`docs/constants/${row.family}.md has ${keyOf(row)}, the source has not: ${asNow}`);
  expect(wrong).toEqual([]);
});

test('tables are as they are written', slow, () => {
  const earlier = families.flatMap(({ id }) => readRows(id));
  for (const family of families) {
    const own = constants
      .filter(({ file }) => familyOf(file).id === family.id)
      .map((one) => rowOf(one, earlier, constants));
    const written = readRows(family.id);
    expect(written, `docs/constants/${family.id}.md: ${asNow}`).toEqual(own);
    expect(page(family, written, readFigures(family.id))).toBe(readFileSync(pagePath(family.id), 'utf8'));
  }
  const pages = readdirSync(`${root}docs/constants`).filter((name) => name !== 'README.md');
  expect(pages.toSorted()).toEqual(families.map(({ id }) => `${id}.md`).toSorted());
});

test('sources are of constants that there are', () => {
  const keys = new Set(constants.map(keyOf));
  const given = Object.entries(sources).flatMap(([file, names]) =>
    Object.keys(names).map((name) => keyOf({ file, name })),
  );
  expect(given.filter((key) => !keys.has(key))).toEqual([]);
});

test('a family has the measure of its name, and says that it has none only where there is none', () => {
  const there = readdirSync(`${root}bench/constants/measures`).map((name) => name.slice(0, -'.ts'.length));
  const missing = families.filter(({ id, measure }) => measure !== null && !there.includes(measure ?? id));
  const unused = families.filter(({ id, measure }) => measure === null && there.includes(id));
  expect([...missing, ...unused].map(({ id }) => id)).toEqual([]);
});

test('a fresh run is held against a page line by line', () => {
  const lines = (...values: readonly string[]): string =>
    values.map((value, at) => `- figure ${at}: ${value} (lower is better)`).join('\n');
  expect(differing(lines('1.20 s', '3'), lines('1.20 s', '3'))).toEqual([]);
  expect(differing(lines('1.20 s', '3'), lines('1.30 s'))).toEqual([
    '- figure 0: 1.20 s (lower is better) -> - figure 0: 1.30 s (lower is better)',
    '- figure 1: 3 (lower is better) -> (gone)',
  ]);
});

test('fewer and fewer constants are not measured', () => {
  const waiting = rows.filter(({ minus }) => minus === notMeasured).length;
  expect(waiting, 'measure the new constant').toBeLessThanOrEqual(mostNotMeasured);
});

test('the reader finds numbers and no other', () => {
  const text = `
    /** Decibels. */
    export const depthDb = -12;
    const sizes = { a: 1, 2: [0.5, 'x'] as const, f: () => 7 };
    const derived = depthDb * other;
    const half = (1_000 / 2) * depthDb;
    const name = 'a1';
    let moving = 3;
  `;
  const found = constantsOfText('x.ts', text);
  expect(found.map(({ name, literals }) => [name, literals.map((one) => one.text)])).toEqual([
    ['depthDb', ['12']],
    ['sizes', ['1', '0.5']],
    ['half', ['1_000', '2']],
  ]);
  expect(found.map(unitOf)).toEqual(['dB', 'numbers', 'ratio']);
  expect(found[0]?.doc).toBe('Decibels.');
  expect(found.map((one) => variationOf(one, 'minus').map(({ becomes }) => becomes))).toEqual([
    ['((-12) * 0.8)'],
    ['0.8', '0.4'],
    ['(((1_000 / 2) * depthDb) * 0.8)'],
  ]);
});

test('counts go to the next whole number that differs', () => {
  const [count] = constantsOfText('x.ts', 'const leastWords = 2;');
  expect(variationOf(count!, 'minus')[0]?.becomes).toBe('1');
  expect(variationOf(count!, 'plus')[0]?.becomes).toBe('3');
});

test('rules are what answers yes or no, and are switched off by one answer', () => {
  const text = `
    export function fits(x: number): boolean { return x > 2; }
    const holder = { is(second) { return second < 3; }, size: () => 4 };
    const mostly = (x: number): boolean => x > 5;
  `;
  expect(rulesOfText('x.ts', text).map(({ name, edits: [edit] }) => [name, edit?.text, edit?.becomes])).toEqual([
    ['fits = false', '{ return x > 2; }', '{ return false; }'],
    ['fits = true', '{ return x > 2; }', '{ return true; }'],
    ['is = false', '{ return second < 3; }', '{ return false; }'],
    ['is = true', '{ return second < 3; }', '{ return true; }'],
    ['mostly = false', 'x > 5', 'false'],
    ['mostly = true', 'x > 5', 'true'],
  ]);
});
