import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diarizationError } from '../../../../bench/speech/diarization-error.ts';
import type { FanOut } from '../../../../src/library/core/machine/fan-out.ts';
import { runHere } from '../../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';
import {
  extractSpeech,
  openSpeech,
  speechRate,
  type SpeechSound,
} from '../../../../src/library/speech/speech-sound.ts';
import { findSpeakers } from '../../../../src/library/speech/speakers/find-speakers.ts';
import type { SpeakerTurn } from '../../../../src/library/speech/speakers/speaker-turn.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { type Conversation, converse, readVoice, voiceOf } from '../../../fixtures/sounds/conversations.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';

let folder = '';
const { signal } = new AbortController();
const twoThreads = createFanOut(2, signal);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-speakers-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function soundOf(samples: Float32Array<ArrayBuffer>): SpeechSound {
  const path = join(folder, `${Math.random()}.f32`);
  writeFileSync(path, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  return openSpeech(path);
}

const find = (
  sound: SpeechSound,
  options: { readonly fanOut?: FanOut; onProgress?(fraction: number): void } = {},
): Promise<SpeakerTurn[]> =>
  findSpeakers(sound, {
    modelsDir: undefined,
    fanOut: options.fanOut ?? twoThreads,
    signal,
    onProgress: options.onProgress ?? (() => undefined),
  });

const named = (turns: readonly SpeakerTurn[]) => turns.map((turn) => ({ ...turn, name: String(turn.speaker) }));
const people = (turns: readonly SpeakerTurn[]): number => new Set(turns.map(({ speaker }) => speaker)).size;

/** Three voices take turns, with noise and interruptions. */
const conversation = (): Conversation =>
  converse(
    [
      voiceOf('jfk', [readVoice(recording('jfk.wav'))]),
      voiceOf('austen', [readVoice(recording('austen-0870.wav'))]),
      voiceOf('clean', [readVoice(recording('clean_speech_48k.wav'))]),
    ],
    { seed: 5, people: 3, seconds: 40, noiseBelowDb: 25, interrupting: 0.2, levelRangeDb: 6 },
  );

describe('findSpeakers', () => {
  it('labels a meeting (AMI, reference by hand) with at most 3 % error', slow, async () => {
    const sound = await extractSpeech(probe(recording('ami-trn05.wav')), folder, {
      signal,
      onProgress: () => undefined,
    });
    const turns = await find(sound);
    sound.close();
    // test/recordings/README.md: from ami.rttm of the same corpus.
    const reference = [
      ['FEO079', 0, 0.384],
      ['FEE078', 0, 1.472],
      ['FEE081', 1.456, 0.656],
      ['FEE078', 5.936, 0.342],
      ['FEE078', 8.016, 21.984],
      ['FEE081', 8.496, 0.784],
      ['FEE080', 19.157, 0.424],
    ] as const;
    const truth = reference.map(([name, start, length]) => ({
      name,
      startSeconds: start,
      endSeconds: start + length,
    }));
    expect(diarizationError(truth, named(turns), 0.25).rate).toBeLessThanOrEqual(0.03);
  });

  it(
    'tells three people apart, numbers them as they are first heard, the same on any number of cores',
    slower,
    async () => {
      const { samples, turns: truth } = conversation();
      const sound = soundOf(samples);
      const progress: number[] = [];
      const turns = await find(sound, { onProgress: (fraction) => progress.push(fraction) });
      expect(people(turns)).toBe(3);
      expect(diarizationError(truth, named(turns), 0.25).rate).toBeLessThan(0.05);
      expect([...new Set(turns.map(({ speaker }) => speaker))]).toEqual([1, 2, 3]);
      turns.forEach(({ startSeconds, endSeconds }, index) => {
        expect(endSeconds - startSeconds).toBeGreaterThanOrEqual(0.2);
        expect(startSeconds).toBeGreaterThanOrEqual(turns[index - 1]?.startSeconds ?? 0);
        expect(endSeconds).toBeLessThanOrEqual(sound.durationSeconds);
      });
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
      expect([progress.at(0)! > 0, progress.length > 3, progress.at(-1)]).toEqual([true, true, 1]);

      expect(await find(sound, { fanOut: runHere(signal) })).toEqual(turns);
      sound.close();
    },
  );

  it('finds one person in a sentence that is shorter than a window', slow, async () => {
    const voice = readVoice(recording('austen-0870.wav'));
    const turns = await find(soundOf(voice as Float32Array<ArrayBuffer>));
    expect(people(turns)).toBe(1);
    expect(turns[0]?.startSeconds).toBeLessThan(0.5);
    expect(turns.at(-1)?.endSeconds).toBeGreaterThan(6);
    expect(turns.at(-1)?.endSeconds).toBeLessThanOrEqual(voice.length / speechRate);
  });

  it('finds nobody in silence, in noise, in nothing and in less than a frame', slow, async () => {
    const noise = readVoice(recording('noise_48k.wav')) as Float32Array<ArrayBuffer>;
    const silence = new Float32Array(30 * speechRate);
    for (const samples of [silence, noise, new Float32Array(0), new Float32Array(100)])
      expect(await find(soundOf(samples))).toEqual([]);
  });

  it('stops in the middle of a piece and says which model is missing', slow, async () => {
    const sound = soundOf(new Float32Array(600 * speechRate).map((_, i) => Math.sin(i / 20) * Math.sin(i / 9000)));
    const stop = new AbortController();
    let [began, asked] = [process.cpuUsage(), process.cpuUsage()];
    let pieces = 0;
    const running = findSpeakers(sound, {
      modelsDir: undefined,
      fanOut: twoThreads,
      signal: stop.signal,
      onProgress: () => {
        pieces += 1;
        if (pieces === 1) began = process.cpuUsage();
        if (pieces !== 3) return;
        asked = process.cpuUsage();
        stop.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    // A piece has sixteen windows. Its two threads take as much CPU for two pieces however busy the machine is.
    const since = process.cpuUsage(asked);
    const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
    const twoPieces = milliseconds(asked) - milliseconds(began);
    expect(milliseconds(since)).toBeLessThan(Math.max(2 * 200, 0.7 * twoPieces));

    const before = process.env['EARSHOT_MODELS_PACKAGE'];
    process.env['EARSHOT_MODELS_PACKAGE'] = '';
    try {
      await expect(
        findSpeakers(sound, {
          modelsDir: folder,
          fanOut: twoThreads,
          signal,
          onProgress: () => undefined,
        }),
      ).rejects.toMatchObject({ code: 'tool_unavailable' });
    } finally {
      if (before === undefined) delete process.env['EARSHOT_MODELS_PACKAGE'];
      else process.env['EARSHOT_MODELS_PACKAGE'] = before;
    }
  });
});
