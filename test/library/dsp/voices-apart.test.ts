// Voices told apart by their timbre where nothing else tells: turns without a pause between them keep gains of their
// own.
import { describe, expect, it } from 'vitest';
import { levelSpeech } from '../../../src/library/dsp/gain/leveling.ts';
import { placeVoices, type SpeechPieces } from '../../../src/library/dsp/gain/voice-places.ts';
import { integratedOfHops } from '../../../src/library/dsp/voicing/hop-loudness.ts';
import { findSpeech } from '../../../src/library/dsp/voicing/speech-activity.ts';
import { meterSpeechLevels, type SpeechLevels } from '../../../src/library/dsp/voicing/speech-levels.ts';
import { type Timbre, timbreSize } from '../../../src/library/dsp/voicing/timbre.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { fromDb, seeded } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';
import { lufs } from './tool-run.ts';

const rate = 16_000;

function levelsOf(samples: Float32Array, blockFrames = rate): SpeechLevels & { readonly timbre: Timbre } {
  const meter = meterSpeechLevels({ timbre: true });
  meter.open({ sampleRate: rate, channels: 1, layout: 'mono' });
  for (let at = 0; at < samples.length; at += blockFrames) {
    const plane = samples.subarray(at, at + blockFrames);
    meter.process({ planes: [plane], frames: plane.length }, () => undefined);
  }
  meter.flush(() => undefined);
  const levels = meter.result();
  if (levels.timbre === null) throw new Error('Timbre was asked for');
  return { ...levels, timbre: levels.timbre };
}

const voices = ['austen-0870.wav', 'jfk.wav'].map(
  (name) => readAll(recording(name as 'jfk.wav')).planes[0] as Float32Array,
);

describe('timbre', () => {
  const voice = (voices[0] as Float32Array).slice(0, 4 * rate);
  const { values, hopSeconds } = levelsOf(voice).timbre;

  it('is twelve numbers every 64 ms, however the sound is cut', () => {
    expect(hopSeconds).toBeCloseTo(0.064, 6);
    expect(values.length).toBe(timbreSize * Math.floor((voice.length / 2 - 256) / 512));
    expect(levelsOf(voice, 1234).timbre.values).toEqual(values);
  });

  it('does not know the level', () => {
    const soft = levelsOf(voice.map((x) => x * fromDb(-30))).timbre.values;
    expect(values.reduce((most, x, i) => Math.max(most, Math.abs(x - (soft[i] as number))), 0)).toBeLessThanOrEqual(1);
    expect(new Set(values).size).toBeGreaterThan(40);
  });

  it('of silence and broken samples is a number', () => {
    const broken = new Float32Array(rate).fill(Number.NaN, 4000, 5000).fill(Infinity, 9000, 9001);
    for (const value of levelsOf(broken).timbre.values) expect(value).toBe(0);
  });
});

describe('where voices lie', () => {
  /** Frames of voices in turns of so many pieces: each voice has a mean of its own, each sound strays from it. */
  function spoken(count: number, voiceOf: (piece: number) => number, strayed = 1) {
    const random = seeded(7);
    const centres = [0, 1, 2].map(() => Float32Array.from({ length: timbreSize }, () => 24 * (random() - 0.5)));
    const frameSeconds = 0.05;
    const values = new Int8Array(count * 4 * timbreSize);
    for (let frame = 0; frame < count * 4; frame += 1)
      for (let order = 0; order < timbreSize; order += 1)
        values[frame * timbreSize + order] = Math.round(
          (centres[voiceOf(Math.floor(frame / 4))]?.[order] ?? 0) + 30 * strayed * (random() - 0.5),
        );
    const pieces: SpeechPieces = {
      starts: Int32Array.from({ length: count }, (_, piece) => 10 * piece),
      ends: Int32Array.from({ length: count }, (_, piece) => 10 * piece + 10),
      newTurn: new Uint8Array(count),
    };
    const energy = new Float32Array(count * 10).fill(1e-3);
    return { timbre: { values, hopSeconds: frameSeconds }, energy, pieces };
  }
  const placed = (talk: ReturnType<typeof spoken>) => placeVoices(talk.timbre, talk.energy, talk.pieces);

  it('is nowhere for one voice, and for less than 20 s', () => {
    expect(placed(spoken(400, () => 0))).toBeNull();
    expect(placed(spoken(80, (piece) => Math.floor(piece / 16) % 2))).toBeNull();
    expect(
      placeVoices({ values: new Int8Array(0), hopSeconds: 0.064 }, new Float32Array(0), {
        starts: new Int32Array(0),
        ends: new Int32Array(0),
        newTurn: new Uint8Array(0),
      }),
    ).toBeNull();
  });

  it('is on two sides for two, far more than what each scatters by', () => {
    const places = placed(spoken(400, (piece) => Math.floor(piece / 16) % 2));
    const means = [0, 1].map((voice) => {
      const own = [...Array(400).keys()].filter((piece) => Math.floor(piece / 16) % 2 === voice);
      const all = own.map((piece) => (places?.sums[2 * piece] as number) / (places?.frames[piece] as number));
      const mean = all.reduce((sum, x) => sum + x, 0) / all.length;
      return { mean, deviation: Math.sqrt(all.reduce((sum, x) => sum + (x - mean) ** 2, 0) / all.length) };
    }) as [{ mean: number; deviation: number }, { mean: number; deviation: number }];
    expect(Math.abs(means[0].mean - means[1].mean)).toBeGreaterThan(4 * (means[0].deviation + means[1].deviation));
  });

  it('is found anew where others speak, five minutes later', () => {
    const talk = spoken(6000, (piece) => (piece < 3000 ? Math.floor(piece / 16) % 2 : 2));
    const places = placed(talk);
    expect(places?.frames.subarray(0, 1500).every((count) => count > 0)).toBe(true);
    expect(places?.frames.subarray(4500).every((count) => count === 0)).toBe(true);
  });
});

describe('turns of two voices without a pause between them', () => {
  const [reader, president] = voices.map((voice) => {
    const { energy, hopSeconds } = levelsOf(voice);
    const hop = hopSeconds * rate;
    // Without pauses.
    const loud = 0.01 * (energy.toSorted()[Math.floor(0.9 * energy.length)] as number);
    const kept = [...energy.keys()].filter((at) => energy.subarray(Math.max(0, at - 6), at + 7).some((x) => x > loud));
    return Float32Array.from(kept.flatMap((at) => [...voice.subarray(at * hop, (at + 1) * hop)]));
  }) as [Float32Array, Float32Array];
  const seconds = 2.4;
  const levels = [-20, -25, -19, -28, -22, -26, -20, -24, -27, -19, -24, -20];
  const said = levels.map((level, index) => {
    const voice = index % 2 === 0 ? reader : president;
    const from = Math.round((0.3 + ((1.3 * index) % 3.5)) * rate);
    const part = voice.slice(from, from + seconds * rate);
    const gain = fromDb(level - lufs([part], rate));
    return part.map((x) => x * gain);
  });
  const { timbre, ...heard } = levelsOf(Float32Array.from(said.flatMap((part) => [...part])));
  const activity = findSpeech({ ...heard, timbre }, { softTurns: true });
  /** How far each turn lies from the whole after leveling, LU. */
  const misses = (known: Timbre | null): number[] => {
    const { gainsDb } = levelSpeech(heard.energy, activity, { timbre: known }).curve;
    const whole = integratedOfHops(heard.energy, heard.hopSeconds, gainsDb) as number;
    return levels.map((_, index) => {
      const [from, to] = [0, 1].map((more) => Math.round(((index + more) * seconds) / heard.hopSeconds));
      const turn = integratedOfHops(heard.energy.subarray(from, to), heard.hopSeconds, gainsDb.subarray(from, to));
      return Math.abs((turn as number) - whole);
    });
  };

  it('are brought together by what they sound like', () => {
    expect(misses(timbre).filter((lu) => lu > 1.5)).toEqual([]);
    expect(misses(null).filter((lu) => lu > 1.5).length).toBeGreaterThan(3);
  });

  it('of one voice are left as they were', () => {
    const { timbre: own, ...sonnet } = levelsOf(
      readAll(recording('sonnet001.mp3'), { rate, channels: 1 }).planes[0] as Float32Array,
    );
    const spoken = findSpeech({ ...sonnet, timbre: own }, { softTurns: true });
    expect(levelSpeech(sonnet.energy, spoken, { timbre: own }).curve.gainsDb).toEqual(
      levelSpeech(sonnet.energy, spoken).curve.gainsDb,
    );
  });
});
