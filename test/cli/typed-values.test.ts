// People type times, languages and loudness as they speak of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTyped } from '../../src/cli/tool/typed-values.ts';
import { readTime } from '../../src/library/tools/said-values.ts';
import { requireTool } from '../../src/library/tools/registry.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const read = (tool: string, typed: Record<string, string>): Record<string, unknown> =>
  readTyped(typed, requireTool(tool).options.properties ?? {});

describe('times', () => {
  it.each([
    ['0:10', 10],
    ['61.5', 61.5],
    ['1:02:03.25', 3723.25],
    ['12:5', 725],
    ['90s', 90],
    ['-0:05', -5],
    ['-2.5', -2.5],
    ['0:00', 0],
    ['90:00', 5400],
    ['0:10,5', 10.5],
    ['1:2:3:4', null],
    ['ten', null],
    ['', null],
    ['1:', null],
    ['0x10', null],
    ['1e3', null],
  ])('%s is %s', (text, seconds) => expect(readTime(text)).toBe(seconds));
});

describe('options', () => {
  it('chapters are a file, or lines of a time and a title, or the list itself', () => {
    const file = join(temporaryFolder('earshot-typed-'), 'Kapitel für Jürgen.txt');
    writeFileSync(file, '\uFEFF0:00 Anfang\r\n1:05,5 Über uns\n');
    const chapters = [
      { start_seconds: 0, title: 'Anfang' },
      { start_seconds: 65.5, title: 'Über uns' },
    ];
    expect(read('label', { chapters: file })).toEqual({ chapters });
    expect(read('label', { chapters: '0:00 Anfang\n1:05.5 Über uns' })).toEqual({ chapters });
    expect(read('label', { chapters: '[]' })).toEqual({ chapters: '[]' });
    expect(() => read('label', { chapters: 'gone.txt' })).toThrow(
      'Expected a time and a title in line 1 of --chapters',
    );
  });

  it.each<[string, Record<string, string>, object]>([
    [
      'cut',
      { ranges: '0:10-0:20,61.5-63' },
      {
        ranges: [
          [10, 20],
          [61.5, 63],
        ],
      },
    ],
    [
      'cut',
      { ranges: '0-1:00; 1:02:03-1:02:04.5' },
      {
        ranges: [
          [0, 60],
          [3723, 3724.5],
        ],
      },
    ],
    ['cut', { ranges: '[[0,1.5],[4,5]]' }, { ranges: '[[0,1.5],[4,5]]' }],
    ['cut', { ranges: '10' }, { ranges: '10' }],
    ['transcribe', { vocabulary: 'Siobhan, New York,,Siobhan ' }, { vocabulary: ['Siobhan', 'New York'] }],
    ['transcribe', { vocabulary: '["Tbilisi"]' }, { vocabulary: '["Tbilisi"]' }],
    ['cut', { ranges: '0:10-x' }, { ranges: '0:10-x' }],
    ['swap-audio', { offset_seconds: '-0:01.5' }, { offset_seconds: -1.5 }],
    ['remove-silence', { min_pause_seconds: '0:02' }, { min_pause_seconds: 2 }],
    ['loudness', { target: '-19' }, { target: 'custom', custom_lufs: -19 }],
    ['mix', { target: '-20.5 LUFS' }, { target: 'custom', custom_lufs: -20.5 }],
    ['loudness', { target: 'podcast' }, { target: 'podcast' }],
    ['loudness', { target: '-19', custom_lufs: '-20' }, { target: '-19', custom_lufs: '-20' }],
    ['transcribe', { language: 'english' }, { language: 'en' }],
    ['transcribe', { language: 'Deutsch' }, { language: 'de' }],
    ['transcribe', { language: 'pt-BR' }, { language: 'pt' }],
    ['transcribe', { language: 'Cantonese' }, { language: 'yue' }],
    ['transcribe', { language: 'DE' }, { language: 'de' }],
    ['transcribe', { language: 'auto' }, {}],
    ['transcribe', { language: 'klingonisch' }, { language: 'klingonisch' }],
    ['convert', { format: 'mp3' }, { format: 'mp3' }],
  ])('%s %j', (tool, typed, given) => expect(read(tool, typed)).toEqual(given));

  it('are then held against the tool, as ever', () => {
    const cut = requireTool('cut');
    expect(cut.parseOptions(read('cut', { ranges: '0:01-0:02' }), 'text')).toMatchObject({ ranges: [[1, 2]] });
    expect(() => cut.parseOptions(read('cut', { ranges: '0:01-11:00:00' }), 'text')).toThrow(/between 0 and 36000/);
    const loudness = requireTool('loudness');
    expect(() => loudness.parseOptions(read('loudness', { target: '-3' }), 'text')).toThrow(/between -30 and -5/);
  });
});

it('a vocabulary may be a file with a name on each line', () => {
  const path = join(temporaryFolder('earshot-typed-'), 'names.txt');
  writeFileSync(path, '\uFEFF# from the website\r\nSiobhan\r\n\r\n  New York \n');
  expect(read('transcribe', { vocabulary: path })).toEqual({ vocabulary: ['Siobhan', 'New York'] });
  expect(() => read('transcribe', { vocabulary: `${path}.txt` })).toThrow(/there is no file .*names\.txt\.txt/);
});
