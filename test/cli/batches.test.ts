// Where the results of patterns go, and lists that are typed in several flags.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expandInputs } from '../../src/cli/tool/expand-inputs.ts';
import { slow } from '../fixtures/rounds.ts';
import { earshot, useFolder } from './support.ts';

const folder = useFolder();

it('the folder of a file is what the pattern that found it does not say in so many words', () => {
  const cwd = folder();
  const at = (...parts: readonly string[]): string => join(cwd, ...parts);
  mkdirSync(at('takes', 'monday', 'late'), { recursive: true });
  const files = [at('takes', 'a.wav'), at('takes', 'monday', 'a.wav'), at('takes', 'monday', 'late', 'b.wav')];
  for (const file of files) copyFileSync(at('clip.wav'), file);
  const folders = (...typed: readonly string[]): string[] => expandInputs(typed).map((each) => each.folder);
  expect(folders(`${cwd}/takes/**/*.wav`)).toEqual(['', 'monday', join('monday', 'late')]);
  expect(folders(`${cwd}/*/monday/*.wav`)).toEqual([join('takes', 'monday')]);
  // What is named in full, or by its folder, goes right into the folder of -o.
  expect(folders(at('takes', 'monday'), files[2] ?? '', `${cwd}/takes/*.wav`)).toEqual(['', '', '']);
});

it('files of a pattern keep their folders below that of -o, and none replaces another', slow, async () => {
  const cwd = folder();
  for (const day of ['monday', 'tuesday']) {
    mkdirSync(join(cwd, 'takes', day), { recursive: true });
    copyFileSync(join(cwd, 'clip.wav'), join(cwd, 'takes', day, 'a.wav'));
  }
  const { code, stderr } = await earshot(cwd, ['convert', 'takes/**/*.wav', '--format', 'flac', '-o', 'out']);
  expect(`${code} ${code === 0 ? '' : stderr}`).toBe('0 ');
  const made = readdirSync(join(cwd, 'out'), { recursive: true, encoding: 'utf8' }).sort();
  expect(made).toEqual(['monday', join('monday', 'a.convert.flac'), 'tuesday', join('tuesday', 'a.convert.flac')]);
});

it('formats may be typed in one flag or in several', slow, async () => {
  const cwd = folder();
  const { stdout } = await earshot(cwd, ['transcribe', 'clip.wav', '-f', 'srt', '-f', 'vtt', '-f', 'srt', '--dry-run']);
  expect(stdout).toMatch(/Output +clip\.srt\n +clip\.vtt\n$/);
});
