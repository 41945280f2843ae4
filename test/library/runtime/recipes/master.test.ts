// The tracks of a conversation as one episode: roles, balance, loudness and places.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEngine } from '../../../../src/library/runtime/engine/engine.ts';
import { masterTracks } from '../../../../src/library/runtime/recipes/master.ts';
import { loudnessByFfmpeg, needFfmpeg, readAll } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { joined } from '../../../fixtures/media/signals.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { bleedTracks } from '../../../fixtures/sounds/bleed.ts';
import { readVoice } from '../../../fixtures/sounds/conversations.ts';
import { pieces } from '../../../fixtures/sounds/music.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-test-master-'));
const at = (name: string): string => join(folder, name);
const engine = createEngine({ tempDir: folder });
afterAll(async () => {
  await engine.close();
  for (const each of [folder, between]) rmSync(each, { recursive: true, force: true });
});

const voices = (['jfk.wav', 'acoustic_corpus.wav'] as const).map((name) => readVoice(recording(name)));
/** The guest is 9 dB softer, each microphone hears the other 14 dB softer. */
const made = bleedTracks(voices, 8, { voicesDb: [0, -9], bleedDb: -14 });
const [host, guest] = made.tracks.map((plane, n) => writeWav(at(`speaker-${n + 1}.wav`), [plane], made.rate)) as [
  string,
  string,
];
const music = writeWav(at('music.wav'), [(pieces['pop'] as (seconds: number) => Float32Array)(14)], 48_000);

const between = mkdtempSync(join(tmpdir(), 'earshot-test-master-'));
const workFolders = (): string[] => readdirSync(between);

it('finds the roles, balances the speakers over music and reaches the loudness', slower, async (context) => {
  const output = at('episode.wav');
  const stages = new Set<string>();
  let last = 0;
  const run = await masterTracks(
    engine,
    [{ path: host, role: 'voice' }, { path: guest }, { path: music, volumeDb: -30 }],
    {
      output,
      onProgress({ progress, stage }) {
        expect(progress).toBeGreaterThanOrEqual(last);
        last = progress;
        stages.add(stage);
      },
    },
  );
  expect(run.result.tracks.map(({ role, roleFound }) => [role, roleFound])).toEqual([
    ['voice', false],
    ['voice', true],
    ['music', true],
  ]);
  expect(run.warnings).toContainEqual({
    code: 'taken_for_music',
    message: 'music.wav has no voice: it is mixed as music',
  });
  expect(run.result.tracks.map(({ ducked }) => ducked)).toEqual([false, false, true]);
  expect(run.result.musicUnderVoiceLu).toBeGreaterThan(10);
  expect([...stages]).toEqual(['finding voices', 'levelling', 'removing noise', 'mixing']);
  expect(last).toBeCloseTo(1, 5);
  // Nothing of the steps stays.
  expect(workFolders()).toEqual([]);
  needFfmpeg(context);
  const { planes, format } = readAll(output);
  /** Of all turns of a voice, LUFS. */
  const loudnessOf = (voice: number): number => {
    const scale = format.sampleRate / made.rate;
    const turns = made.turns
      .filter((turn) => turn.voice === voice)
      .map(({ from, to }) => (planes[0] as Float32Array).slice(Math.round(from * scale), Math.round(to * scale)));
    return loudnessByFfmpeg(writeWav(at(`voice-${voice}.wav`), [joined(...turns)], format.sampleRate)).lufs;
  };
  // They were 9 dB apart.
  expect(Math.abs(loudnessOf(0) - loudnessOf(1))).toBeLessThan(2);
  expect(loudnessByFfmpeg(output).lufs).toBeCloseTo(-16, 0);
});

it('names the track that fails, when the others have ended', slow, async () => {
  writeFileSync(at('text.wav'), 'no sound');
  const run = masterTracks(engine, [{ path: host }, { path: at('text.wav') }, { path: guest }], {
    output: at('broken.wav'),
    tempDir: between,
  });
  await expect(run).rejects.toThrow(/^text\.wav: /u);
  expect(workFolders()).toEqual([]);
  expect(existsSync(at('broken.wav'))).toBe(false);
});

it('refuses places and tracks before it works', async () => {
  const two = [{ path: host }, { path: guest }];
  const refused = (tracks: Parameters<typeof masterTracks>[1], output?: string): Promise<unknown> =>
    masterTracks(engine, tracks, output === undefined ? {} : { output, overwrite: true });
  await expect(refused([{ path: host }])).rejects.toThrow('Expected 2 to 20 tracks but received 1');
  await expect(refused(two, guest)).rejects.toThrow('is an input of this run');
  await expect(refused(two, at('episode.opus'))).rejects.toThrow(
    'Expected an output that ends in wav, mp3, m4a, flac but received episode.opus',
  );
  await expect(masterTracks(engine, two, { customLufs: -20 })).rejects.toThrow('Expected target custom');
  await expect(masterTracks(engine, two, { noiseReduction: 5 })).rejects.toThrow('0, or a number between 10 and 100');
  const onlyMusic = [
    { path: music, role: 'music' as const },
    { path: music, role: 'effects' as const },
  ];
  await expect(refused(onlyMusic, at('none.wav'))).rejects.toThrow('Expected a voice on at least one track');
  expect(existsSync(at('none.wav'))).toBe(false);
});
