// Speakers that an interrupted run has heard are answered from what it left.
import { dirname } from 'node:path';
import { expect, test, it } from 'vitest';
import type { FanOut } from '../../../../src/library/core/machine/fan-out.ts';
import type { FinishedPart } from '../../../../src/library/core/progress/finished-parts.ts';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';
import { findSpeakers } from '../../../../src/library/speech/speakers/find-speakers.ts';
import { heardParts } from '../../../../src/library/speech/speakers/resumed-speakers.ts';
import type { SpeakerTurn } from '../../../../src/library/speech/speakers/speaker-turn.ts';
import { extractSpeech, type SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import { partsOf } from '../../../fixtures/finished-parts.ts';
import { readAll, scratch } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { slower } from '../../../fixtures/rounds.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';

const path = scratch();
const { signal } = new AbortController();
const threads = createFanOut(1, signal);

/** Two voices in turn, 44 s: more windows than one thread hears together. */
async function twoVoices(): Promise<SpeechSound> {
  const [first, second] = ['jfk.wav', 'austen-0870.wav'].map(
    (name) => readAll(recording(name as 'jfk.wav'), { rate: 16_000, channels: 1 }).planes[0] as Float32Array,
  ) as [Float32Array, Float32Array];
  const whole = new Float32Array(44 * 16_000);
  for (let at = 0, turn = 0; at < whole.length; turn += 1) {
    const voice = (turn % 2 === 0 ? first : second).subarray(0, Math.min(11 * 16_000, whole.length - at));
    whole.set(voice, at);
    at += voice.length;
  }
  writeWav(path('voices.wav'), [whole], 16_000);
  return extractSpeech(probe(path('voices.wav')), dirname(path('voices.wav')), { signal, onProgress: () => undefined });
}

it('what was heard is not heard again, and the turns are the same', slower, async () => {
  const sound = await twoVoices();
  const asked: string[] = [];
  const counting: FanOut = {
    ...threads,
    map: (module, name, items, options) => {
      asked.push(name);
      return threads.map(module, name, items, options);
    },
  };
  const find = async (parts: FinishedPart[]): Promise<SpeakerTurn[]> => {
    asked.length = 0;
    return findSpeakers(sound, {
      modelsDir: undefined,
      fanOut: counting,
      signal,
      onProgress: () => undefined,
      finished: partsOf(parts),
    });
  };
  const windowsAsked = (): number => asked.filter((name) => name === 'listenToWindows').length;
  try {
    const all: FinishedPart[] = [];
    const whole = await find(all);
    expect(windowsAsked()).toBeGreaterThan(1);
    expect(new Set(whole.map(({ speaker }) => speaker)).size).toBe(2);
    const kinds = all.map(({ key }) => key.split(' ')[0]);
    expect(kinds).toEqual([...Array.from({ length: windowsAsked() }, () => 'voices'), 'turns']);
    expect(JSON.stringify(all).length).toBeLessThan(10_000);
    const windows = windowsAsked();

    // Only the second group of windows was finished.
    const later = all.slice(1, 2);
    expect(await find(later)).toEqual(whole);
    expect(windowsAsked()).toBe(windows - 1);

    expect(await find([...all])).toEqual(whole);
    expect(asked).toEqual([]);
  } finally {
    sound.close();
  }
});

test('what is damaged is heard again', () => {
  const parts: FinishedPart[] = [];
  const kept = heardParts({ networks: 'a' }, partsOf(parts));
  const voices = Uint8Array.from({ length: 589 }, (_, frame) => frame % 3);
  kept.addWindows([0], voices);
  kept.addTurns([{ speaker: 1, startSeconds: 0, endSeconds: 1 }]);
  expect(Buffer.from(kept.windows([0], 589) ?? [])).toEqual(Buffer.from(voices));
  expect(kept.windows([0], 588)).toBeNull();
  expect(kept.windows([0], 590)).toBeNull();
  expect(kept.windows([32_000], 589)).toBeNull();
  // Other networks, and another number of speakers, are another question.
  for (const identity of [{ networks: 'b' }, { networks: 'a', bounds: { least: 2, most: 2 } }]) {
    expect(heardParts(identity, partsOf(parts)).windows([0], 589)).toBeNull();
    expect(heardParts(identity, partsOf(parts)).turns()).toBeNull();
  }
  const [window, turns] = parts as [FinishedPart, FinishedPart];
  for (const value of [null, 7, '', 'AAAA', '%%', []])
    expect(heardParts({ networks: 'a' }, partsOf([{ ...window, value }])).windows([0], 589), String(value)).toBeNull();
  for (const value of [null, 7, 'x', [7], [{ speaker: 1 }]])
    expect(heardParts({ networks: 'a' }, partsOf([{ ...turns, value }])).turns(), JSON.stringify(value)).toBeNull();
});
