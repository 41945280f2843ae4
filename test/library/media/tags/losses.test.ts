// What a finished file does not have of its sources is said by name.
import { expect, it } from 'vitest';
import type { Chapter, MediaFacts } from '../../../../src/library/media/facts.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { lossesIn } from '../../../../src/library/media/write/losses.ts';
import { readTags } from '../../../../src/library/media/write/read-tags.ts';
import { scratch, writeAll } from '../../../fixtures/media/media.ts';

const at = scratch();
const rate = 8000;
const chapter = (title: string, startSeconds: number): Chapter => ({
  title,
  startSeconds,
  endSeconds: startSeconds + 1,
});
const three = [chapter('Opening', 0), chapter('Advert', 1), chapter('Advert', 2)];

function file(name: string, words: Readonly<Record<string, string>>, chapters: readonly Chapter[] = []): MediaFacts {
  writeAll(at(name), [new Float32Array(3 * rate)], rate, { format: 'flac', tags: words, chapters });
  return probe(at(name));
}

it('tags and chapters of every further file are named, not only the first one’s', () => {
  const first = file('first.flac', { TITLE: 'One', ARTIST: 'Ann' });
  const second = file('second.flac', { TITLE: 'Another', ARTIST: 'Ann', COMPOSER: 'Bert' });
  const third = file('third.flac', { ALBUM: 'Third' }, three);
  const said = lossesIn(file('copy.flac', { TITLE: 'One', ARTIST: 'Ann' }, [chapter('Another', 1)]), 'flac', {
    sources: [first, second],
    besides: [third],
    tags: readTags(first),
    chapters: [],
  });
  expect(said).toEqual([
    {
      code: 'tags_not_kept',
      message: 'Not in the output, which has those of the first file: composer, album, chapters',
    },
  ]);
});

it('chapters that a cut removes are counted and named', () => {
  const source = file('source.flac', {}, three);
  const kept = [chapter('Opening', 0), chapter('Advert', 1)];
  const expected = (chapters: readonly Chapter[]): Parameters<typeof lossesIn>[2] => ({
    sources: [source],
    tags: readTags(source),
    chapters,
  });
  expect(lossesIn(source, 'flac', expected(three))).toEqual([]);
  expect(lossesIn(file('two.flac', {}, kept), 'flac', expected(kept))).toEqual([
    { code: 'chapters_dropped', message: '1 chapter was cut out: Advert' },
  ]);
  expect(lossesIn(file('none.flac', {}), 'flac', expected([]))).toEqual([
    { code: 'chapters_dropped', message: '3 chapters were cut out: Opening, Advert, Advert' },
  ]);
});
