// Voices that the network for voices takes for noise.
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findWindows } from '../../../../src/library/speech/recognise/windows/find-windows.ts';
import { windowSeconds } from '../../../../src/library/speech/recognise/windows/windows.ts';
import { speechRate } from '../../../../src/library/speech/speech-sound.ts';
import { inRange, resampled } from '../../../../bench/quality/voice-cases.ts';
import { mix, noises, rate } from '../../../../bench/quality/mixtures.ts';
import { whisper } from '../../../fixtures/sounds/revoice.ts';
import { speechOf, speechOfSamples, speechRun } from '../../../fixtures/speech.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const pink = (frames: number): Float32Array => noises['pink']?.(frames) ?? new Float32Array(frames);

it('finds a whisper in noise by a copy without it, marks its windows, and leaves no file', slower, async () => {
  const jfk = await speechOf('jfk.wav');
  const breath = whisper(resampled(jfk.read(0, jfk.frames), speechRate, rate));
  const sound = speechOfSamples(resampled(inRange(mix(breath, pink(breath.length), 6)), rate, speechRate));
  const { faint, windows } = await findWindows(sound, speechRun());
  // All of the recording, to be read where Whisper is sure; and where voices are.
  expect(faint.reduce((sum, window) => sum + windowSeconds(window), 0)).toBeCloseTo(sound.durationSeconds, 1);
  const found = await windows([]);
  expect(found.length).toBeGreaterThan(0);
  expect(found.every(({ hidden }) => hidden)).toBe(true);
  const voices = found.flatMap((window) => window.voices);
  expect(voices.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0)).toBeGreaterThan(1.5);
  expect(existsSync(`${sound.path}.voices`)).toBe(false);
  for (const one of [jfk, sound]) one.close();
});

it('finds none in noise and silence, and does not look again where a voice is heard', slow, async () => {
  const still = speechOfSamples(resampled(inRange(pink(5 * rate)), rate, speechRate), new Float32Array(speechRate));
  expect(await (await findWindows(still, speechRun())).windows([])).toEqual([]);
  const speech = await speechOf('austen-0870.wav');
  const { faint, windows } = await findWindows(speech, speechRun());
  const found = await windows([]);
  expect([faint.length, found.length, found[0]?.hidden]).toEqual([0, 1, undefined]);
  for (const one of [still, speech]) one.close();
});
