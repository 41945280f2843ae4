// @module-tag slow
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { levelSpeakers } from '../../../src/library/tools/level_speakers/tool.ts';
import { alternating, babble, chords, conversation, slice, sum, type Turn } from '../dsp/speech-like.ts';
import { codesOf, lufs, type Ran, runWith } from '../dsp/tool-run.ts';
import { slow } from '../../fixtures/rounds.ts';
import {
  hasFfmpeg,
  loudnessByFfmpeg,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
  writeAll,
} from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { fromDb, make, noise, rms, tone, toDb } from '../../fixtures/media/signals.ts';
import { pieces } from '../../fixtures/sounds/music.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';

const file = scratch();
const level = (path: string, options: object = {}, signal?: AbortSignal): Promise<Ran> =>
  runWith(levelSpeakers, { file_id: [path] }, options, file('run-'), signal);
const mean = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0) / values.length;
const outputOf = (ran: Ran): Float32Array[] => readAll(ran.outputs[0]?.path ?? '').planes;
const loudnessOfTurns = (plane: Float32Array, rate: number, turns: readonly Turn[]): number[] =>
  turns.map(({ from, to }) => lufs([slice(plane, rate, from, to)], rate));
/** Change of level between two times, dB. */
const gainBetween = (before: Float32Array, after: Float32Array, rate: number, from: number, to: number): number =>
  toDb(rms(slice(after, rate, from, to)) / rms(slice(before, rate, from, to)));

describe('two voices 12 dB apart, by turns of 4 s with 0.6 s between them, noise at -60 dBFS', () => {
  const rate = 16_000;
  const turns = alternating(10, 4, 0.6, -24, -36);
  const seconds = 47;
  let background: Float32Array;
  let input: Float32Array;
  let output: Float32Array;
  let ran: Ran;
  beforeAll(async () => {
    background = noise(seconds * rate, 5, fromDb(-60) * Math.sqrt(3));
    input = sum(conversation(seconds, rate, turns), background);
    ran = await level(writeWav(file('two.wav'), [input], rate, 'f32'));
    output = outputOf(ran)[0] as Float32Array;
  });

  it('ends within 1.5 dB for both, each turn within 1.5 dB of every other', () => {
    const each = loudnessOfTurns(output, rate, turns);
    const [first, second] = [0, 1].map((who) => mean(each.filter((_, index) => index % 2 === who)));
    const before = loudnessOfTurns(input, rate, turns);
    expect(mean(before.filter((_, i) => i % 2 === 0)) - mean(before.filter((_, i) => i % 2 === 1))).toBeGreaterThan(11);
    expect(Math.abs((first as number) - (second as number))).toBeLessThan(1);
    expect(Math.max(...each) - Math.min(...each)).toBeLessThan(1.5);
  });

  it('reaches the target and the ceiling', () => {
    expect(lufs([output], rate)).toBeCloseTo(-16, 0);
    expect(ran.result['output']).toMatchObject({ integratedLufs: expect.closeTo(-16, 0.5) as number });
    expect(Math.abs((ran.result['output'] as { integratedLufs: number }).integratedLufs + 16)).toBeLessThanOrEqual(0.1);
    expect((ran.result['output'] as { truePeakDbtp: number }).truePeakDbtp).toBeLessThanOrEqual(-0.95);
    expect(ran.warnings).toEqual([]);
  });

  it('raises the noise by at most 3 dB over the gain of the louder voice, in the half beside it', () => {
    // In the other half the gain is on its way: the softer voice's first word has all of it. The noise itself is known.
    const voiceGain = mean(
      turns.filter((_, index) => index % 2 === 0).map(({ from, to }) => gainBetween(input, output, rate, from, to)),
    );
    for (const [index, turn] of turns.slice(1).entries()) {
      const from = (turns[index] as Turn).to;
      const half = (from + turn.from) / 2;
      const [start, end] = index % 2 === 0 ? [from, half] : [half, turn.from];
      expect(gainBetween(background, output, rate, start, end) - voiceGain).toBeLessThan(3);
    }
  });

  it('follows a change of speakers within half a second', () => {
    for (const { from, to, dbfs } of turns) {
      const early = gainBetween(input, output, rate, from + 0.3, from + 0.8);
      const whole = gainBetween(input, output, rate, from + 0.8, to);
      expect(Math.abs(early - whole), `turn at ${from} s, ${dbfs} dBFS`).toBeLessThan(1.5);
    }
  });

  it('holds its gain within a turn: nothing pumps', () => {
    const gains = turns.map(({ from, to }) =>
      Array.from({ length: 6 }, (_, k) =>
        gainBetween(input, output, rate, from + 0.5 + k * 0.5, Math.min(to - 0.1, from + 1 + k * 0.5)),
      ),
    );
    // The limiter works on the peaks of the louder voice; what it takes is no riding of the gain.
    for (const each of gains) expect(Math.max(...each) - Math.min(...each)).toBeLessThan(1.2);
  });

  it('has no clicks: the gain moves smoothly from sample to sample', async () => {
    // A constant under the ramps shows the gain itself.
    const gentle = sum(
      conversation(seconds, rate, turns).map((x) => x * fromDb(-14)),
      tone(seconds * rate, rate, 40, -50),
    );
    const { outputs } = await level(writeWav(file('clicks.wav'), [gentle], rate, 'f32'), { target: 'broadcast' });
    const out = readAll(outputs[0]?.path ?? '').planes[0] as Float32Array;
    let most = 0;
    for (let i = 1; i < out.length; i += 1) {
      const [a, b] = [gentle[i - 1] as number, gentle[i] as number];
      // Gain at two neighbouring samples, read where the signal is large enough to tell.
      if (Math.abs(a) > 1e-3 && Math.abs(b) > 1e-3)
        most = Math.max(most, Math.abs(toDb(Math.abs(((out[i] as number) * a) / (b * (out[i - 1] as number))))));
    }
    // 80 dB/s is 0.005 dB a sample here; the limiter, which is silent at this level, would be faster.
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(0.02);
  });

  it('is the same bit for bit the second time', async () => {
    const again = await level(file('two.wav'));
    expect(readFileSync(again.outputs[0]?.path ?? '').equals(readFileSync(ran.outputs[0]?.path ?? ''))).toBe(true);
    expect(again.result).toEqual(ran.result);
  });

  it('keeps the length, reports monotone progress, and describes what it did', () => {
    expect(output.length).toBe(input.length);
    expect(
      ran.progress.every((fraction, index) => index === 0 || fraction >= (ran.progress[index - 1] as number)),
    ).toBe(true);
    expect(Math.max(...ran.progress)).toBeLessThanOrEqual(1);
    expect(ran.result).toMatchObject({ mode: 'recording', levels: 10, musicSeconds: 0, targetLufs: -16 });
    expect(ran.result['speechSeconds']).toBeGreaterThan(36);
    expect(ran.result['speechSeconds']).toBeLessThan(44);
    expect(ran.processedSeconds).toBeCloseTo(seconds, 3);
  });

  it('agrees with ffmpeg about the loudness', (context) => {
    needFfmpeg(context);
    const read = loudnessByFfmpeg(ran.outputs[0]?.path ?? '');
    expect(Math.abs(read.lufs + 16)).toBeLessThanOrEqual(0.15);
    expect(read.truePeak).toBeLessThanOrEqual(-0.9);
  });
});

describe('what is no speech', () => {
  const rate = 44_100;
  const turns: Turn[] = [
    { from: 8, to: 13, dbfs: -24, hz: 120 },
    { from: 13.6, to: 18.6, dbfs: -34, hz: 200 },
  ];
  it('leaves music and the silence around it with the louder voice, though a quiet voice gains 10 dB', async () => {
    const seconds = 27;
    const music = new Float32Array(seconds * rate);
    music.set(chords(7 * rate, rate, -38), 0);
    music.set(chords(6 * rate, rate, -38), 20 * rate);
    const input = sum(conversation(seconds, rate, turns), music, noise(seconds * rate, 3, fromDb(-72)));
    const ran = await level(writeWav(file('music.wav'), [input], rate, 'f32'), { target: 'broadcast' });
    const output = outputOf(ran)[0] as Float32Array;
    const loud = gainBetween(input, output, rate, 8.3, 13);
    expect(gainBetween(input, output, rate, 14, 18.6) - loud).toBeGreaterThan(8.5);
    for (const [from, to] of [
      [0.5, 6.9],
      [20.1, 25.9],
      [26.3, 26.9],
    ] as const)
      expect(gainBetween(input, output, rate, from, to) - loud).toBeLessThan(1.6);
    expect(ran.result['musicSeconds']).toBeGreaterThan(10);
  });

  it('does not raise noise that gets louder for a while, nor rustling between words', async () => {
    const seconds = 24;
    const hiss = noise(seconds * rate, 9, fromDb(-66) * Math.sqrt(3));
    for (let i = 14 * rate; i < 19 * rate; i += 1) hiss[i] = (hiss[i] as number) * fromDb(16);
    const input = sum(
      conversation(seconds, rate, [
        { from: 1, to: 12, dbfs: -24, hz: 120 },
        { from: 20, to: 23, dbfs: -24, hz: 120 },
      ]),
      hiss,
    );
    const output = outputOf(
      await level(writeWav(file('fan.wav'), [input], rate, 'f32'), { target: 'broadcast' }),
    )[0] as Float32Array;
    const voice = gainBetween(input, output, rate, 1.5, 12);
    expect(gainBetween(input, output, rate, 14.2, 18.8) - voice).toBeLessThan(3);
    expect(gainBetween(input, output, rate, 12.5, 13.8) - voice).toBeLessThan(3);
  });

  it('without any speech sets the loudness with one gain and says so', async () => {
    const input = chords(8 * rate, rate, -30);
    const ran = await level(writeWav(file('chords.wav'), [input], rate, 'f32'));
    const output = outputOf(ran)[0] as Float32Array;
    expect(codesOf(ran)).toEqual(['no_speech']);
    const gains = [0, 2, 4, 6].map((from) => gainBetween(input, output, rate, from, from + 2));
    expect(Math.max(...gains) - Math.min(...gains)).toBeLessThan(0.05);
    expect(Math.abs(lufs([output], rate) + 16)).toBeLessThan(0.11);
  });

  it('leaves silence as it is and says so', async () => {
    const ran = await level(writeWav(file('silence.wav'), [new Float32Array(2 * rate)], rate));
    expect(codesOf(ran)).toEqual(['silent']);
    expect(outputOf(ran)[0]?.length).toBe(2 * rate);
  });

  it('takes files of a frame and of a tenth of a second', async () => {
    for (const frames of [1, 4410]) {
      const ran = await level(writeWav(file(`short-${frames}.wav`), [tone(frames, rate, 440, -20)], rate));
      expect(outputOf(ran)[0]?.length).toBe(frames);
    }
  });

  it('takes broken samples', async () => {
    const input = sum(conversation(6, rate, [{ from: 0.5, to: 5.5, dbfs: -24, hz: 120 }]), noise(6 * rate, 2, 0.001));
    for (let i = 30_000; i < 30_010; i += 1) input[i] = Number.NaN;
    const output = outputOf(await level(writeWav(file('nan.wav'), [input], rate, 'f32')))[0] as Float32Array;
    expect(output.every(Number.isFinite)).toBe(true);
    expect(Math.abs(lufs([output], rate) + 16)).toBeLessThan(0.2);
  });
});

describe('recordings', () => {
  it('levels an AMI meeting', async () => {
    const path = recording('ami-trn05.wav');
    const ran = await level(path, { target: 'broadcast' });
    const output = outputOf(ran)[0] as Float32Array;
    const input = readAll(path);
    expect(output.length).toBe(input.frames);
    expect(Math.abs(lufs([output], 16_000) + 23)).toBeLessThan(0.15);
    const [before, after] = [ran.result['input'], ran.result['output']] as {
      loudnessRangeLu: number;
      truePeakDbtp: number;
    }[];
    // Never a wider range than before, by more than the meter's grain.
    expect((after?.loudnessRangeLu ?? 99) - (before?.loudnessRangeLu ?? 0)).toBeLessThan(0.5);
    expect(after?.truePeakDbtp).toBeLessThanOrEqual(-0.95);
  });

  it('brings two real voices 12 dB apart within 1.5 dB', async () => {
    const [reader, president] = [recording('austen-0870.wav'), recording('jfk.wav')].map(
      (path) => readAll(path).planes[0] as Float32Array,
    );
    const rate = 16_000;
    const at = (plane: Float32Array = new Float32Array(1), wanted = 0): Float32Array => {
      const gain = fromDb(wanted - lufs([plane], rate));
      return plane.map((x) => x * gain);
    };
    const pause = new Float32Array(0.5 * rate);
    const parts = [
      at(reader, -20),
      pause,
      at(president, -32),
      pause,
      at(reader, -20),
      pause,
      at(president?.slice(0, 5 * rate), -32),
    ];
    const input = new Float32Array(parts.reduce((frames, part) => frames + part.length, 0));
    const places: (readonly [number, number])[] = [];
    let frame = 0;
    for (const part of parts) {
      input.set(part, frame);
      if (part !== pause) places.push([frame / rate, (frame + part.length) / rate]);
      frame += part.length;
    }
    const output = outputOf(
      await level(writeWav(file('real.wav'), [sum(input, noise(input.length, 4, fromDb(-68)))], rate, 'f32')),
    )[0] as Float32Array;
    const each = places.map(([from, to]) => lufs([slice(output, rate, from, to)], rate));
    expect(Math.max(...each) - Math.min(...each)).toBeLessThan(1.5);
  });
});

describe('files', () => {
  const rate = 48_000;
  const stereo = (): Float32Array[] => {
    const speech = conversation(10, rate, alternating(2, 4, 0.6, -22, -32));
    return [speech, speech.map((x) => x * 0.5)];
  };
  it('gives all channels one gain', async () => {
    const ran = await level(writeWav(file('stereo.wav'), stereo(), rate, 'f32'), { target: 'broadcast' });
    const [left, right] = outputOf(ran) as [Float32Array, Float32Array];
    const unequal = make(left.length, (i) => (left[i] as number) * 0.5 - (right[i] as number));
    expect(rms(unequal) / rms(left)).toBeLessThan(1e-6);
  });

  it.each(['mp3', 'm4a', 'flac', 'wav'])('writes %s at the target with the tags of the input', async (format) => {
    const path = writeAll(file(`tagged-${format}.flac`), stereo(), rate, {
      format: 'flac',
      tags: { title: 'Ein Gespräch', artist: 'Zwei' },
    }).path;
    const ran = await level(path, { output_format: format });
    const { facts, frames } = readAll(ran.outputs[0]?.path ?? '');
    expect(ran.outputs[0]?.filename).toBe(`tagged-${format}.${format}`);
    expect(facts.tags).toMatchObject({ title: 'Ein Gespräch', artist: 'Zwei' });
    expect(frames).toBe(10 * rate);
    expect(Math.abs(lufs(readAll(ran.outputs[0]?.path ?? '').planes, rate) + 16)).toBeLessThanOrEqual(0.11);
    expect((ran.result['output'] as { truePeakDbtp: number }).truePeakDbtp).toBeLessThanOrEqual(-0.9);
  });

  it.runIf(hasFfmpeg)('copies the picture of a video', async () => {
    const path = makeVideo(file('talk.mp4'), stereo(), rate);
    const ran = await level(path);
    expect(ran.outputs[0]).toMatchObject({ format: 'mp4', contentType: 'video/mp4' });
    expect(packetHashes(ran.outputs[0]?.path ?? '', 'v')).toEqual(packetHashes(path, 'v'));
  });

  it('stops at the signal', async () => {
    const path = writeWav(file('abort.wav'), stereo(), rate);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await expect(level(path, {}, controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('what is refused', () => {
  it('takes one recording or tracks, not both and not none', async () => {
    const path = writeWav(file('any.wav'), [tone(48_000, 48_000, 300, -20)], 48_000);
    const both = await thrownBy(() =>
      runWith(levelSpeakers, { file_id: [path], track_file_ids: [path, path] }, {}, file('run-')),
    );
    expect(both.code).toBe('bad_request');
    expect(both.message).toContain('received both');
    const none = await thrownBy(() => runWith(levelSpeakers, {}, {}, file('run-')));
    expect(none).toMatchObject({ code: 'bad_request', message: expect.stringContaining('received none') as string });
    const one = await thrownBy(() => runWith(levelSpeakers, { track_file_ids: [path] }, {}, file('run-')));
    expect(one).toMatchObject({ code: 'bad_request', message: expect.stringContaining('2 to 10 files') as string });
    const facts = { format: 'wav', durationSeconds: 1, hasAudio: true, hasVideo: false };
    expect(
      levelSpeakers.plan({ file_id: [facts], track_file_ids: [facts, facts] }, levelSpeakers.parseOptions({}))
        .refusals[0]?.code,
    ).toBe('bad_request');
    expect(levelSpeakers.plan({ file_id: [facts] }, levelSpeakers.parseOptions({})).refusals).toEqual([]);
  });

  it('wants custom_lufs with target custom, and only then', async () => {
    expect(await thrownBy(() => levelSpeakers.parseOptions({ target: 'custom' }))).toMatchObject({
      code: 'bad_request',
      details: { field: 'custom_lufs' },
    });
    expect(await thrownBy(() => levelSpeakers.parseOptions({ custom_lufs: -20 }))).toMatchObject({
      code: 'bad_request',
      details: { field: 'target' },
    });
    expect(await thrownBy(() => levelSpeakers.parseOptions({ target: 'custom', custom_lufs: -31 }))).toMatchObject({
      code: 'bad_request',
    });
    expect(await thrownBy(() => levelSpeakers.parseOptions({ target: 'audiobook' }))).toMatchObject({
      code: 'bad_request',
    });
    expect(levelSpeakers.parseOptions({})).toEqual({ target: 'podcast', output_format: 'same' });
  });
});

describe('music 22 dB under a talk with pauses of a second', () => {
  const rate = 48_000;
  // Phrases of 2.5 s of a voice, every second one 6 dB softer.
  const said = (seconds: number): Float32Array => {
    const voice = readAll(recording('jfk.wav'), { rate, channels: 1 }).planes[0] as Float32Array;
    return Float32Array.from({ length: seconds * rate }, (_, i) => {
      const [phrase, at] = [Math.floor(i / (3.5 * rate)), i % (3.5 * rate)];
      const gain = phrase % 2 === 0 ? 1 : 0.5;
      return at < 2.5 * rate ? gain * (voice[(phrase * 2.5 * rate + at) % voice.length] as number) : 0;
    });
  };
  const bed = pieces['pop']?.(21) as Float32Array;
  const talk = said(21);
  const bedGain = fromDb(-45) / rms(bed);
  const input = sum(
    talk,
    bed.map((x) => x * bedGain),
  );

  it('is lifted in no pause beyond the voices beside it', async () => {
    const ran = await level(writeWav(file('bed.wav'), [input], rate));
    const output = outputOf(ran)[0] as Float32Array;
    for (let from = 2.5; from < 17; from += 3.5) {
      const beside = Math.max(
        gainBetween(input, output, rate, from - 2, from - 0.2),
        gainBetween(input, output, rate, from + 1.2, from + 3),
      );
      expect(gainBetween(input, output, rate, from + 0.2, from + 0.8) - beside).toBeLessThan(3);
    }
    expect(codesOf(ran)).toEqual([]);
    expect(ran.result['musicSeconds']).toBeGreaterThan(1);
  });

  it('is lifted in no pause of its speaker on a track of their own', slow, async () => {
    // The other one speaks when the first has ended.
    const first = sum(
      talk.map((x, i) => (i < 14 * rate ? x : 0)),
      bed.map((x) => x * bedGain),
    );
    const second = talk.map((_, i) => (i < 14 * rate ? 0 : (talk[i - 14 * rate] as number)));
    const paths = [first, second].map((plane, at) => writeWav(file(`bed-${at}.wav`), [plane], rate));
    const ran = await runWith(levelSpeakers, { file_id: [], track_file_ids: paths }, {}, file('bed-tracks-'));
    const output = outputOf(ran)[0] as Float32Array;
    for (let from = 2.5; from < 13; from += 3.5) {
      const beside = gainBetween(first, output, rate, from - 2, from - 0.2);
      const next = from < 10 ? gainBetween(first, output, rate, from + 1.2, from + 3) : beside;
      expect(gainBetween(first, output, rate, from + 0.2, from + 0.8) - Math.max(beside, next)).toBeLessThan(3);
    }
    expect(codesOf(ran)).toEqual([]);
  });

  it('without the sound classifier it is said that it may be lifted', async () => {
    vi.stubEnv('EARSHOT_MODELS_PACKAGE', '');
    try {
      const ran = await level(writeWav(file('bed-unheard.wav'), [input.subarray(0, 7 * rate)], rate));
      expect(codesOf(ran)).toEqual(['sounds_not_told']);
      expect(ran.result['speakers']).toBeNull();
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

it('surround sound is mixed down first where the output is stereo', async () => {
  // Gain and limiter are for what is heard.
  const rate = 48_000;
  // A voice in all channels, and knocks in one after the other: their peaks add up in the channels, not in the mix.
  const speech = babble(8 * rate, rate, 120, 5);
  const planes = Array.from({ length: 6 }, (_, channel) =>
    speech.map((x, frame) => {
      const knock = Math.floor(frame / rate) % 6 === channel ? Math.exp(-(frame % rate) / 300) : 0;
      return 0.1 * x + 0.3 * knock * Math.sin(frame * 0.2);
    }),
  );
  const surround = file('surround.flac');
  writeAll(surround, planes, rate, { format: 'flac' });
  // Floats, which hold what adds up above full scale.
  const stereo = writeWav(file('mixed.wav'), readAll(surround, { rate, channels: 2 }).planes, rate, 'f32');
  const [ran, mixed] = [await level(surround, { output_format: 'mp3' }), await level(stereo, { output_format: 'mp3' })];
  expect(codesOf(ran)).toEqual(['channels_reduced', ...codesOf(mixed)]);
  for (const key of ['input', 'output']) {
    const [own, other] = [ran.result[key], mixed.result[key]] as { integratedLufs: number; truePeakDbtp: number }[];
    expect(own?.integratedLufs).toBeCloseTo(other?.integratedLufs ?? 0, 0);
    expect(own?.truePeakDbtp).toBeCloseTo(other?.truePeakDbtp ?? 0, 0);
  }
  expect(ran.result['gainDb']).toBeCloseTo(mixed.result['gainDb'] as number, 0);
});
