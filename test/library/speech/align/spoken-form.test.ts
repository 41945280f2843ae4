import { expect, it } from 'vitest';
import { spokenForm } from '../../../../src/library/speech/align/script/spoken-form.ts';

it.each([
  ['en', 'world.', 'world', '.'],
  ['en', '“Hello,”', 'Hello', ','],
  ['en', 'don’t', "don't", ''],
  ['en', 'Dr.', 'doctor', ''],
  ['en', 'etc.,', 'et cetera', ','],
  ['de', 'z.B.', 'zum Beispiel', ''],
  ['de', 'Haus.', 'Haus', '.'],
  ['fr', 'Mme', 'madame', ''],
  ['en', '1,994', '1,994', ''],
  ['en', '-5', '-5', ''],
  ['en', '-Hello', 'Hello', ''],
  ['en', '$5.50', '5.50 dollars', ''],
  ['de', '50€', '50 Euro', ''],
  ['en', '1994', '19 94', ''],
  ['en', '1905', '19 oh 5', ''],
  ['en', '2005', '2005', ''],
  ['de', '1994', '1994', ''],
  ['en', '50%', '50%', ''],
  ['en', '&', '&', ''],
  ['en', '—', '', ','],
  ['en', '♪', '', ''],
  ['en', '👨‍👩‍👧!', '', '.'],
  ['en', 'sun☀️shine', 'sunshine', ''],
  ['en', '<i>never</i>', 'never', ''],
  ['en', '{\\an8}Up', 'Up', ''],
  ['en', 'constructor', 'constructor', ''],
  ['en', '__proto__,', 'proto', ','],
  ['en', '**bold**', 'bold', ''],
  ['en', 'and/or', 'and or', ''],
  ['ja', '「こんにちは」。', 'こんにちは', '.'],
  ['es', '¿Qué?', 'Qué', '.'],
  ['fr', 'N.\u00A0B.', 'N. B', '.'],
])('%s: %s is spoken as "%s" with the mark "%s"', (language, written, spoken, mark) => {
  expect(spokenForm(written, language)).toEqual({ spoken, mark });
});
