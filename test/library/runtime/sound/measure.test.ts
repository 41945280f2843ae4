// Work on samples in this process, held against the tools' work on float WAV files of the same samples, and against
// definitions.
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEngine, peaks as peaksOfFile, readSound } from '../../../../src/index.ts';
import { gainStages } from '../../../../src/library/edit/at-loudness.ts';
import { openAudio } from '../../../../src/library/media/read/decode.ts';
import { drive } from '../../../../src/library/media/read/drive.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import {
  detectSilence,
  findSpeech,
  type HeldSound,
  limit,
  measureLoudness,
  peaks,
  resample,
  truePeak,
} from '../../../../src/sound.ts';
import { differenceOf } from '../../../fixtures/media/difference.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { fromDb, noise, tone, voice } from '../../../fixtures/media/signals.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { findSpeech as findInFile, speechOf, speechRun } from '../../../fixtures/speech.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const rate = 44_100;
const left = voice(5.7 * rate, rate, 1);
left.fill(0, 2 * rate, 3 * rate);
const right = voice(5.7 * rate, rate, 2, 0.1).map((sample, at) => (at >= 2 * rate && at < 3 * rate ? 0 : sample));
const stereo = { samples: [left, right], sampleRate: rate };
const folder = temporaryFolder('earshot-sound-');
const path = writeWav(join(folder, 'stereo.wav'), stereo.samples, rate, 'f32');
const engine = createEngine({ concurrency: 2 });
afterAll(() => engine.close());

const rounded = (value: number | null): number | null => value && Math.round(value * 100) / 100;

describe('what is measured of samples', () => {
  it('is what analyze_audio measures of the file', slow, async () => {
    const { loudness, silences } = (await engine.run('analyze_audio', path, { detail: 'full' })).result;
    const measured = measureLoudness(stereo);
    for (const [name, value] of Object.entries(loudness ?? {}))
      expect(rounded(measured[name as keyof typeof measured]), name).toBe(value);
    const found = detectSilence(stereo);
    expect(found.stretches.map(({ startSeconds, endSeconds }) => [rounded(startSeconds), rounded(endSeconds)])).toEqual(
      silences?.stretches.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    );
    expect(rounded(found.thresholdDbfs)).toBe(silences?.thresholdDbfs);
    expect(found.stretches).toHaveLength(1);
  });

  it('is that of the file in every bin of its peaks', async () => {
    expect(peaks(stereo)).toEqual(await peaksOfFile(path));
  });

  it('is what the definitions say of a sine', () => {
    // EBU Tech 3341, case 1: 1 kHz in both channels at -23 dBFS is -23 LUFS.
    const sine = tone(20 * 48_000, 48_000, 1000, -23);
    const { integratedLufs, truePeakDbtp } = measureLoudness({ samples: [sine, sine], sampleRate: 48_000 });
    expect(integratedLufs).toBeCloseTo(-23, 1);
    expect(truePeakDbtp).toBeCloseTo(-23, 1);
    // A sine at a quarter of the rate, an eighth of a turn on: samples 3 dB under its peak.
    const between = tone(48_000, 48_000, 12_000, 0, Math.PI / 4);
    const peak = truePeak({ samples: [between, new Float32Array(48_000)], sampleRate: 48_000 });
    expect(peak.samplePeakDbfs).toBeCloseTo(-3.01, 2);
    expect(Math.abs(peak.truePeakDbtp)).toBeLessThan(0.2);
    expect(peak.channels[1]).toEqual({ truePeakDbtp: -Infinity, samplePeakDbfs: -Infinity });
    const gap = tone(48_000 * 3, 48_000, 440, -20).fill(0, 48_000, 72_000);
    const [stretch] = detectSilence({ samples: gap, sampleRate: 48_000 }, { minSeconds: 0.4 }).stretches;
    expect(stretch?.startSeconds).toBeCloseTo(1, 1);
    expect(stretch?.endSeconds).toBeCloseTo(1.5, 1);
    expect(detectSilence({ samples: gap, sampleRate: 48_000 }, { minSeconds: 0.6 }).stretches).toEqual([]);
  });

  it('is the same of every form of the sound, and of none there is nothing to say', async () => {
    const together = Float32Array.from({ length: 2 * left.length }, (_, at) => stereo.samples[at % 2]![at >> 1]!);
    const buffer: HeldSound = {
      sampleRate: rate,
      numberOfChannels: 2,
      getChannelData: (channel) => stereo.samples[channel]!,
    };
    for (const sound of [{ samples: together, sampleRate: rate, channels: 2 }, buffer]) {
      expect(measureLoudness(sound)).toEqual(measureLoudness(stereo));
      expect(truePeak(sound)).toEqual(truePeak(stereo));
    }
    const nothing = { samples: new Float32Array(), sampleRate: 48_000 };
    expect(measureLoudness(nothing)).toMatchObject({ integratedLufs: null, truePeakDbtp: -Infinity });
    expect(detectSilence(nothing).stretches).toEqual([]);
    expect(limit(nothing).samples.flatMap((plane) => [...plane])).toEqual([]);
    expect((await resample(nothing, 16_000)).samples).toEqual([new Float32Array()]);
    expect(await findSpeech(nothing)).toEqual([]);
  });
});

describe('what is made of samples', () => {
  it('by limit is under the ceiling what adjust_loudness writes with the same gain', slow, async () => {
    const { outputs } = await engine.samples('adjust_loudness', path, { gain_db: 3 });
    const { samples, maxReductionDb } = limit(stereo, { gainDb: 3, ceilingDbtp: 20 });
    expect(differenceOf(samples, outputs[0]!.samples)).toBeNull();
    expect(maxReductionDb).toBe(0);
  });

  it('by limit is over the ceiling what the limiter of the tools makes of the file', async () => {
    const source = openAudio(probe(path));
    const made: Float32Array[][] = [[], []];
    await drive(
      source,
      gainStages({ gainDb: 9, ceilingDbtp: -1.5, limited: true }),
      ({ planes, frames }) => planes.forEach((plane, channel) => made[channel]?.push(plane.slice(0, frames))),
      { onProgress: () => undefined },
    );
    source.close();
    const limited = limit(stereo, { gainDb: 9, ceilingDbtp: -1.5 });
    const expected = made.map((parts) => Float32Array.from(parts.flatMap((part) => [...part])));
    expect(differenceOf(limited.samples, expected)).toBeNull();
    expect(limited.maxReductionDb).toBeGreaterThan(1);
    expect(truePeak(limited).truePeakDbtp).toBeLessThan(-1.45);
    // What was given is as it was.
    expect(measureLoudness(stereo)).toEqual(measureLoudness(await readSound(path)));
  });

  it('without a gain and under the ceiling is the same', () => {
    const soft = noise(48_000, 3, 0.1);
    const { samples, maxReductionDb } = limit({ samples: [soft], sampleRate: 48_000 });
    expect(differenceOf(samples, [soft])).toBeNull();
    expect(maxReductionDb).toBe(0);
  });

  it('by resample is what convert_audio writes', slow, async () => {
    for (const sampleRate of [16_000, 48_000, 44_100] as const) {
      const { outputs } = await engine.samples('convert_audio', path, { sample_rate: sampleRate });
      const made = await resample(stereo, sampleRate);
      expect(made.sampleRate).toBe(sampleRate);
      expect(differenceOf(made.samples, outputs[0]!.samples), String(sampleRate)).toBeNull();
    }
  });

  it('is refused where a number is out of range', async () => {
    expect(() => limit(stereo, { ceilingDbtp: 21 })).toThrow('Expected dBTP between -80 and 20 for ceilingDbtp');
    expect(() => limit(stereo, { gainDb: Number.NaN })).toThrow('Expected dB between -120 and 120 for gainDb');
    expect(() => detectSilence(stereo, { minSeconds: 0 })).toThrow('Expected seconds above 0 for minSeconds');
    await expect(resample(stereo, 0.5)).rejects.toThrow('between 1 and 768000 for sampleRate but received 0.5');
    expect(() => measureLoudness(null as never)).toThrow(
      'Expected { samples, sampleRate } or an AudioBuffer for sound',
    );
    expect(() => truePeak({ samples: [1, 2] as never, sampleRate: 48_000 })).toThrow('Expected a Float32Array');
  });
});

describe('speech in samples', () => {
  it('is where the tools find it in the file', slow, async () => {
    const found = await findSpeech(await readSound(recording('jfk.wav')));
    expect(found).toEqual(await findInFile(await speechOf('jfk.wav'), speechRun()));
    expect(found.length).toBeGreaterThan(2);
    const twice = await readSound(recording('jfk.wav'));
    const [mono] = twice.samples as [Float32Array];
    const at48 = await resample({ ...twice, samples: [mono, mono.map((sample) => sample * fromDb(-6))] }, 48_000);
    const again = await findSpeech(at48);
    expect(again.length).toBe(found.length);
    for (const [index, region] of again.entries())
      expect(Math.abs(region.startSeconds - found[index]!.startSeconds)).toBeLessThan(0.1);
  });

  it('is not looked for any more once it is aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(findSpeech({ samples: noise(16_000, 1), sampleRate: 16_000 }, { signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
