import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { documentKind, readScript, type Cue } from '../../../../src/library/speech/transcript/read/script.ts';
import { slow } from '../../../fixtures/rounds.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`read script: seed ${seed} (SEED=${seed} repeats it)`);

function cuesOf(content: string | Uint8Array): readonly Cue[] {
  const script = readScript(content);
  if (script.format === 'txt') throw new Error(`Read as plain text: ${script.text.slice(0, 80)}`);
  return script.cues;
}

const brief = (content: string | Uint8Array) =>
  cuesOf(content).map(({ startSeconds, endSeconds, lines }) => [startSeconds, endSeconds, lines.join('|')]);

const two = [
  [1, 2, 'Hello'],
  [3, 4.5, 'Bye'],
];
const plain = '1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,500\nBye\n';

test.each([
  ['as the format says', plain],
  ['byte order mark and CRLF', `\uFEFF${plain.replaceAll('\n', '\r\n')}`],
  ['CR alone', plain.replaceAll('\n', '\r')],
  ['no hours, points', '1\n00:01.000 --> 00:02.000\nHello\n\n2\n00:03.000 --> 00:04.500\nBye'],
  ['short fractions', '1\n0:00:01 --> 0:00:02,0\nHello\n\n2\n0:00:03 --> 0:00:04.5\nBye'],
  ['no numbers', '00:00:01,000 --> 00:00:02,000\nHello\n\n00:00:03,000 --> 00:00:04,500\nBye\n'],
  ['no empty lines', '1\n00:00:01,000 --> 00:00:02,000\nHello\n2\n00:00:03,000 --> 00:00:04,500\nBye\n'],
  ['many empty lines', `\n\n${plain.replaceAll('\n\n', '\n\n \n\t\n')}\n\n\n`],
  ['blanks in the times', '1\n00: 00: 01, 000 -> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04, 500\nBye'],
  ['positions behind', plain.replaceAll(/(,\d+)$/gm, '$1 X1:117 X2:619 Y1:042 Y2:428')],
  ['a broken time', `1\n00:00:xx,000 --> 00:00:02,000\nLost\n\n${plain}`],
  ['a typographic arrow', plain.replaceAll('-->', '→').replace('→', '–>')],
  [
    'WebVTT',
    `WEBVTT - a title\nKind: captions\n\nNOTE\nof no\ninterest\n\nSTYLE\n::cue { color: red }\n
first\n00:01.000 --> 00:02.000 align:start position:0%\nHello\n\nNOTE 00:01 is early\n
00:00:03.000 --> 00:00:04.500\n<v Anna><c.loud>Bye</c></v>\n`,
  ],
  ['WebVTT without empty lines', 'WEBVTT\n00:01.000 --> 00:02.000\nHello\n00:00:03.000 --> 00:00:04.500\nBye'],
])('%s', slow, (_, content) => expect(brief(content)).toEqual(two));

test('encodings', () => {
  const text = '1\n00:00:01,000 --> 00:00:02,000\nÜber Größe – “so”\n';
  const expected = [[1, 2, 'Über Größe – “so”']];
  const utf16 = new Uint8Array(Buffer.from(text, 'utf16le'));
  const swapped = new Uint8Array(Buffer.from(text, 'utf16le').swap16());
  expect(brief(new TextEncoder().encode(text))).toEqual(expected);
  expect(brief(new Uint8Array([0xff, 0xfe, ...utf16]))).toEqual(expected);
  expect(brief(new Uint8Array([0xfe, 0xff, ...swapped]))).toEqual(expected);
  expect(brief(utf16)).toEqual(expected);
  expect(brief(swapped)).toEqual(expected);
  const windows = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n\xdcber Gr\xf6\xdfe \x96 \x93so\x94\n', 'latin1');
  expect(brief(windows)).toEqual(expected);
});

test('styling is taken out and lines stay', () => {
  const cue = (text: string) => cuesOf(`1\n00:00:01,000 --> 00:00:02,000\n${text}\n`)[0];
  expect(cue('{\\an8}<i>First</i>\n<font color="#ff0000">second</font> {y:i}line')).toMatchObject({
    lines: ['First', 'second line'],
    voice: null,
  });
  expect(cue('3 < 5 > 4, a <third> & b, AT&T &amp; &#228;&#x4e2d;&lt;i&gt; &bogus;')?.lines).toEqual([
    '3 < 5 > 4, a <third> & b, AT&T & ä中<i> &bogus;',
  ]);
  expect(cue('<v.loud Jörg &amp; Co>Hi</v> <v Eva>there</v><00:00:01.500>!<br>new')).toMatchObject({
    lines: ['Hi there!', 'new'],
    voice: 'Jörg & Co',
  });
  expect(cue('<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>です')?.lines).toEqual(['漢字です']);
});

test('text with empty lines and numbers in it is kept; a number above times is none', () => {
  expect(
    brief('1\n00:00:01,000 --> 00:00:02,000\nIn\n\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\n7\n\n3\n0:05 --> 0:06\n9'),
  ).toEqual([
    [1, 2, 'In|1984'],
    [3, 4, '7'],
    [5, 6, '9'],
  ]);
  // Without numbers, a line of digits is what is said.
  expect(brief('00:00:01,000 --> 00:00:02,000\nTen\n9\n00:00:03,000 --> 00:00:04,000\n8')).toEqual([
    [1, 2, 'Ten|9'],
    [3, 4, '8'],
  ]);
});

test('times that cannot be are forgiven, overlaps and disorder stay', () => {
  expect(
    brief(
      '1\n-00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:09,000 --> 00:00:04,000\nb\n\n3\n' +
        '00:00:03,000 --> 00:00:10,000\nc\n\n4\n123:00:00,000 --> 123:00:01,000\nd\n\n5\n0:07 --> 0:08\n\n',
    ),
  ).toEqual([
    [0, 2, 'a'],
    [9, 9, 'b'],
    [3, 10, 'c'],
    [442_800, 442_801, 'd'],
  ]);
});

test('anything else is plain text', () => {
  expect(readScript('\uFEFFOne.\r\n\r\nTwo --> three.\r')).toEqual({ format: 'txt', text: 'One.\n\nTwo --> three.\n' });
  expect(readScript('')).toEqual({ format: 'txt', text: '' });
  expect(readScript('WEBVTTs are files')).toMatchObject({ format: 'txt' });
  expect(readScript('WEBVTT')).toEqual({ format: 'vtt', cues: [] });
});

/** Text of one line that no reader may change: no markup, no references, no times, blanks inside only. */
const lineOfText = fc
  .string({ unit: fc.constantFrom(...Array.from('abz 09.,!?äß中語שא🎧')), minLength: 1, maxLength: 40 })
  .map((line) => line.replaceAll(/\s+/g, ' ').trim())
  .filter((line) => line !== '' && !/^\d+$/.test(line));
const millis = fc.integer({ min: 0, max: 359_999_999 });
const someCues = fc.array(fc.tuple(millis, millis, fc.array(lineOfText, { minLength: 1, maxLength: 3 })), {
  minLength: 1,
  maxLength: 12,
});

function stamp(ms: number, separator: string): string {
  const pad = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, '0');
  return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1000) % 60)}${separator}${pad(ms % 1000, 3)}`;
}

test('subtitles whose cues hold no text are subtitles, not numbers to read', () => {
  const none = { format: 'srt', cues: [] };
  expect(readScript('1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,500\n')).toEqual(none);
  expect(readScript('\n00:01.000 --> 00:02.000\n<i></i>\n{\\an8}\n')).toEqual(none);
  // What is written above the first time belongs to no cue.
  const text = 'He left at\n00:00:01,000 --> 00:00:02,000\n';
  expect(readScript(text)).toEqual({ format: 'txt', text });
});

test('what was written is read again, whatever the shape', () => {
  fc.assert(
    fc.property(
      someCues,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom('\n', '\r\n', '\r'),
      (cues, vtt, mark, numbered, newline) => {
        const separator = vtt ? '.' : ',';
        const blocks = cues.map(
          ([from, to, lines], index) =>
            `${numbered ? `${index + 1}\n` : ''}${stamp(from, separator)} --> ${stamp(to, separator)}\n` +
            lines.join('\n'),
        );
        const text = `${mark ? '\uFEFF' : ''}${vtt ? 'WEBVTT\n\n' : ''}${blocks.join('\n\n')}\n`;
        const read = cuesOf(text.replaceAll('\n', newline));
        expect(read).toEqual(
          cues.map(([from, to, lines]) => ({
            startSeconds: from / 1000,
            endSeconds: Math.max(from, to) / 1000,
            lines,
            voice: null,
          })),
        );
      },
    ),
    { seed, numRuns: 300 },
  );
});

test('anything is read without a throw, and every cue holds a line and times in order', () => {
  const piece = fc.constantFrom(
    ...'WEBVTT|\n|\n\n|\r|00:00:01,000| --> |1|<v |>|<|{\\|}|&amp;|&#|;'.split('|'),
    ...'00:01.5 --> 00:02|text|\0|\uFEFF|<rt>|</|-|:|999999999999'.split('|'),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
        fc.string(),
      ),
      (text) => {
        const script = readScript(text);
        expect(readScript(new TextEncoder().encode(text)).format).toBe(script.format);
        if (script.format === 'txt') return;
        for (const { startSeconds, endSeconds, lines } of script.cues) {
          expect(lines.length).toBeGreaterThan(0);
          expect(startSeconds).toBeGreaterThanOrEqual(0);
          expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
        }
      },
    ),
    { seed, numRuns: 500, examples: [['\uFEFFWEBVTT\uFEFF'], ['\uFEFF\uFEFFWEBVTT']] },
  );
});

test('hostile megabytes take no longer than plain ones', slow, () => {
  const head = '1\n00:00:01,000 --> 00:00:02,000\n';
  const fill = (piece: string) => piece.repeat(Math.ceil(2e6 / piece.length));
  const cpu = (text: string): number => {
    const before = process.cpuUsage();
    readScript(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  const shapes = ['<', '<b', '<v ', '{\\', '&', '&#1', '0', '0:', '00:00:01,000 -->', ' ', '>', '-', '\n', '<b>'];
  const cues = '00:00:01,000 --> 00:00:02,000\n';
  // Each nearly begins with what the one before ended with, for every number of lines.
  const rolls = ['a\n'.repeat(250_000), `${'a\n'.repeat(249_999)}b\n`, 'a\n'.repeat(250_000), 'c\n'.repeat(250_000)];
  const rolling = rolls.map((lines) => cues + lines).join('');
  const longest = [fill(cues), fill('1\n'), rolling];
  for (const shape of [...shapes.map((shape) => head + fill(shape)), ...shapes.map(fill), ...longest])
    // A square of 2 MB would take minutes.
    expect(cpu(shape), shape.slice(0, 60)).toBeLessThan(5);
});

describe('captions that roll', () => {
  const time = (seconds: number): string => `00:00:${seconds.toFixed(3).padStart(6, '0')}`;
  const cue = (from: number, to: number, ...lines: string[]): string =>
    [`${time(from)} --> ${time(to)} align:start position:0%`, ...lines, ''].join('\n');
  const rolling = [
    'WEBVTT\nKind: captions\nLanguage: en\n',
    cue(0.08, 2, ' ', 'so<00:00:00.320><c> hello</c><00:00:00.500><c> there</c>'),
    cue(2, 2.01, 'so hello there', ' '),
    cue(2.01, 4, 'so hello there', 'my<00:00:02.300><c> friends</c>'),
    cue(4, 4.01, 'my friends', ' '),
    cue(4.01, 6, 'my friends', 'no<00:00:05.000><c> no</c>'),
  ].join('\n');

  it('say each line once, when it comes', () => {
    const script = readScript(rolling);
    expect(script.format === 'vtt' && script.cues.map(({ startSeconds, lines }) => [startSeconds, ...lines])).toEqual([
      [0.08, 'so hello there'],
      [2.01, 'my friends'],
      [4.01, 'no no'],
    ]);
  });

  it('are not taken for people who repeat themselves', () => {
    const script = readScript(
      ['WEBVTT\n', cue(0, 1, 'No.'), cue(1, 2, 'No.'), cue(2, 3, 'Yes.'), cue(3, 4, 'Well.')].join('\n'),
    );
    expect(script.format === 'vtt' && script.cues.map(({ lines }) => lines[0])).toEqual([
      'No.',
      'No.',
      'Yes.',
      'Well.',
    ]);
  });
});

it.each([
  ['{\\rtf1\\ansi Hello}', 'an RTF document'],
  ['%PDF-1.7 ', 'a PDF document'],
  ['PK\u0003\u0004', 'a document of a word processor, or a ZIP file'],
  ['\ufeff{\\rtf1 Hello}', 'an RTF document'],
  ['{rtf is a format}', null],
  ['PK is a name', null],
])('%j is %s', (content, kind) => {
  expect(documentKind(content)).toBe(kind);
  expect(documentKind(Buffer.from(content))).toBe(kind);
});
