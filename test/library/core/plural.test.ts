import { expect, it } from 'vitest';
import { formOf } from '../../../src/library/core/plural.ts';
import type { Strings } from '../../../src/service/http/site/strings/en/index.ts';

/** A language may have more forms than English: this compiles. */
const polish: Strings['files']['used'] = {
  one: '{n} plik',
  few: '{n} pliki',
  many: '{n} plików',
  other: '{n} pliku',
};

it('counts in the forms that a language has', () => {
  expect([1, 2, 5, 22, 25, 1.5].map((n) => formOf('pl', polish, n))).toEqual([
    '{n} plik',
    '{n} pliki',
    '{n} plików',
    '{n} pliki',
    '{n} plików',
    '{n} pliku',
  ]);
  const arabic = { zero: 'none', one: 'one', two: 'two', few: 'few', many: 'many', other: 'other' };
  expect([0, 1, 2, 3, 11, 100].map((n) => formOf('ar', arabic, n))).toEqual([
    'none',
    'one',
    'two',
    'few',
    'many',
    'other',
  ]);
});

it('says the usual form where one is missing', () => {
  expect(formOf('pl', { one: '{n} plik', other: '{n} pliku' }, 2)).toBe('{n} pliku');
});
