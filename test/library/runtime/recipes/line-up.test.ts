import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEngine } from '../../../../src/library/runtime/engine/engine.ts';
import { lineUp } from '../../../../src/library/runtime/recipes/line-up.ts';
import { readAll } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { madeEvent, recordedEvent } from '../../../fixtures/sounds/events.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-line-up-'));
const engine = createEngine();
afterAll(() => engine.close());

const rate = 16_000;
const event = madeEvent(21, 60);
const written = (name: string, starts: number, tones = event): string =>
  writeWav(join(folder, name), [recordedEvent(tones, { starts, seconds: 45, rate })], rate);

it('tracks of recorders begin together, and music that is named stays as it is', slow, async () => {
  const tracks = [
    { path: written('host.wav', 4) },
    { path: written('bed.wav', 0, madeEvent(22, 60)), role: 'music' },
    { path: written('guest.wav', 1.5) },
  ];
  const lined = await lineUp(engine, tracks, { outputDir: join(folder, 'lined-up') });
  expect(lined[1]).toEqual(tracks[1]);
  const [host, guest] = [lined[0], lined[2]].map((track) => readAll(track?.path ?? '').planes[0] as Float32Array);
  expect([host?.length, guest?.length]).toEqual([47.5 * rate, 47.5 * rate]);
  for (let at = 10 * rate; at < 40 * rate; at += 101)
    expect(Math.abs((host?.[at] ?? 0) - (guest?.[at] ?? 1))).toBeLessThan(0.01);
});

it('a track that hears nothing of the others is named', slow, async () => {
  const tracks = [{ path: written('one.wav', 0) }, { path: written('lost.wav', 0, madeEvent(23, 60)) }];
  await expect(lineUp(engine, tracks, { outputDir: join(folder, 'lost') })).rejects.toThrow('lost.wav');
});
