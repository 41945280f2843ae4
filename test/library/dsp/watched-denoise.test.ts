// @module-tag slower
// Noise suppression as the tools use it: at every level alike, and without losing quiet voices or music. With both
// engines: whispers, creaks, singing, laughter and music are made by script (test/fixtures/sounds).
import { describe, expect, it } from 'vitest';
import { chooseNoiseEngine, type NoiseEngine } from '../../../src/library/dsp/denoise/engines.ts';
import { judgeEvent } from '../../../src/library/dsp/denoise/passages/lost-voice.ts';
import { mixShares, sharesOf } from '../../../src/library/dsp/denoise/passages/shares.ts';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { levellingCurve } from '../../../src/library/dsp/denoise/level/levelling-curve.ts';
import { createPassageReport } from '../../../src/library/dsp/denoise/passages/passage-report.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { difference, fromDb, joined, maxAbs, noise, rms, seeded, toDb } from '../../fixtures/media/signals.ts';
import { recording, type RecordingName } from '../../fixtures/recordings.ts';
import { rounds, slow } from '../../fixtures/rounds.ts';
import { pieces } from '../../fixtures/sounds/music.ts';
import { creak, laugh, sing, whisper, whiteNoise } from '../../fixtures/sounds/revoice.ts';
import { levelsOf, secondsOf, watched } from '../../fixtures/sounds/watched.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

const rate = 48_000;
/** Of music and noises: in fewer, some music is not known for it. */
const seconds = rounds(6, 9);
const engineOf = (id: 'deepfilternet3' | 'rnnoise'): Promise<NoiseEngine> => chooseNoiseEngine(undefined, id);
const engines = ['deepfilternet3', 'rnnoise'] as const;

const speechOf = (seconds = 5): Float32Array =>
  (readAll(recording('clean_speech_48k.wav')).planes[0] as Float32Array).slice(0, seconds * rate);
function scaled(plane: Float32Array, db: number): Float32Array {
  const gain = fromDb(db);
  return plane.map((x) => x * gain);
}
const at = (plane: Float32Array, dbfs: number): Float32Array => scaled(plane, dbfs - toDb(rms(plane)));

function siSdr(estimate: Float32Array, reference: Float32Array): number {
  let dot = 0;
  for (let i = 0; i < estimate.length; i += 1) dot += (estimate[i] as number) * (reference[i] as number);
  const scale = dot / (reference.length * rms(reference) ** 2);
  const rest = estimate.map((x, i) => x - scale * (reference[i] as number));
  return toDb((Math.abs(scale) * rms(reference)) / rms(rest));
}

const voicesMade = new Map<string, Float32Array>();
/** Made once for both engines: it takes as long as what is tried with it. */
function voiceOf(name: string, make: () => Float32Array): Float32Array {
  const voice = voicesMade.get(name) ?? make();
  voicesMade.set(name, voice);
  return voice;
}

describe.each(engines)('%s', (id) => {
  it('gains the same at every level from -60 to -10 LUFS', async () => {
    const engine = await engineOf(id);
    const speech = at(speechOf(), -20);
    const hiss = at(noise(speech.length, 4), -25);
    const noisy = speech.map((x, i) => x + (hiss[i] as number));
    const reached: number[] = [];
    for (const db of rounds([-60, -10], [-60, -50, -35, -20, -10]))
      reached.push(siSdr((await watched(engine, [scaled(noisy, db + 20)])).planes[0] as Float32Array, speech));
    expect(Math.min(...reached)).toBeGreaterThan(5 + 4);
    expect(Math.max(...reached) - Math.min(...reached)).toBeLessThan(0.1);
  });

  it('keeps whispers, creaks, singing and laughter within 2 dB, however quiet', slow, async () => {
    const engine = await engineOf(id);
    const speech = speechOf(8);
    const voices = {
      whisper: () => whisper(speech),
      creak: () => creak(speech),
      singing: () => sing(speech.slice(0, speech.length / 2)),
      laughter: () => laugh(8),
    };
    for (const [name, make] of Object.entries(voices)) {
      const quiet = at(voiceOf(name, make), -46);
      const { planes } = await watched(engine, [quiet]);
      expect(Math.abs(toDb(rms(planes[0] as Float32Array) / rms(quiet))), name).toBeLessThan(2);
    }
  });

  it('a whisper after loud speech is heard, too', slow, async () => {
    const engine = await engineOf(id);
    const speech = speechOf();
    const hushed = at(
      voiceOf('whisper after speech', () => whisper(speech)),
      -55,
    );
    const { planes } = await watched(engine, [joined(at(speech, -20), hushed)]);
    expect(Math.abs(toDb(rms((planes[0] as Float32Array).slice(speech.length)) / rms(hushed)))).toBeLessThan(2);
  });

  it('gives the same however the input is cut', slow, async () => {
    const engine = await engineOf(id);
    const speech = speechOf(2);
    const input = [
      at(speech, -30),
      at(whisper(speech), -40),
      at((pieces['pop'] as (s: number) => Float32Array)(5), -25),
    ];
    const plane = joined(...input);
    const random = seeded(31);
    const whole = await watched(engine, [plane], { cut: () => plane.length });
    const parts = await watched(engine, [plane], { cut: () => 1 + Math.floor(random() * 100_000) });
    expect(difference(whole.planes[0] as Float32Array, parts.planes[0] as Float32Array)).toBe(0);
    expect(parts.passages).toEqual(whole.passages);
  });

  it('survives silence, nothing, one frame and broken samples', async () => {
    const engine = await engineOf(id);
    for (const frames of [0, 1, 479, 5000]) await watched(engine, [noise(frames, 2, 0.1)]);
    const silent = await watched(engine, [new Float32Array(3 * rate)]);
    expect(maxAbs(silent.planes[0] as Float32Array)).toBeLessThan(1e-6);
    expect(silent.passages).toEqual([]);
    const broken = noise(2 * rate, 6, 0.1);
    broken.set([NaN, Infinity, -Infinity, 1e30], 20_000);
    expect((await watched(engine, [broken])).planes[0]?.every(Number.isFinite)).toBe(true);
  });
});

describe('parts of sounds', () => {
  /** Quarter seconds, loud in the input, that lost more than this. */
  const dips = (before: Float32Array, after: Float32Array, lostDb: number): number => {
    const size = rate / 4;
    const levels = Array.from({ length: Math.floor(before.length / size) }, (_, n) =>
      [before, after].map((plane) => toDb(rms(plane.subarray(n * size, (n + 1) * size)))),
    ) as [number, number][];
    const loud = levels.map(([level]) => level).toSorted((a, b) => a - b)[Math.floor(0.9 * levels.length)] as number;
    return levels.filter(([was, is]) => was > loud - 10 && is < was - lostDb).length;
  };
  const sample = (name: RecordingName, from = 0, to = Infinity): Float32Array => {
    const source = openAudio(probe(recording(name)), { rate, channels: 1, from });
    const parts: Float32Array[] = [];
    for (let block = source.next(); block; block = source.next()) parts.push(block.planes[0]!.slice(0, block.frames));
    source.close();
    return at(joined(...parts).slice(0, to * rate), -26);
  };

  it('the creaking end of a sentence stays', slow, async () => {
    const sentence = sample('uh.flac');
    const { planes } = await watched(await engineOf('deepfilternet3'), [sentence]);
    expect(dips(sentence, planes[0] as Float32Array, 10)).toBe(0);
  });

  it('a word that ends in a creak stays, where RNNoise loses the creak, too', async () => {
    const voice = sample('clean_speech_48k.wav');
    const hiss = at(noise(voice.length, 4), -78);
    const [from, to] = [4.43 * rate, 5.26 * rate];
    const level = (plane: Float32Array): number => rms(plane.slice(from, to));
    const beats = creak(voice);
    const gain = level(voice) / level(beats);
    const creaking = voice.map((x, i) => {
      const share = Math.max(0, Math.min(1, (i - from) / (0.05 * rate), (to - i) / (0.03 * rate)));
      return (1 - share) * x + share * gain * (beats[i] as number) + (hiss[i] as number);
    });
    const { planes } = await watched(await engineOf('deepfilternet3'), [creaking]);
    expect(dips(creaking, planes[0] as Float32Array, 10)).toBe(0);
  });

  it('of two voices at once neither goes for a quarter second', async () => {
    const [one, other] = [sample('clean_speech_48k.wav', 0, 4), sample('austen-0870.wav', 0, 4)];
    const both = one.map((x, i) => x + (other[i] as number));
    const { planes } = await watched(await engineOf('deepfilternet3'), [both]);
    expect(dips(both, planes[0] as Float32Array, 9)).toBe(0);
  });
});

describe('music', () => {
  const names = Object.keys(pieces).filter((name) => name !== 'bass');
  it.for(rounds(['drums', 'distorted guitar', 'pads', 'pop'], names))('%s without a voice stays', async (name) => {
    const music = (pieces[name] as (length: number) => Float32Array)(seconds);
    const { planes, passages } = await watched(await engineOf('deepfilternet3'), [music]);
    expect(secondsOf(passages, 'music')).toBe(seconds);
    // To the rounding of the samples, but for the last frames.
    expect(
      difference((planes[0] as Float32Array).slice(0, (seconds - 1) * rate), music.slice(0, (seconds - 1) * rate)),
    ).toBeLessThan(1e-6);
  });

  it('between talk stays, and the talk is cleaned', slow, async () => {
    const engine = await engineOf('deepfilternet3');
    const speech = at(speechOf(), -25);
    const hiss = at(noise(speech.length, 4), -45);
    const talk = speech.map((x, i) => x + (hiss[i] as number));
    const song = at((pieces['rock'] as (seconds: number) => Float32Array)(12), -20);
    const { planes, passages } = await watched(engine, [joined(talk, song, talk)]);
    const out = planes[0] as Float32Array;
    const from = talk.length;
    expect(Math.abs(toDb(rms(out.slice(from, from + song.length)) / rms(song)))).toBeLessThan(1);
    expect(secondsOf(passages, 'music')).toBeGreaterThanOrEqual(11);
    expect(secondsOf(passages, 'music')).toBeLessThanOrEqual(14);
    expect(siSdr(out.slice(0, from - rate), speech.slice(0, from - rate))).toBeGreaterThan(22);
  });

  it.for(engines)('%s: noise and speech in noise are not taken for it', async (id) => {
    const engine = await engineOf(id);
    const frames = seconds * rate;
    const white = whiteNoise(frames, 3);
    const random = seeded(7);
    const clicks = new Float32Array(frames);
    for (let n = 0; n < 7 * seconds; n += 1) clicks[Math.floor(random() * frames)] = 0.5;
    const noises = {
      hiss: at(white, -30),
      hum: Float32Array.from({ length: frames }, (_, i) =>
        [1, 2, 3, 5, 7].reduce((sum, k) => sum + (0.05 / k) * Math.sin((2 * Math.PI * 100 * k * i) / rate), 0),
      ),
      // Blades that pass nine times a second, and the whine of the motor.
      fan: white.map(
        (x, i) =>
          0.05 * x * (1 + 0.3 * Math.sin((2 * Math.PI * 9 * i) / rate)) +
          0.02 * Math.sin((2 * Math.PI * 470 * i) / rate),
      ),
      // A machine that stamps twice a second, always the same.
      stamp: white.map((x, i) => 0.3 * x * Math.exp(-(i % (rate / 2)) / 2000) + 0.002 * x),
      clicks,
      beeper: white.map(
        (x, i) => 0.01 * x + ((i / rate) % 1 < 0.5 ? 0.2 * Math.sin((2 * Math.PI * 960 * i) / rate) : 0),
      ),
      // A motor whose speed drifts.
      drill: white.map((x, i) => {
        const cycles = (290 * i) / rate - 19 * Math.cos((1.3 * i) / rate);
        let sum = 0.05 * x;
        for (let k = 1; k < 20; k += 1) sum += (0.1 * Math.sin(2 * Math.PI * k * cycles)) / k;
        return sum;
      }),
    };
    const names = Object.keys(noises);
    const tried = rounds(['hum', 'fan', 'stamp', 'drill'], names) as (keyof typeof noises)[];
    for (const name of tried)
      expect(secondsOf((await watched(engine, [noises[name]])).passages, 'music'), name).toBe(0);
  });
});

describe('a sound that the suppressors lost', () => {
  const lost = (hops: number) => ({ start: 100, end: 100 + hops, heard: 1, left: 0.01, kind: 'whole' as const });
  const overlap = { ...lost(20), kind: 'overlap' as const };
  const series =
    (rippleDb: number, steady = 0) =>
    (which: 'ripple' | 'steady') =>
      new Float32Array(60).fill(which === 'ripple' ? rippleDb : steady);

  it('goes where it is short, even noise or a standing tone; a voice stays, what may be one is turned down', () => {
    const verdicts = {
      'noise that lasts': judgeEvent(lost(60), 0.01, series(2.5)),
      'a stroke': judgeEvent(lost(30), 0.01, series(3.3)),
      'an alarm': judgeEvent(lost(60), 0.01, series(3.6, 0.4)),
      'a voice far away': judgeEvent(lost(30), 0.01, series(6)),
      'a crowd that laughs': judgeEvent(lost(60), 0.01, series(3.3)),
      'the same without RNNoise': judgeEvent(lost(60), null, series(3.3)),
      'a whisper': judgeEvent(lost(60), 0.6, series(2.5)),
      'a beeper': judgeEvent(lost(60), 0.01, series(6, 0.6)),
      'a motor that RNNoise keeps': judgeEvent(lost(60), 0.6, series(6, 0.6)),
      'a note that is sung': judgeEvent(lost(60), 0.01, series(6, 0.3)),
      'one of two voices': judgeEvent(overlap, 0.2, series(6)),
      'one of two voices that RNNoise loses, too': judgeEvent(overlap, 0.05, series(6)),
    };
    expect(verdicts).toEqual({
      'noise that lasts': 'suppressed',
      'a stroke': 'suppressed',
      'an alarm': 'suppressed',
      'a voice far away': 'original',
      'a crowd that laughs': 'doubtful',
      'the same without RNNoise': 'doubtful',
      'a whisper': 'stand-in',
      'a beeper': 'suppressed',
      'a motor that RNNoise keeps': 'suppressed',
      'a note that is sung': 'original',
      'one of two voices': 'stand-in',
      'one of two voices that RNNoise loses, too': 'suppressed',
    });
  });

  it('is turned down by 8 dB where it may be a voice', () => {
    const none = (): Uint8Array => new Uint8Array(400);
    const doubtful = none().fill(1, 100, 300);
    const shares = sharesOf(0, { music: none(), standIn: none(), original: none(), doubtful });
    const original = noise(4 * rate, 9);
    const out = new Float32Array(4 * rate);
    mixShares([out], null, [original], 0, shares);
    const level = (from: number, to: number): number =>
      toDb(rms(out.slice(from * rate, to * rate)) / rms(original.slice(from * rate, to * rate)));
    expect(level(1.1, 2.9)).toBeCloseTo(-8, 0);
    expect(maxAbs(out.slice(0, 0.8 * rate))).toBe(0);
  });
});

describe('the level curve', () => {
  it('is undone exactly, wherever the sound is cut', () => {
    const plane = noise(5 * rate, 3, 0.5).map((x, i) => x * 10 ** (-i / rate));
    const curve = levellingCurve(levelsOf([plane]), [0], -20, rate);
    const there = plane.slice();
    const random = seeded(12);
    for (let from = 0; from < there.length;) {
      const frames = Math.min(there.length - from, 1 + Math.floor(random() * 70_000));
      curve.apply([there.subarray(from, from + frames)], from, frames, false);
      from += frames;
    }
    const once = plane.slice();
    curve.apply([once], 0, once.length, false);
    expect(difference(there, once)).toBe(0);
    curve.apply([once], 0, once.length, true);
    expect(toDb(rms(once.map((x, i) => x - (plane[i] as number))) / rms(plane))).toBeLessThan(-130);
  });

  it('follows a recording whose second half is 40 dB weaker', () => {
    const plane = noise(80 * rate, 3, 0.5).map((x, i) => (i < 40 * rate ? x : x / 100));
    const curve = levellingCurve(levelsOf([plane]), [0], -20, rate);
    const there = plane.slice();
    curve.apply([there], 0, there.length, false);
    const level = (from: number): number => toDb(rms(there.slice(from * rate, (from + 5) * rate)));
    expect(Math.abs(level(10) + 20)).toBeLessThan(1);
    // 30 dB of it are made up for; the rest is taken for a pause.
    expect(level(70)).toBeGreaterThan(-34);
  });
});

it('passages are told in seconds, and music only where all channels agree', () => {
  const report = createPassageReport(2);
  for (const startSeconds of [0, 1, 2, 60, 61])
    report.add({ reason: 'music', startSeconds, endSeconds: startSeconds + 1 });
  for (const startSeconds of [1, 2, 61]) report.add({ reason: 'music', startSeconds, endSeconds: startSeconds + 1 });
  report.add({ reason: 'quiet_voice', startSeconds: 30, endSeconds: 31.5 });
  report.add({ reason: 'far_voice', startSeconds: 40, endSeconds: 40.5 });
  expect(report.musicSeconds()).toEqual([1, 2, 61]);
  expect(report.warnings().map(({ code, message }) => [code, /\d+:\d\d.*$/u.exec(message)?.[0]])).toEqual([
    ['music_kept', '0:00-0:03, 1:00-1:02'],
    ['quiet_voice_kept', '0:30-0:32'],
  ]);
});
