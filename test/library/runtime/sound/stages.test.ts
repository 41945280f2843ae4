// Stages of streams: the samples are those of the work on the whole sound, in blocks of any size, and as late as said.
import { describe, expect, it } from 'vitest';
import { createDenoiser } from '../../../../src/library/dsp/denoise/denoiser.ts';
import { chooseNoiseEngine } from '../../../../src/library/dsp/denoise/engines.ts';
import { createDeepFilterNet } from '../../../../src/library/dsp/denoise/deepfilternet/suppressor.ts';
import { createRnnoiseSuppressor } from '../../../../src/library/dsp/denoise/rnnoise/suppressor.ts';
import { runHere } from '../../../../src/library/dsp/denoise/suppressor/pieces.ts';
import type { SuppressorFactory } from '../../../../src/library/dsp/denoise/suppressor/suppressor.ts';
import { requireInstalled } from '../../../../src/library/models/installed.ts';
import { searchFolders } from '../../../../src/library/models/folders.ts';
import { readSound } from '../../../../src/index.ts';
import {
  limit,
  limiter,
  liveWords,
  measureLoudness,
  meter,
  type MeterReading,
  noiseRemoval,
  type SampleBlock,
  type SoundStage,
} from '../../../../src/sound.ts';
import { noise, seeded, voice } from '../../../fixtures/media/signals.ts';
import { differenceOf } from '../../../fixtures/media/difference.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const rate = 48_000;
const seed = Math.floor(Math.random() * 2 ** 32);
const speech = voice(2.2 * rate, rate, 1, 0.3);
const hiss = noise(speech.length, 2, 0.05);
const noisy = speech.map((sample, at) => sample + (hiss[at] as number));
const other = noisy.map((sample, at) => 0.7 * sample + 0.3 * (hiss[(at * 7) % hiss.length] as number));

/** Lengths of blocks: all at once, an AudioWorklet's, and by chance. */
const divisions: Readonly<Record<string, () => number>> = {
  'all at once': () => Infinity,
  'an AudioWorklet': () => 128,
  'by chance': (() => {
    const random = seeded(seed);
    return () => Math.floor(random() ** 4 * 30_000);
  })(),
};

interface Passed {
  readonly planes: Float32Array[];
  /** Frames that were not out yet, at most, after each write had settled. */
  readonly behind: number;
}

/** Reads all the while it writes, block by block. */
async function passed(
  stage: SoundStage,
  planes: readonly Float32Array[],
  length: () => number,
  form: (block: Float32Array[]) => SampleBlock = (block) => block,
): Promise<Passed> {
  const parts: Float32Array[][] = planes.map(() => []);
  let [written, read, behind] = [0, 0, 0];
  const reading = (async () => {
    for await (const block of stage.readable) {
      for (const [channel, plane] of block.entries()) parts[channel]?.push(plane);
      read += (block[0] as Float32Array).length;
    }
  })();
  const writer = stage.writable.getWriter();
  const { length: frames } = planes[0] as Float32Array;
  while (written < frames) {
    const to = Math.min(frames, written + length());
    await writer.write(form(planes.map((plane) => plane.slice(written, to))));
    // What is out is read.
    await new Promise(setImmediate);
    written = to;
    behind = Math.max(behind, written - read);
  }
  await writer.close();
  await reading;
  return {
    planes: parts.map((part) => Float32Array.from(part.flatMap((plane) => [...plane]))),
    behind,
  };
}

/** The suppressor over the whole sound, as files have it. */
async function suppressed(create: SuppressorFactory, planes: readonly Float32Array[]): Promise<Float32Array[]> {
  const here = runHere(new AbortController().signal);
  const all = [...planes.keys()];
  const stage = createDenoiser({
    groups: { groups: [all], untouched: [] },
    createSuppressor: create,
    runner: here,
    here,
    cores: 1,
    highPass: false,
  });
  const parts: number[][] = planes.map(() => []);
  const keep = (block: { planes: readonly Float32Array[]; frames: number }): void =>
    block.planes.forEach((plane, channel) => parts[channel]?.push(...plane.subarray(0, block.frames)));
  await stage.process({ planes, frames: planes[0]!.length }, keep);
  await stage.flush(keep);
  return parts.map((part) => Float32Array.from(part));
}

const sound = { samples: [noisy, other], sampleRate: rate };
const form = { sampleRate: rate, channels: 2 };

describe.each(Object.entries(divisions))(`in blocks (%s, seed ${seed})`, (_, length) => {
  it('the limiter gives the samples of limit, as late as it says', async () => {
    const options = { gainDb: 12, ceilingDbtp: -3 };
    const stage = limiter(form, options);
    const { planes, behind } = await passed(stage, sound.samples, length);
    expect(differenceOf(planes, limit(sound, options).samples)).toBeNull();
    expect(behind).toBeLessThanOrEqual(stage.latencyFrames);
    expect(stage.latencySeconds).toBeLessThan(0.01);
  });

  it('the meter leaves the sound alone, reads on time, and ends with what the whole measures', async () => {
    const readings: MeterReading[] = [];
    const stage = meter(form, { everySeconds: 0.5, onReading: (reading) => readings.push(reading) });
    const { planes, behind } = await passed(stage, sound.samples, length, ([one, two]) =>
      Float32Array.from({ length: 2 * one!.length }, (_unused, at) => (at % 2 === 0 ? one : two)![at >> 1]!),
    );
    expect(differenceOf(planes, sound.samples)).toBeNull();
    expect(behind).toBe(0);
    expect(await stage.result).toEqual(measureLoudness(sound));
    expect(readings.map(({ seconds }) => seconds)).toEqual([0.5, 1, 1.5, 2]);
    const until = (seconds: number) => sound.samples.map((plane) => plane.subarray(0, seconds * rate));
    for (const { seconds, integratedLufs, momentaryLufs } of readings) {
      const whole = measureLoudness({ samples: until(seconds), sampleRate: rate });
      expect([integratedLufs, momentaryLufs]).toEqual([whole.integratedLufs, whole.momentaryLufs]);
    }
    const highest = (from: number, to: number): number =>
      20 * Math.log10(Math.max(...sound.samples.map((plane) => Math.max(...plane.subarray(from, to).map(Math.abs)))));
    expect(readings[1]?.samplePeakDbfs).toBe(highest(rate / 2, rate));
  });

  it('RNNoise gives what it gives of the whole sound, under 30 ms behind', async () => {
    const stage = await noiseRemoval({ sampleRate: rate }, { engine: 'rnnoise' });
    const { planes, behind } = await passed(stage, [noisy], length);
    expect(differenceOf(planes, await suppressed(createRnnoiseSuppressor, [noisy]))).toBeNull();
    expect(behind).toBeLessThanOrEqual(stage.latencyFrames);
    expect(stage.latencySeconds).toBeLessThan(0.03);
  });
});

describe('DeepFilterNet3 as a stage', () => {
  it('gives the samples of the whole sound in every division, under 40 ms behind', slow, async () => {
    const model = await requireInstalled('deepfilternet3', searchFolders(undefined));
    const byFrame = await suppressed(createDeepFilterNet(model, { pieceFrames: 1, primeSeconds: 0 }), sound.samples);
    for (const [name, length] of Object.entries(divisions)) {
      const stage = await noiseRemoval(form, { engine: 'deepfilternet3' });
      const { planes, behind } = await passed(stage, sound.samples, length);
      expect(differenceOf(planes, byFrame), `${name}, seed ${seed}`).toBeNull();
      expect(behind).toBeLessThanOrEqual(stage.latencyFrames);
      expect(stage.latencySeconds).toBeLessThan(0.04);
    }
    // The tool asks for half a second at a time; networks round otherwise then.
    const byPiece = await suppressed(createDeepFilterNet(model, { primeSeconds: 0 }), sound.samples);
    for (const [channel, plane] of byPiece.entries())
      for (const [at, sample] of plane.entries()) {
        const off = Math.abs(sample - (byFrame[channel]?.[at] as number));
        if (off > 1e-4) expect.fail(`channel ${channel}, frame ${at}: ${off}`);
      }
  });

  it('is what is chosen where it is installed', async () => {
    expect((await chooseNoiseEngine(undefined, null)).id).toBe('deepfilternet3');
  });
});

describe('at other rates than its own', () => {
  it.each([16_000, 44_100])(
    'noise removal at %i Hz is as long as the sound, in step, and as late as it says',
    async (sampleRate) => {
      const plain = voice(1.5 * sampleRate, sampleRate, 4, 0.3);
      const stage = await noiseRemoval({ sampleRate }, { engine: 'rnnoise' });
      const { planes, behind } = await passed(stage, [plain], () => 160);
      expect(planes[0]).toHaveLength(plain.length);
      expect(behind).toBeLessThanOrEqual(stage.latencyFrames);
      expect(stage.latencySeconds).toBeLessThan(0.04);
      // A clean voice passes, and its best lag is none.
      const out = planes[0] as Float32Array;
      const alike = (lag: number): number => {
        let sum = 0;
        for (let at = sampleRate / 2; at < plain.length - 50; at += 1)
          sum += (plain[at] as number) * (out[at + lag] as number);
        return sum;
      };
      const lags = Array.from({ length: 41 }, (_, at) => at - 20);
      expect(Math.abs(lags.toSorted((a, b) => alike(b) - alike(a))[0] as number)).toBeLessThanOrEqual(1);
    },
  );
});

describe('what goes wrong in a stage', () => {
  it('a block that is no sound fails both sides, and the meter has no result', async () => {
    const stage = meter({ sampleRate: rate, channels: 2 });
    const writer = stage.writable.getWriter();
    const reading = stage.readable.getReader().read();
    const message = 'Expected 2 arrays for samples but received 1';
    const writing = writer.write([noisy]);
    await expect(reading).rejects.toMatchObject({ code: 'bad_request', message });
    await writing.catch(() => undefined);
    await expect(writer.closed).rejects.toMatchObject({ message });
    await expect(stage.result).rejects.toMatchObject({ message });
  });

  it('a form or an option out of range is refused before the first block', async () => {
    expect(() => limiter({ sampleRate: 0 })).toThrow('between 1 and 768000 for sampleRate but received 0');
    expect(() => meter({ sampleRate: 1, channels: 65 })).toThrow('between 1 and 64 for channels but received 65');
    expect(() => meter({ sampleRate: rate }, { everySeconds: 0 })).toThrow('between 0.01 and 60 for everySeconds');
    await expect(noiseRemoval({ sampleRate: rate }, { engine: 'dtln' as 'rnnoise' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });
});

it('words come out of a stage while sound goes in', slower, async () => {
  const { samples, sampleRate } = await readSound(recording('jfk.wav'));
  const [mono] = samples as [Float32Array];
  const blocks = (function* () {
    for (let at = 0; at < mono.length; at += 1600) yield mono.subarray(at, at + 1600);
  })();
  const words = await liveWords({ sampleRate }, { language: 'en' }, { early: false, cores: 1 });
  const said: string[] = [];
  for await (const { text } of ReadableStream.from(blocks).pipeThrough(words)) said.push(text);
  expect(said.join(' ')).toMatch(/ask not\W+what your country can do for you/i);
});
