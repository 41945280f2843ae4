// A watched folder: what is taken, where it goes, and what a killed watcher leaves for the next.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { ownerPrefix } from '../../../../src/library/core/machine/owner-names.ts';
import type { WatchEvent } from '../../../../src/library/runtime/chains/watch.ts';
import { watchFolder } from '../../../../src/library/runtime/chains/watch-folder.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { seeded } from '../../../fixtures/random.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { notingEngine } from './noting-engine.ts';

const folder = temporaryFolder('earshot-watch-');
const wav = writeWav(
  join(folder, 'tone.wav'),
  [Float32Array.from({ length: 4800 }, (_, n) => Math.sin(n / 9) / 4)],
  48_000,
);

function places(): { inbox: string; finished: string; fall(name: string): void } {
  const base = mkdtempSync(join(folder, 'at-'));
  const inbox = join(base, 'inbox');
  mkdirSync(inbox);
  const fall = (name: string): void => {
    const path = join(inbox, name);
    mkdirSync(join(path, '..'), { recursive: true });
    cpSync(wav, path);
  };
  return { inbox, finished: join(base, 'finished'), fall };
}

const mixing = (files: number) => ({ name: 'loud', steps: [{ tool: files === 1 ? 'loudness' : 'mix' }] });
const list = (...path: string[]): string[] => readdirSync(join(...path)).sort();

it('takes files and folders of tracks, puts results and recordings in their places', async () => {
  const { inbox, finished, fall } = places();
  for (const name of ['a.wav', 'show/host.wav', 'show/guest.wav', 'late.wav.part', '.hidden.wav']) fall(name);
  mkdirSync(join(inbox, 'empty'));
  const events: WatchEvent[] = [];
  const engine = notingEngine(folder);
  const watched = { inbox, finished, chainFor: mixing, settleSeconds: 0, once: true };
  const counts = await watchFolder(engine, { ...watched, onEvent: (event) => events.push(event) });
  expect(counts).toEqual({ done: 2, failed: 0 });
  expect(list(finished)).toEqual(['a.loud.wav', 'show.loud.wav']);
  expect(list(inbox)).toEqual(['.hidden.wav', 'done', 'empty', 'failed', 'late.wav.part']);
  expect(list(inbox, 'done')).toEqual(['a.wav', 'show']);
  expect(engine.calls.map(({ tool }) => tool)).toEqual(['adjust_loudness', 'mix_tracks']);
  expect(events.flatMap((event) => (event.type === 'done' ? event.outputs : []))).toEqual(
    ['a', 'show'].map((name) => join(finished, `${name}.loud.wav`)),
  );
  // The same name again, while the first result lies there.
  fall('a.wav');
  await watchFolder(engine, watched);
  expect(list(finished)).toEqual(['a.loud-2.wav', 'a.loud.wav', 'show.loud.wav']);
  expect(list(inbox, 'done')).toEqual(['a-2.wav', 'a.wav', 'show']);
});

it('sets a failure aside with its reason beside it, and goes on', async () => {
  const { inbox, finished, fall } = places();
  for (const name of ['a.wav', 'b/one.wav', 'b/two.wav']) fall(name);
  const engine = notingEngine(folder, 'adjust_loudness');
  const counts = await watchFolder(engine, { inbox, finished, chainFor: mixing, settleSeconds: 0, once: true });
  expect(counts).toEqual({ done: 1, failed: 1 });
  expect(list(finished)).toEqual(['b.loud.wav']);
  expect(list(inbox, 'failed')).toEqual(['a.wav', 'a.wav.txt']);
  expect(readFileSync(join(inbox, 'failed', 'a.wav.txt'), 'utf8')).toContain(
    'no_audio: Step loudness: There is no sound',
  );
});

it('ends at what the machine lacks, with the recordings where they were', async () => {
  const { inbox, finished, fall } = places();
  for (const name of ['a.wav', 'b.wav']) fall(name);
  const engine = notingEngine(folder, 'adjust_loudness', new EarshotError('tool_unavailable', 'There is no model'));
  const watching = watchFolder(engine, { inbox, finished, chainFor: mixing, settleSeconds: 0, once: true });
  await expect(watching).rejects.toMatchObject({ code: 'tool_unavailable' });
  expect(engine.calls).toHaveLength(1);
  expect(list(inbox)).toEqual(['a.wav', 'b.wav', 'done', 'failed']);
  expect(list(inbox, 'failed')).toEqual([]);
});

it('refuses results in the inbox, where they would be taken for recordings', async () => {
  const { inbox, fall } = places();
  fall('a.wav');
  for (const finished of [inbox, join(inbox, 'out')])
    await expect(
      watchFolder(notingEngine(folder), { inbox, finished, chainFor: mixing, settleSeconds: 0, once: true }),
    ).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('outside of the inbox') });
});

it('waits for what still grows, and ends at its signal with the recording back in the inbox', async () => {
  const { inbox, finished, fall } = places();
  fall('a.wav');
  const stop = new AbortController();
  const engine = notingEngine(folder);
  const watched = { inbox, finished, chainFor: mixing, settleSeconds: 0.4, signal: stop.signal };
  const watching = watchFolder(engine, watched).catch((thrown: unknown) => thrown);
  for (let round = 0; round < 4; round += 1) {
    await wait(150);
    writeFileSync(join(inbox, 'a.wav'), 'x'.repeat(round + 10));
    expect(engine.calls).toEqual([]);
  }
  stop.abort();
  expect(await watching).toMatchObject({ name: 'AbortError' });
  expect(list(inbox)).toEqual(['a.wav', 'done', 'failed']);
  expect(list(finished)).toEqual([]);
});

/** As a process that has ended would have named it. */
function deadClaim(id: string): string {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return `${ownerPrefix('.earshot-claim').replace(`-${process.pid}-`, `-${pid}-`)}${id}`;
}

it('takes over what ended watchers left at each point of their work', async () => {
  const { inbox, finished } = places();
  mkdirSync(finished, { recursive: true });
  const leave = (id: string, name: string | null): void => {
    const claim = join(inbox, deadClaim(id));
    mkdirSync(claim);
    if (name !== null) cpSync(wav, join(claim, name));
  };
  // At work; results committed, one of two in place; the recording gone, its claim not.
  leave('aaaa', 'begun.wav');
  mkdirSync(join(finished, '.earshot-aaaa'));
  writeFileSync(join(finished, '.earshot-aaaa', 'half.wav'), 'half');
  leave('bbbb', 'placed.wav');
  mkdirSync(join(finished, '.earshot-bbbb-done'));
  writeFileSync(join(finished, 'placed.loud.wav'), 'whole');
  writeFileSync(join(finished, '.earshot-bbbb-done', 'placed.loud.srt'), 'whole');
  leave('cccc', null);
  mkdirSync(join(finished, '.earshot-cccc-done'));
  const engine = notingEngine(folder);
  const counts = await watchFolder(engine, { inbox, finished, chainFor: mixing, settleSeconds: 0, once: true });
  expect(counts).toEqual({ done: 2, failed: 0 });
  expect(engine.calls).toHaveLength(1);
  expect(list(finished)).toEqual(['begun.loud.wav', 'placed.loud.srt', 'placed.loud.wav']);
  expect(list(inbox, 'done')).toEqual(['begun.wav', 'placed.wav']);
  expect(list(inbox)).toEqual(['done', 'failed']);
});

it('leaves the claim of a watcher that works alone, and loses no recording between two', async () => {
  const { inbox, finished, fall } = places();
  mkdirSync(join(inbox, `${ownerPrefix('.earshot-claim')}dddd`));
  for (let n = 0; n < 6; n += 1) fall(`${n}.wav`);
  const watched = { inbox, finished, chainFor: mixing, settleSeconds: 0, once: true };
  const counts = await Promise.all([1, 2].map(() => watchFolder(notingEngine(folder), watched)));
  expect(counts.reduce((sum, { done }) => sum + done, 0)).toBe(6);
  expect(list(finished)).toHaveLength(6);
  // Two inboxes whose recordings have one name, into one folder.
  const others = Array.from({ length: 4 }, () => places());
  for (const { fall: into } of others) into('talk.wav');
  await Promise.all(others.map((one) => watchFolder(notingEngine(folder), { ...watched, inbox: one.inbox })));
  expect(list(finished)).toHaveLength(10);
  expect(list(inbox).filter((name) => name.startsWith('.'))).toHaveLength(1);
});

it('does each recording once although watchers are killed', slow, async () => {
  const seed = Number(process.env['EARSHOT_SEED'] ?? 7);
  const [count, kills] = [Number(process.env['EARSHOT_FILES'] ?? 6), Number(process.env['EARSHOT_KILLS'] ?? 3)];
  console.log(`seed ${seed}, ${count} files, ${kills} kills`);
  const random = seeded(seed);
  const { inbox, finished, fall } = places();
  for (let n = 0; n < count; n += 1) fall(`talk-${n}.wav`);
  const program = new URL('../../../../src/cli/main.ts', import.meta.url).pathname;
  const args = [program, 'watch', inbox, '--run', 'convert', '-o', finished, '--once', '--settle', '0'];
  for (let kill = 0; kill <= kills; kill += 1) {
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (kill < kills) {
      // A watcher that has claimed something is killed soon after.
      const isAtWork = (): boolean => list(inbox).some((name) => name.startsWith('.earshot-claim'));
      while (child.exitCode === null && !isAtWork()) await wait(20);
      await wait(random() * 900);
      child.kill('SIGKILL');
    }
    await ended;
  }
  const names = Array.from({ length: count }, (_, n) => `talk-${n}`).sort();
  expect(list(finished)).toEqual(names.map((name) => `${name}.convert.mp3`));
  expect(list(inbox, 'done')).toEqual(names.map((name) => `${name}.wav`));
  expect(list(inbox)).toEqual(['done', 'failed']);
});
