// Chapters as files, against what their formats ask for.
import { expect, it } from 'vitest';
import { asJson, asNotes, asVtt } from '../../../src/site/recipe/chapter-files.ts';

const chapters = [
  { startSeconds: 0, title: 'Welcome' },
  { startSeconds: 187.25, title: ' Bread & <b>butter</b>\n--> more ' },
  { startSeconds: 3723.9996, title: 'Good night' },
];

it('are lines that begin with a time, for show notes', () => {
  expect(asNotes(chapters)).toBe('0:00 Welcome\n3:07 Bread & <b>butter</b> --> more\n1:02:03 Good night\n');
  expect(asNotes([])).toBe('');
});

it('are JSON chapters of the podcast namespace', () => {
  expect(JSON.parse(asJson(chapters))).toEqual({
    version: '1.2.0',
    chapters: [
      { startTime: 0, title: 'Welcome' },
      { startTime: 187.25, title: 'Bread & <b>butter</b> --> more' },
      { startTime: 3724, title: 'Good night' },
    ],
  });
});

it('are WebVTT in which each ends where the next begins, and no title is read as markup', () => {
  expect(asVtt(chapters, 4000)).toBe(
    [
      'WEBVTT',
      '',
      '00:00:00.000 --> 00:03:07.250',
      'Welcome',
      '',
      '00:03:07.250 --> 01:02:04.000',
      'Bread &amp; &lt;b&gt;butter&lt;/b&gt; --&gt; more',
      '',
      '01:02:04.000 --> 01:06:40.000',
      'Good night',
      '',
    ].join('\n'),
  );
});
