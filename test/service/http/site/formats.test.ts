// Small things that pages say of files.
import { expect, it } from 'vitest';
import { resultFirst } from '../../../../src/service/http/site/account/chain-parts.ts';
import { lengthOf } from '../../../../src/service/http/site/account/formats.ts';

it('rounds a length as the player beside it does', () => {
  // The player of the same page says 0:25.3, 0:53.3 and 1:00.0.
  expect([25.29, 53.28, 0.04, 59.96, 60, 3599.9].map(lengthOf)).toEqual([
    '0:25.3',
    '0:53.3',
    '0:00.0',
    '1:00',
    '1:00',
    '59:59',
  ]);
});

it('names subtitles after the file that players read, and all else after its first', () => {
  const files = ['film.json', 'film.srt', 'film.txt'].map((filename) => ({ filename }));
  const names = (recipe: string | null) => resultFirst(recipe, files).map(({ filename }) => filename);
  expect(names('subtitles')).toEqual(['film.srt', 'film.json', 'film.txt']);
  expect(names('podcast')).toEqual(['film.json', 'film.srt', 'film.txt']);
  expect(names(null)[0]).toBe('film.json');
});
