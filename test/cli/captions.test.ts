// @module-tag slow
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { earshot, useFolder } from './support.ts';

const folder = useFolder();
const word = (text: string, startSeconds: number): object => ({ text, startSeconds, endSeconds: startSeconds + 0.3 });
const transcript = JSON.stringify({
  format: 'earshot-transcript',
  version: 1,
  language: 'en',
  durationSeconds: 3,
  speakerCount: 2,
  sentences: [
    {
      startSeconds: 0,
      endSeconds: 0.7,
      text: 'Good morning.',
      speaker: 1,
      words: [word('Good', 0), word('morning.', 0.4)],
    },
    { startSeconds: 1, endSeconds: 1.3, text: 'Hello.', speaker: 2, words: [word('Hello.', 1)] },
  ],
});

it('captions writes a transcript in other forms, with names', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'talk.json'), transcript);
  const run = await earshot(cwd, [
    'captions',
    'talk.json',
    '--formats',
    'txt,vtt,docx',
    '--karaoke',
    '--names',
    '1=Anna,2=Ben B.',
  ]);
  expect(run).toMatchObject({ code: 0, stderr: '', stdout: 'talk.json -> talk.txt, talk.vtt, talk.docx\n' });
  expect(readFileSync(join(cwd, 'talk.txt'), 'utf8')).toBe('Anna: Good morning.\n\nBen B.: Hello.\n');
  expect(readFileSync(join(cwd, 'talk.vtt'), 'utf8')).toContain('<v Anna>Good <00:00:00.400>morning.');
  const again = await earshot(cwd, ['captions', 'talk.json', '--formats', 'txt']);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('exists already');
});

it('captions says what it can do, before it does anything', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'talk.json'), transcript);
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await earshot(cwd, ['captions', 'talk.json', ...args]);
    expect(code).not.toBe(0);
    return stderr;
  };
  expect(await refused('--formats', 'stl')).toContain('some of srt, vtt, txt, json, ass, ttml, docx, rttm');
  expect(await refused('-o', 'talk.sub')).toContain('some of srt');
  expect(await refused('--names', 'Anna')).toContain('1=Anna,2=Ben');
  expect(await refused('--burn')).toContain('Expected a video with --burn');
  expect(await refused('-o', 'talk.json')).toContain('would replace an input');
  expect(existsSync(join(cwd, 'talk.srt'))).toBe(false);
});
