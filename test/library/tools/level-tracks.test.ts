import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { levelSpeakers } from '../../../src/library/tools/level_speakers/tool.ts';
import { conversation, slice, sum, type Turn } from '../dsp/speech-like.ts';
import { codesOf, lufs, type Ran, runWith } from '../dsp/tool-run.ts';
import type { TestInput } from '../../fixtures/media/input-files.ts';
import { loudnessByFfmpeg, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { type Bleed, bleedCases, bleedTracks, ownOverBleed } from '../../fixtures/sounds/bleed.ts';
import { roomRate, roomTracks } from '../../fixtures/sounds/room-tracks.ts';
import { readVoice } from '../../fixtures/sounds/conversations.ts';
import { recording } from '../../fixtures/recordings.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { fromDb, lagOf, noise, rms, toDb } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const file = scratch();
const rate = 16_000;
const seconds = 36;
const first: Turn[] = [
  { from: 1, to: 6, dbfs: -20, hz: 115 },
  { from: 13, to: 18, dbfs: -20, hz: 115 },
  { from: 25, to: 30, dbfs: -20, hz: 115 },
];
const second: Turn[] = [
  { from: 6.8, to: 12, dbfs: -34, hz: 190 },
  { from: 18.8, to: 24, dbfs: -34, hz: 190 },
  { from: 28, to: 34, dbfs: -34, hz: 190 },
];
/** Both speak from 28 to 30 s. */
const overlap = { from: 28.4, to: 29.8 };

const level = (tracks: readonly TestInput[], options: object = {}): Promise<Ran> =>
  runWith(levelSpeakers, { track_file_ids: tracks }, options, file('run-'));
const planeOf = (ran: Ran, index: number): Float32Array =>
  readAll(ran.outputs[index]?.path ?? '').planes[0] as Float32Array;
const gain = (before: Float32Array, after: Float32Array, from: number, to: number): number =>
  toDb(rms(slice(after, rate, from, to)) / rms(slice(before, rate, from, to)));

describe('two tracks, 14 dB apart, each with the other 18 dB down as crosstalk', () => {
  let inputs: [Float32Array, Float32Array];
  let ran: Ran;
  let outputs: [Float32Array, Float32Array];
  let paths: string[];
  beforeAll(async () => {
    const a = conversation(seconds, rate, first);
    const b = conversation(seconds, rate, second);
    // Microphones differ in gain: the crosstalk of the loud voice on the soft track is as loud as -38 dBFS, above half
    // of that track's own speech.
    inputs = [
      sum(
        a,
        b.map((x) => x * fromDb(14 - 18)),
        noise(a.length, 1, fromDb(-66)),
      ),
      sum(
        b,
        a.map((x) => x * fromDb(-14 - 18)),
        noise(a.length, 2, fromDb(-70)),
      ),
    ];
    paths = inputs.map((plane, index) => writeWav(file(`track-${index}.wav`), [plane], rate, 'f32'));
    ran = await level(paths);
    outputs = [planeOf(ran, 0), planeOf(ran, 1)];
  });

  it('gives every speaker the same loudness of their own speech', () => {
    const own = [first, second].map((turns, index) =>
      turns.map(({ from, to }) => lufs([slice(outputs[index] as Float32Array, rate, from, to)], rate)),
    );
    const all = own.flat();
    expect(Math.max(...all) - Math.min(...all)).toBeLessThan(1.5);
  });

  it('lowers crosstalk by 12 dB, against the gain of the own voice', () => {
    const voices = [gain(inputs[0], outputs[0], 1.5, 5.8), gain(inputs[1], outputs[1], 7.3, 11.8)] as const;
    expect(gain(inputs[0], outputs[0], 7.5, 11.5) - voices[0]).toBeGreaterThan(-13.5);
    expect(gain(inputs[0], outputs[0], 7.5, 11.5) - voices[0]).toBeLessThan(-9.5);
    expect(gain(inputs[1], outputs[1], 13.6, 17.5) - voices[1]).toBeGreaterThan(-13.5);
    expect(gain(inputs[1], outputs[1], 13.6, 17.5) - voices[1]).toBeLessThan(-9.5);
  });

  it('cuts neither the first syllable nor two who speak at once', () => {
    const voices = [gain(inputs[0], outputs[0], 14, 17.5), gain(inputs[1], outputs[1], 19.8, 23.5)] as const;
    for (const { from } of first)
      expect(Math.abs(gain(inputs[0], outputs[0], from, from + 0.3) - voices[0])).toBeLessThan(1.5);
    for (const { from } of second.slice(0, 2))
      expect(Math.abs(gain(inputs[1], outputs[1], from, from + 0.3) - voices[1])).toBeLessThan(1.5);
    expect(Math.abs(gain(inputs[0], outputs[0], overlap.from, overlap.to) - voices[0])).toBeLessThan(2);
    expect(Math.abs(gain(inputs[1], outputs[1], overlap.from, overlap.to) - voices[1])).toBeLessThan(2);
  });

  it('puts the sum of the tracks at the target, and no track over the ceiling', () => {
    expect(Math.abs(lufs([sum(...outputs)], rate) + 16)).toBeLessThan(0.15);
    for (const track of ran.result['tracks'] as { output: { truePeakDbtp: number } }[])
      expect(track.output.truePeakDbtp).toBeLessThanOrEqual(-0.95);
    expect(ran.warnings).toEqual([]);
  });

  it('moves nothing: lengths and samples stay where they are', () => {
    for (const index of [0, 1] as const) {
      expect(outputs[index].length).toBe(inputs[index].length);
      expect(lagOf(slice(inputs[index], rate, 7, 11), slice(outputs[index], rate, 7, 11), 400)).toBe(0);
    }
  });

  it('describes each track and returns each as a file of its own', () => {
    expect(ran.outputs.map(({ role, filename }) => [role, filename])).toEqual([
      ['speaker-1', 'track-0.wav'],
      ['speaker-2', 'track-1.wav'],
    ]);
    expect(ran.result).toMatchObject({ mode: 'tracks', targetLufs: -16 });
    expect((ran.result['tracks'] as { speechSeconds: number }[])[0]?.speechSeconds).toBeGreaterThan(13);
    expect((ran.result['tracks'] as { speechSeconds: number }[])[0]?.speechSeconds).toBeLessThan(17);
    expect(
      ran.progress.every((fraction, index) => index === 0 || fraction >= (ran.progress[index - 1] as number)),
    ).toBe(true);
    // Both tracks: what is billed is their sum.
    expect(ran.processedSeconds).toBeCloseTo(2 * seconds, 3);
  });

  it('is the same bit for bit the second time', async () => {
    const again = await level(paths);
    for (const index of [0, 1])
      expect(readFileSync(again.outputs[index]?.path ?? '').equals(readFileSync(ran.outputs[index]?.path ?? ''))).toBe(
        true,
      );
  });

  it('is confirmed by ffmpeg', (context) => {
    needFfmpeg(context);
    const path = writeWav(file('sum.wav'), [sum(...outputs)], rate, 'f32');
    expect(Math.abs(loudnessByFfmpeg(path).lufs + 16)).toBeLessThanOrEqual(0.2);
  });
});

describe('bleed', () => {
  const voices = [readVoice(recording('jfk.wav')), readVoice(recording('acoustic_corpus.wav'))];
  // Four of the set-ups of bench/tools/bleed.ts, shorter.
  it.each([
    'second 12 dB softer',
    '9 dB softer, in a large room',
    '9 dB softer, its gain 15 dB down',
    'bleed at -24 dB',
  ])('is left behind the own voice: %s', slow, async (title) => {
    const made = bleedTracks(voices, 6, { ...(bleedCases[title] as Bleed), togetherSeconds: 2 });
    const paths = made.tracks.map((plane, at) => writeWav(file(`bleed-${at}.wav`), [plane], made.rate, 'f32'));
    const ran = await level(paths);
    expect(ran.warnings).toEqual([]);
    const before = ownOverBleed(made, made.tracks);
    const after = ownOverBleed(
      made,
      paths.map((_, at) => planeOf(ran, at)),
    );
    for (const [track, db] of after.entries()) {
      expect(db).toBeGreaterThan(before[track] as number);
      expect(db).toBeGreaterThan(15);
    }
  });

  // Before the length of each path was measured, the first track that fails came with 12.3 dB and left with 9.0.
  it('does not become louder in a room that rings on', slow, async () => {
    const made = roomTracks(voices, {
      roomSeconds: 0.8,
      metres: 3,
      bleedDb: -14,
      room: [6, 5, 2.8],
      seconds: 24,
      seed: 3,
    });
    const paths = made.tracks.map((plane, at) => writeWav(file(`room-${at}.wav`), [plane], roomRate, 'f32'));
    const ran = await level(paths);
    expect(ran.warnings).toEqual([]);
    for (const [track, heard] of made.parts.entries()) {
      const after = planeOf(ran, track);
      const through = (part: Float32Array): Float32Array =>
        part.map((value, at) => (value * (after[at] as number)) / ((made.tracks[track] as Float32Array)[at] || 1));
      const over = (parts: readonly Float32Array[]): number =>
        toDb(rms(parts[track] as Float32Array) / rms(parts[1 - track] as Float32Array));
      expect(over(heard.map(through))).toBeGreaterThan(over(heard) + 2.5);
    }
  });

  it('is all that a microphone without a speaker has', slow, async () => {
    const made = bleedTracks(voices, 6, { voicesDb: [0, -3], bleedDb: -14 });
    const empty = made.tracks[0]!.map((sample, at) => 0.2 * sample + 0.1 * (made.tracks[1]![at] as number));
    const planes = [...made.tracks, empty];
    const ran = await level(planes.map((plane, at) => writeWav(file(`spare-${at}.wav`), [plane], made.rate, 'f32')));
    expect(codesOf(ran)).toEqual(['no_speech']);
    expect(ran.warnings[0]?.message).toContain('spare-2.wav');
    for (const { voice, from, to } of made.turns) {
      const change = gain(empty, planeOf(ran, 2), from + 0.3, to - 0.3);
      expect(change - gain(planes[voice]!, planeOf(ran, voice), from + 0.3, to - 0.3)).toBeLessThan(-6);
    }
  });
});

describe('unlike tracks', () => {
  it(
    'takes other rates, lengths and channels; each output keeps its own, and the sum is at the target',
    slow,
    async () => {
      const mono = conversation(20, 44_100, [
        { from: 1, to: 6, dbfs: -20, hz: 115 },
        { from: 13, to: 18, dbfs: -20, hz: 115 },
      ]);
      const wide = conversation(14, 48_000, [{ from: 7, to: 12, dbfs: -30, hz: 190 }]);
      const ran = await level(
        [writeWav(file('same.wav'), [mono], 44_100, 'f32'), writeWav(file('wide.wav'), [wide, wide], 48_000, 'f32')],
        { target: 'broadcast', output_format: 'flac' },
      );
      const [a, b] = ran.outputs.map(({ path }) => readAll(path));
      expect([a?.frames, a?.format.sampleRate, a?.format.channels]).toEqual([20 * 44_100, 44_100, 1]);
      expect([b?.frames, b?.format.sampleRate, b?.format.channels]).toEqual([14 * 48_000, 48_000, 2]);
      expect((ran.result['sum'] as { integratedLufs: number }).integratedLufs).toBeCloseTo(-23, 0);
      // In the stereo sum the mono voice stands on both sides: 3 LU more than by itself.
      const alone = lufs([a?.planes[0] as Float32Array], 44_100);
      expect(Math.abs(alone + 3.01 - lufs(b?.planes ?? [], 48_000))).toBeLessThan(1);
    },
  );

  it.each([8, 10])('brings the sum of %i tracks of one sound to the target', slow, async (count) => {
    const voice = conversation(12, rate, [{ from: 0.5, to: 11, dbfs: -24, hz: 130 }]);
    const path = writeWav(file('same.wav'), [voice], rate, 'f32');
    const ran = await level(Array.from({ length: count }, () => path));
    expect(Math.abs(lufs([sum(...ran.outputs.map((_, index) => planeOf(ran, index)))], rate) + 16)).toBeLessThan(0.15);
    expect(codesOf(ran)).toEqual(['bleed_not_told']);
  });

  it('names files apart that have one name, and says so when a track has no speech', slow, async () => {
    const speech = conversation(10, rate, [{ from: 1, to: 9, dbfs: -24, hz: 130 }]);
    const room = { path: writeWav(file('1.wav'), [noise(10 * rate, 7, 0.001)], rate), name: 'room.wav' };
    const talk = { path: writeWav(file('2.wav'), [speech], rate), name: 'talk.wav' };
    const ran = await level([talk, talk, room]);
    expect(ran.outputs.map(({ filename }) => filename)).toEqual(['talk.wav', 'talk-2.wav', 'room.wav']);
    expect(codesOf(ran)).toEqual(['bleed_not_told', 'no_speech']);
    expect(ran.warnings[1]?.message).toContain(' on room.wav:');
  });

  it('leaves silent tracks silent', async () => {
    const path = writeWav(file('silent.wav'), [new Float32Array(rate)], rate);
    const ran = await level([path, path]);
    expect(codesOf(ran)).toEqual(['no_speech', 'no_speech', 'silent']);
    expect(toDb(rms(planeOf(ran, 0)))).toBeLessThan(-95);
  });
});
