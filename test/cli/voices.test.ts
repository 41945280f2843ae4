// `earshot voices`, and transcripts with names.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { direction, voiceNamed } from '../fixtures/sounds/voice-prints.ts';
import { recording } from '../fixtures/recordings.ts';
import { slow } from '../fixtures/rounds.ts';
import { earshot, jsonLines, useFolder } from './support.ts';

const freshFolder = useFolder();
let home = '';
beforeEach(() => {
  home = freshFolder();
});
const folder = (): string => home;
const file = (): string => join(folder(), 'mine', 'voices.json');
const run = (...args: string[]) => earshot(folder(), args, { environment: { EARSHOT_VOICES: file() } });

/** An exported file with two voices. */
function exported(): string {
  const path = join(folder(), 'two.json');
  const voices = ['Anna', 'Ben'].map((name, axis) => ({
    ...voiceNamed(name, direction({ [axis]: 1 })),
    consent: `${name} agreed`,
    addedAt: '2026-11-30T12:00:00.000Z',
  }));
  writeFileSync(path, JSON.stringify({ format: 'earshot-voices', version: 1, voices }));
  return path;
}

describe('earshot voices', () => {
  it('keeps voices in a file that no one else may read', async () => {
    expect((await run('voices')).stdout).toContain('No voices in ');
    expect(await run('voices', 'import', exported())).toMatchObject({ code: 0, stdout: 'Added Anna, Ben\n' });
    if (process.platform !== 'win32') {
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      expect(statSync(join(folder(), 'mine')).mode & 0o777).toBe(0o700);
      // As after it was copied back.
      chmodSync(file(), 0o644);
    }
    const { stdout } = await run('voices', 'list');
    expect(stdout).toMatch(/^Name +Recordings +Speech +Added +Consent\nAnna +1 +20 s +2026-11-30 +Anna agreed\nBen /);
    if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600);
    const [listed] = jsonLines(await run('voices', 'list', '--json'));
    expect(listed).toMatchObject({ path: file(), voices: [{ name: 'Anna' }, { name: 'Ben' }] });
    // What is listed has no numbers of a voice.
    expect(JSON.stringify(listed)).not.toContain('plain');
  });

  it('renames, exports and removes them', async () => {
    await run('voices', 'import', exported());
    expect(await run('voices', 'name', 'ben', 'Anna')).toMatchObject({ code: 1 });
    expect((await run('voices', 'name', 'ben', 'Benedikt')).stdout).toBe('Ben is now Benedikt\n');
    const copy = join(folder(), 'copy.json');
    expect((await run('voices', 'export', 'Benedikt', '-o', copy)).code).toBe(0);
    expect((await run('voices', 'export', '-o', copy)).stderr).toContain('exists already');
    if (process.platform !== 'win32') expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect((await run('voices', 'remove', 'Benedikt')).stdout).toBe('Removed Benedikt\n');
    expect(readFileSync(file(), 'utf8')).not.toContain('Ben');
    expect((await run('voices', 'remove', 'Carla')).stderr).toContain('There is no voice named Carla here');
    expect((await run('voices', 'remove', 'all')).code).toBe(0);
    expect(existsSync(file())).toBe(false);
    expect((await run('voices', 'import', copy)).stdout).toBe('Added Benedikt\n');
  });

  it('says that a file is damaged without a word of it', async () => {
    await run('voices', 'import', exported());
    writeFileSync(file(), `${readFileSync(file(), 'utf8').slice(0, 400)}`);
    const { code, stderr } = await run('voices');
    expect(code).toBe(2);
    expect(stderr).toContain('damaged');
    expect(stderr).toContain('remove it and add the voices again');
    expect(stderr).not.toMatch(/Anna|agreed|AAAA/);
  });

  it('says of a misspelt command of voices that there is none', async () => {
    const { code, stderr } = await run('voices', 'lst');
    expect(code).toBe(2);
    expect(stderr).toBe("earshot: unknown command 'lst'\n(Did you mean list?)\n");
    expect((await run('voices', 'list', 'Anna')).stderr).toContain("too many arguments for 'list'");
  });

  it('does not advise to remove a recording that is given for a file of voices', async () => {
    const { code, stderr } = await run('voices', 'import', 'clip.wav');
    expect(code).toBe(2);
    expect(stderr).toContain('Choose a file of `earshot voices export`');
    expect(stderr).not.toContain('emove');
  });

  it('adds no voice without consent, and asks for no transcript of a voice that is not there', async () => {
    expect((await run('voices', 'add', 'Anna', 'clip.wav')).stderr).toContain('Expected --consent');
    expect((await run('voices', 'add', 'a,b', 'clip.wav', '--consent', 'yes')).stderr).toContain('Expected a name');
    expect((await run('transcribe', 'clip.wav', '--voices', 'Anna')).stderr).toContain('There is no voice named Anna');
    const unlabelled = await run('transcribe', 'clip.wav', '--voices', 'all', '--no-speaker-labels');
    expect(unlabelled.stderr).toContain('Expected --speaker-labels with voices but it is false');
    expect(existsSync(file())).toBe(false);
  });

  it('names who is known in transcripts', slow, async () => {
    const added = await run('voices', 'add', 'Jack', recording('jfk.wav'), '--consent', 'public domain');
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout).toMatch(/^Jack: \d+(\.\d)? s of speech in 1 recording, in /);
    const done = await run('transcribe', recording('jfk.wav'), '-o', 'talk.txt', '--voices', 'Jack,jack');
    expect(done.stdout).toContain('1 speaker, 1 known by voice');
    expect(readFileSync(join(folder(), 'talk.txt'), 'utf8')).toMatch(/^Jack: And so/);
  });
});
