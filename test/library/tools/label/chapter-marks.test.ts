import { expect, it } from 'vitest';
import { readChapterMarks } from '../../../../src/library/tools/chapter-marks.ts';

const marks = [
  { startSeconds: 0, title: 'Intro' },
  { startSeconds: 3661.5, title: 'Questions: "why"' },
];

it.each([
  ['lines', '\uFEFF0:00 Intro\r\n\r\n1:01:01.5 Questions: "why"\r\n'],
  ['a list with dashes and brackets', '- [0:00] Intro\n* (01:01:01,5) \u2013 Questions: "why"'],
  ['seconds', '0 Intro\n3661.5 Questions: "why"'],
  ['labels of Audacity', '0.000000\t0.000000\tIntro\n\\\t100.0\t200.0\n3661.500000\t3662.0\tQuestions: "why"\n'],
  ['JSON', JSON.stringify({ chapters: marks.map(({ startSeconds, title }) => ({ startTime: startSeconds, title })) })],
])('%s are chapters', (_, text) => expect(readChapterMarks(text, 'list')).toEqual(marks));

it('a title may begin with a number, and JSON may say where a chapter ends', () => {
  expect(readChapterMarks('0:10 3 questions', 'list')).toEqual([{ startSeconds: 10, title: '3 questions' }]);
  expect(readChapterMarks('{"chapters":[{"startTime":1,"endTime":2}]}', 'list')).toEqual([
    { startSeconds: 1, endSeconds: 2, title: '' },
  ]);
});

it.each([
  ['0:00 Intro\nQuestions', 'line 2 of list but received "Questions"'],
  ['0:00', 'line 1 of list but received "0:00"'],
  ['1:75:00:00 x', 'line 1 of list'],
  ['a\tb\tIntro', 'line 1 of list'],
  [' \n', 'Expected chapters in list, but there are none'],
  ['{"chapters": 3}', 'it has no list "chapters"'],
  ['{"chapters": [', 'it is no JSON'],
  ['{"chapters": [{"startTime": "1"}]}', '"startTime" of number 1 is no number of seconds'],
  ['{"chapters": [{"startTime": 1, "title": 2}]}', '"title" of number 1 is no text'],
])('%j is refused', (text, message) => {
  expect(() => readChapterMarks(text, 'list')).toThrow(expect.objectContaining({ code: 'bad_request' }));
  expect(() => readChapterMarks(text, 'list')).toThrow(message);
});
