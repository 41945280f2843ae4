// Parts of realtime sessions by themselves: turns in probabilities, telephone sound, sound that waits, prices of turns.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAudio } from '../../../../src/library/media/read/decode.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { offeredTools } from '../../../../src/service/offers/offers.ts';
import { createGate, eventually } from '../../../fixtures/until.ts';
import { createPrices } from '../../../../src/service/rules/tools/prices.ts';
import { indexTools } from '../../../../src/service/rules/tools/tool-facts.ts';
import { reader } from '../../../../src/service/http/openai/realtime-routes.ts';
import { SoundBuffer } from '../../../../src/service/http/openai/sound-buffer.ts';
import { soundForms, waveFile } from '../../../../src/service/http/openai/sound-form.ts';
import { type FoundTurn, TurnFinder } from '../../../../src/service/http/openai/turn-finder.ts';

describe('turns', () => {
  const settings = { threshold: 0.5, prefixSeconds: 0.32, silenceSeconds: 0.48 };
  /** Steps of 32 ms: so many of each probability. */
  const found = (runs: readonly (readonly [steps: number, probability: number])[], longest = 60): FoundTurn[] => {
    const finder = new TurnFinder(settings, longest);
    return runs.flatMap(([steps, probability]) =>
      Array.from({ length: steps }, () => probability).flatMap((each) => finder.push(each)),
    );
  };

  it('begin before a voice and end behind it', () => {
    expect(
      found([
        [50, 0.1],
        [30, 0.9],
        [40, 0.1],
      ]),
    ).toEqual([
      { kind: 'started', fromStep: 40 },
      // Of the pause, 9 steps.
      { kind: 'stopped', fromStep: 40, toStep: 89 },
    ]);
  });

  it('go on over short pauses and soft words, and begin at no click', () => {
    expect(
      found([
        [20, 0.1],
        [2, 0.9],
        [40, 0.1],
      ]),
    ).toEqual([]);
    const turn = found([
      [20, 0.1],
      [20, 0.9],
      [10, 0.1],
      [20, 0.4],
      [14, 0.1],
      [20, 0.9],
      [40, 0.1],
    ]);
    expect(turn).toEqual([
      { kind: 'started', fromStep: 10 },
      { kind: 'stopped', fromStep: 10, toStep: 113 },
    ]);
  });

  it('share no sound', () => {
    const turns = found([
      [20, 0.1],
      [20, 0.9],
      [16, 0.1],
      [20, 0.9],
      [40, 0.1],
    ]);
    expect(turns.map(({ kind, ...steps }) => [kind, ...Object.values(steps)])).toEqual([
      ['started', 10],
      ['stopped', 10, 49],
      ['started', 49],
      ['stopped', 49, 85],
    ]);
  });

  it('without a pause end where the voice is faintest', () => {
    const turns = found(
      [
        [20, 0.1],
        [40, 0.9],
        [1, 0.6],
        [100, 0.9],
      ],
      2,
    );
    expect(turns.slice(0, 3)).toEqual([
      { kind: 'started', fromStep: 10 },
      { kind: 'stopped', fromStep: 10, toStep: 60 },
      { kind: 'started', fromStep: 60 },
    ]);
  });
});

it.each(soundForms.map((form) => [form.olderName, form] as const))('%s is heard as FFmpeg reads it', (_, form) => {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-test-realtime-'));
  try {
    const sound = Buffer.from(Array.from({ length: 1024 }, (__, index) => (index * 7) & 0xff));
    const path = join(folder, 'turn.wav');
    writeFileSync(path, waveFile(form, sound));
    const source = openAudio(probe(path), { rate: form.sampleRate, channels: 1 });
    const read = source.next()?.planes[0] ?? new Float32Array();
    const heard = form.samplesOf(sound);
    expect(heard.length).toBe(1024 / form.bytesPerFrame);
    expect([...read.subarray(0, heard.length)].map((sample) => Math.round(sample * 32_768))).toEqual([...heard]);
    source.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('sound that waits is taken and dropped by its place', () => {
  const buffer = new SoundBuffer();
  for (const text of ['abc', 'defg', 'hi']) buffer.push(Buffer.from(text));
  expect(buffer.take(1, 8).toString()).toBe('bcdefgh');
  buffer.drop(4);
  expect([buffer.from, buffer.to, buffer.size, buffer.take(4, 9).toString()]).toEqual([4, 9, 5, 'efghi']);
  buffer.drop(9);
  buffer.push(Buffer.from('jk'));
  expect([buffer.size, buffer.take(9, 11).toString()]).toEqual([2, 'jk']);
});

it('a connection whose messages wait is read no further, also where they are empty', async () => {
  const gate = createGate();
  let taken = 0;
  const socket = {
    isPaused: false,
    pause: () => void (socket.isPaused = true),
    resume: () => void (socket.isPaused = false),
  };
  const read = reader(socket, async () => {
    taken += 1;
    await gate.opened;
  });
  let sent = 0;
  for (; !socket.isPaused && sent < 20_000; sent += 1) read(Buffer.alloc(0), false);
  expect(sent).toBeLessThan(2000);
  expect(taken).toBe(1);
  gate.open();
  await eventually(() => {
    expect(taken).toBe(sent);
  });
  expect(socket.isPaused).toBe(false);
});

it('sound that comes byte by byte is kept in few pieces, and is dropped at once', () => {
  const buffer = new SoundBuffer();
  const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 251));
  for (let at = 0; at < bytes.length; at += 1) buffer.push(bytes.subarray(at, at + 1));
  expect(buffer.pieces).toBeLessThan(20);
  expect(buffer.take(0, 20_000).equals(bytes)).toBe(true);
  buffer.drop(4097);
  buffer.push(bytes.subarray(0, 7));
  expect(buffer.take(4097, 20_007).equals(Buffer.concat([bytes.subarray(4097), bytes.subarray(0, 7)]))).toBe(true);
});

it('turns cost together what one recording of them costs', () => {
  const prices = createPrices(indexTools(offeredTools), {});
  for (const seconds of [0.4, 2.9, 7.7, 61.3]) {
    let [before, credits] = [0, 0];
    for (let turn = 0; turn < 50; turn += 1) {
      credits += prices.ofRun('transcribe_audio', [seconds], [], before).credits;
      before += seconds;
    }
    expect(credits).toBe(prices.ofRun('transcribe_audio', [before]).credits);
  }
});
