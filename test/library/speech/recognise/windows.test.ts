import { describe, expect, it } from 'vitest';
import type { SpeechRegion } from '../../../../src/library/speech/activity/find-speech.ts';
import type { VoiceActivity } from '../../../../src/library/speech/activity/voice-activity.ts';
import { uncovered } from '../../../../src/library/speech/recognise/windows/coverage.ts';
import {
  packWindows,
  recordingSeconds,
  windowSeconds,
} from '../../../../src/library/speech/recognise/windows/windows.ts';
import { seeded } from '../../kernels/signals.ts';

const region = (startSeconds: number, endSeconds: number): SpeechRegion => ({ startSeconds, endSeconds });
const noActivity: VoiceActivity = { secondsPerStep: 0.032, probabilities: new Float32Array(0) };

describe('packWindows', () => {
  it('packs short voices together, without the long pauses between them', () => {
    const voices = [region(10, 12), region(12.5, 14), region(100, 103)];
    const [window, ...more] = packWindows(voices, noActivity, 200);
    expect(more).toEqual([]);
    expect(window?.voices).toEqual(voices);
    expect(window?.pieces).toEqual([
      { startSeconds: 9.7, endSeconds: expect.closeTo(14.3) },
      { startSeconds: 99.7, endSeconds: expect.closeTo(103.3) },
    ]);
    expect(recordingSeconds(window!, 1)).toBeCloseTo(10.7);
    expect(recordingSeconds(window!, 5)).toBeCloseTo(100.1);
    // The seam belongs to both.
    const seam = 14.3 - 9.7;
    expect(recordingSeconds(window!, seam + 1e-9)).toBeCloseTo(99.7);
    expect(recordingSeconds(window!, seam - 1e-9, true)).toBeCloseTo(14.3);
  });

  it('cuts at the longest pause near the end', () => {
    const voices = [region(0, 10), region(10.4, 23), region(23.9, 27), region(27.4, 35)];
    expect(packWindows(voices, noActivity, 35).map((one) => one.voices.length)).toEqual([2, 2]);
  });

  it('cuts a voice without a pause where it is weakest', () => {
    const probabilities = new Float32Array(2000).fill(0.9);
    probabilities[Math.round(22 / 0.032)] = 0.4;
    const windows = packWindows([region(0, 50)], { secondsPerStep: 0.032, probabilities }, 50);
    expect(windows).toHaveLength(2);
    expect(windows[0]?.voices[0]?.endSeconds).toBeCloseTo(22, 1);
  });

  it('any speech: all of it, in order, at most 30 s at a time', () => {
    const seed = Date.now() >>> 0;
    const random = seeded(seed);
    for (let round = 0; round < 50; round += 1) {
      const voices: SpeechRegion[] = [];
      let at = random() * 3;
      for (let count = 1 + Math.floor(random() * 60); count > 0; count -= 1) {
        const length = random() < 0.1 ? random() * 90 : 0.1 + random() * 8;
        voices.push(region(at, at + length));
        at += length + 0.01 + random() * (random() < 0.2 ? 20 : 1.5);
      }
      const probabilities = Float32Array.from({ length: Math.ceil(at / 0.032) }, () => random());
      const windows = packWindows(voices, { secondsPerStep: 0.032, probabilities }, at);
      const pieces = windows.flatMap((window) => window.pieces);
      for (const window of windows) expect(windowSeconds(window), `seed ${seed}`).toBeLessThanOrEqual(30);
      for (const [index, piece] of pieces.entries())
        expect(piece.startSeconds, `seed ${seed}`).toBeGreaterThanOrEqual((pieces[index - 1]?.endSeconds ?? 0) - 1e-9);
      const spoken = voices.reduce((sum, one) => sum + one.endSeconds - one.startSeconds, 0);
      const packed = windows
        .flatMap((window) => window.voices)
        .reduce((sum, one) => sum + one.endSeconds - one.startSeconds, 0);
      expect(packed, `seed ${seed}`).toBeCloseTo(spoken, 6);
    }
  });
});

describe('uncovered', () => {
  const word = (startSeconds: number, endSeconds: number): SpeechRegion => region(startSeconds, endSeconds);
  it('finds voice without a word', () => {
    expect(uncovered([region(0, 10)], [word(0.2, 3), word(8, 9.9)])).toEqual([
      { startSeconds: 3.35, endSeconds: 7.65 },
    ]);
    expect(uncovered([region(0, 10), region(20, 23)], [word(0, 9)])).toEqual([region(20, 23)]);
    expect(uncovered([region(5, 8)], [])).toEqual([region(5, 8)]);
  });
  it('forgives what words are not exact about', () => {
    expect(uncovered([region(0, 4)], [word(0.5, 1.5), word(2.5, 3.2)])).toEqual([]);
    expect(uncovered([region(0, 1)], [])).toEqual([]);
  });
});
