// @module-tag slow
// Chains with a name: saved, listed, run and watched by it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { earshot, jsonLines, useFolder } from './support.ts';

const folder = useFolder();
const environment = { EARSHOT_PRESETS: '', XDG_CONFIG_HOME: '/nowhere' };
const run = (cwd: string, ...args: string[]) => earshot(cwd, ['run', ...args], { environment });

/** The steps that a dry run shows. */
async function planned(cwd: string, ...args: string[]): Promise<unknown> {
  const done = await run(cwd, ...args, '--dry-run', '--json');
  const found = done.stdout === '' ? [] : jsonLines(done).flatMap((line) => ('steps' in line ? [line['steps']] : []));
  expect([found.length, done.stderr]).toEqual([1, '']);
  return found[0];
}

it('a recipe with its options is saved beside options of commands, run by its name, and listed', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'earshot.presets.json'), '{"radio": {"loudness": {"target": "broadcast"}}}');
  const args = ['podcast', '--target', 'broadcast', '--no-transcript'];
  expect(await run(cwd, ...args, '--format', 'mp3', '--save', 'radio')).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(cwd, 'earshot.presets.json'), 'utf8'))).toEqual({
    radio: {
      loudness: { target: 'broadcast' },
      run: { recipe: 'podcast', options: { target: 'broadcast', transcript: false }, format: 'mp3' },
    },
  });
  // Steps of a recipe go by the number of its files.
  expect(await planned(cwd, 'radio', 'clip.wav')).toEqual(await planned(cwd, ...args, 'clip.wav'));
  expect(await planned(cwd, 'radio', 'clip.wav', 'clip.wav')).toEqual(
    await planned(cwd, ...args, 'clip.wav', 'clip.wav'),
  );
  const { stdout } = await run(cwd, '--list');
  expect(stdout).toMatch(/^ +podcast +Make an episode/m);
  expect(stdout).toMatch(/^ +radio +podcast, target broadcast, transcript false, as mp3/m);
});

it('steps of a file are saved, run and watched under their name, and results are named after it', async () => {
  const cwd = folder();
  const steps = [{ tool: 'cut', options: { ranges: [[0, 0.2]] } }];
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify({ name: 'other', steps }));
  expect(await run(cwd, 'mine.json', '--save', 'tidy')).toMatchObject({ code: 0 });
  const made = await run(cwd, 'tidy', 'clip.wav');
  expect(made.stdout).toMatch(/^clip\.tidy\.wav\n/);
  expect(await run(cwd, 'tidi', 'clip.wav')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('did you mean tidy?'),
  });
  const watched = await earshot(cwd, ['watch', 'in', '--run', 'tidi', '-o', 'out', '--once'], { environment });
  expect(watched.stderr).toContain('did you mean tidy?');
});

it('a name that means something else, a wrong chain and a broken entry are refused, and others go on', async () => {
  const cwd = folder();
  for (const name of ['podcast', 'loudness', 'Mine', 'a/b'])
    expect(await run(cwd, 'subtitles', '--save', name)).toMatchObject({ code: 2 });
  writeFileSync(join(cwd, 'wrong.json'), '{"steps": [{"tool": "loudnes"}]}');
  expect((await run(cwd, 'wrong.json', '--save', 'wrong')).stderr).toContain('did you mean loudness?');
  const presets = { bad: { run: { stepz: [] } }, good: { run: { steps: [{ tool: 'loudness' }] } } };
  writeFileSync(join(cwd, 'earshot.presets.json'), JSON.stringify(presets));
  expect((await run(cwd, 'bad', 'clip.wav')).stderr).toContain('for run of bad but it has stepz');
  expect(await planned(cwd, 'good', 'clip.wav')).toEqual([{ tool: 'loudness' }]);
  expect((await run(cwd)).stderr).toContain('earshot run --list');
});
