// The noise suppressors themselves, on the samples and on signals made here. Weights: RNNoise's lie in its package; the
// tests of DeepFilterNet3 are skipped, with a printed reason, where they are not there.
import { beforeAll, describe, expect, it } from 'vitest';
import { groupChannels } from '../../../src/library/dsp/denoise/channel-groups.ts';
import { bandWidths } from '../../../src/library/dsp/denoise/deepfilternet/features.ts';
import {
  createDeepFilterNet,
  type DeepFilterNetOptions,
} from '../../../src/library/dsp/denoise/deepfilternet/suppressor.ts';
import { createDenoiser } from '../../../src/library/dsp/denoise/denoiser.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { createRnnoiseSuppressor } from '../../../src/library/dsp/denoise/rnnoise/suppressor.ts';
import { createRumbleFilter } from '../../../src/library/dsp/denoise/suppressor/rumble.ts';
import type { SuppressorFactory } from '../../../src/library/dsp/denoise/suppressor/suppressor.ts';
import { searchFolders } from '../../../src/library/models/folders.ts';
import { requireInstalled, type VerifiedModel } from '../../../src/library/models/installed.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { rounds, slow, slower } from '../../fixtures/rounds.ts';
import { denoised } from '../../fixtures/sounds/denoised.ts';
import {
  difference,
  fromDb,
  lagOf,
  maxAbs,
  noise,
  rms,
  seeded,
  toDb,
  tone,
  toneLevelDb,
  voice,
} from '../../fixtures/media/signals.ts';

const rate = 48_000;
let weights: VerifiedModel;
beforeAll(async () => {
  weights = await requireInstalled('deepfilternet3', searchFolders());
});

function deepFilterNet(options: DeepFilterNetOptions = {}): SuppressorFactory {
  return createDeepFilterNet(weights, options);
}

interface Run {
  readonly highPass?: boolean;
  /** Frames handed over at a time. Default 48000. */
  readonly cut?: () => number;
  readonly groups?: readonly (readonly number[])[];
  readonly untouched?: readonly number[];
}

async function clean(
  create: SuppressorFactory,
  planes: readonly Float32Array[],
  { highPass = true, cut = () => rate, groups, untouched = [] }: Run = {},
): Promise<Float32Array[]> {
  const here = runHere(new AbortController().signal);
  const usual = planes.length === 2 ? [[0, 1]] : planes.map((_, channel) => [channel]);
  const denoiser = createDenoiser({
    groups: { groups: groups ?? usual, untouched },
    createSuppressor: create,
    runner: here,
    here,
    cores: 1,
    highPass,
  });
  return denoised(denoiser, planes, cut);
}

/** Scale-invariant signal-to-distortion ratio, dB (Le Roux et al. 2019), without removing the mean. */
function siSdr(estimate: Float32Array, reference: Float32Array): number {
  const dot = estimate.reduce((sum, x, i) => sum + x * (reference[i] as number), 0);
  const scale = dot / reference.reduce((sum, x) => sum + x * x, 0);
  let [signal, rest] = [0, 0];
  for (const [i, x] of estimate.entries()) {
    const target = scale * (reference[i] as number);
    signal += target * target;
    rest += (x - target) ** 2;
  }
  return 10 * Math.log10(signal / rest);
}

const sample = (name: 'clean_speech' | 'noise' | 'noisy_snr0'): Float32Array =>
  readAll(recording(`${name}_48k.wav`)).planes[0] as Float32Array;
const mixAt = (speech: Float32Array, hiss: Float32Array, snrDb: number): Float32Array => {
  const gain = rms(speech) / rms(hiss) / fromDb(snrDb);
  return speech.map((x, i) => x + gain * (hiss[i % hiss.length] as number));
};

describe('the rumble filter', () => {
  const frames = 4 * rate;
  const filtered = (plane: Float32Array): Float32Array => {
    const out = new Float32Array(frames);
    let at = 0;
    const filter = createRumbleFilter({ channels: 1, highPass: true }, ([one], count) => {
      out.set((one as Float32Array).subarray(0, count), at);
      at += count;
    });
    filter.push([plane], frames);
    filter.flush();
    expect(at).toBe(frames);
    return out;
  };
  it.each([
    [20, -70, -200],
    [30, -46, -50],
    [40, -27, -30],
    [60, -5.8, -6.2],
    [80, -0.7, -1],
    [100, 0.01, -0.2],
    [300, 0.01, -0.01],
  ])('%i Hz comes out between %d and %d dB', (hz, most, least) => {
    const level = toneLevelDb(filtered(tone(frames, rate, hz, -6)).subarray(rate, 3 * rate), rate, hz) + 6;
    expect(level).toBeLessThanOrEqual(most);
    expect(level).toBeGreaterThanOrEqual(least);
  });
  it('moves nothing: a tone at 100 Hz keeps its phase', () => {
    const input = tone(frames, rate, 100, -6, 0.7);
    const gain = fromDb(toneLevelDb(filtered(input).subarray(rate, 3 * rate), rate, 100) + 6);
    expect(
      difference(
        filtered(input).slice(rate, 3 * rate),
        input.slice(rate, 3 * rate).map((x) => x * gain),
      ),
    ).toBeLessThan(1e-4);
  });
});

describe('DeepFilterNet3', () => {
  it('has the bands of libDF', () => {
    expect(bandWidths()).toEqual([
      2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 5, 7, 7, 8, 10, 12, 13, 15, 18, 20, 24, 28, 31, 37, 42, 50, 56, 67,
    ]);
  });

  it('reaches the value of the upstream test', slow, async () => {
    const [result] = await clean(deepFilterNet({ primeSeconds: 0 }), [sample('noisy_snr0')], {
      highPass: false,
    });
    expect(Math.abs(siSdr(result as Float32Array, sample('clean_speech')) - 20.01)).toBeLessThan(0.1);
  });

  it('gives the same in pieces of any length as of the whole recording at once', slower, async () => {
    // The longest pieces end once in them, at five seconds.
    const input = [sample('noisy_snr0').slice(0, 7 * rate)];
    const [whole] = await clean(deepFilterNet({ pieceFrames: 100_000 }), input);
    for (const pieceFrames of rounds([1, 37, 500], [1, 3, 37, 100, 500])) {
      // Pieces of one frame are slow: a second of them tells as much.
      const short = pieceFrames < 10 ? [(input[0] as Float32Array).slice(0, 3 * rate)] : input;
      const expected = pieceFrames < 10 ? (await clean(deepFilterNet({ pieceFrames: 100_000 }), short))[0] : whole;
      const random = seeded(pieceFrames);
      const [pieces] = await clean(deepFilterNet({ pieceFrames }), short, {
        cut: () => 1 + Math.floor(random() * 60_000),
      });
      expect(
        toDb(
          rms((pieces as Float32Array).map((x, i) => x - (expected?.[i] as number))) / rms(expected as Float32Array),
        ),
        `pieces of ${pieceFrames}`,
      ).toBeLessThan(-80);
    }
  });

  it('leaves clean speech alone', slow, async () => {
    const speech = sample('clean_speech');
    expect(siSdr((await clean(deepFilterNet(), [speech]))[0] as Float32Array, speech)).toBeGreaterThan(35);
  });
});

const both: [string, () => SuppressorFactory][] = [
  ['RNNoise', () => createRnnoiseSuppressor],
  ['DeepFilterNet3', () => deepFilterNet()],
];

describe.each(both)('%s', (name, factory) => {
  it('takes the noise of the sample away', slow, async () => {
    const [result] = await clean(factory(), [sample('noisy_snr0')], { highPass: name !== 'RNNoise' });
    // Bare RNNoise, as the figure is given for it.
    expect(siSdr(result as Float32Array, sample('clean_speech'))).toBeGreaterThan(name === 'RNNoise' ? 14.9 : 19.5);
  });

  it('gains on mixtures, most where there is rumble', slow, async () => {
    const speech = sample('clean_speech').slice(0, 6 * rate);
    const recorded = sample('noise');
    const gains: number[] = [];
    for (const hiss of [noise(speech.length, 3), recorded]) {
      for (const snr of [0, 10]) {
        const mixed = mixAt(speech, hiss, snr);
        gains.push(siSdr((await clean(factory(), [mixed]))[0] as Float32Array, speech) - siSdr(mixed, speech));
      }
    }
    expect(Math.min(...gains)).toBeGreaterThan(5);
    expect(gains.reduce((sum, gain) => sum + gain, 0) / gains.length).toBeGreaterThan(name === 'RNNoise' ? 9 : 12);
  });

  it('is in step with its input, and as long, however it is cut', slow, async () => {
    // DeepFilterNet3 takes tones that only swell for noise: it wants a real voice.
    const input =
      name === 'RNNoise'
        ? voice(rate * 3 + 1234, rate, 4).map((x, i) => x + 0.01 * Math.sin(i / 3))
        : sample('clean_speech').slice(2 * rate, 5 * rate + 1234);
    const random = seeded(9);
    const [whole] = await clean(factory(), [input]);
    const [cut] = await clean(factory(), [input], { cut: () => 1 + Math.floor(random() * 30_000) });
    expect(difference(whole as Float32Array, cut as Float32Array)).toBe(0);
    expect(lagOf(input, whole as Float32Array, 2000)).toBe(0);
  });

  it.each([0, 1, 479, 480, 961, 5000])('takes %i frames', async (frames) => {
    if (name !== 'RNNoise' && !weights) return;
    const [result] = await clean(factory(), [noise(frames, 2, 0.1)]);
    expect(result?.length).toBe(frames);
    expect(result?.every(Number.isFinite)).toBe(true);
  });

  it('leaves silence silent, and a silent side too', slow, async () => {
    const silent = new Float32Array(2 * rate);
    expect(maxAbs((await clean(factory(), [silent]))[0] as Float32Array)).toBeLessThan(1e-9);
    const [left, right] = await clean(factory(), [noise(2 * rate, 5, 0.1), silent], {
      groups: [[0]],
      untouched: [1],
    });
    expect(rms(left as Float32Array)).toBeGreaterThan(0);
    expect(maxAbs(right as Float32Array)).toBe(0);
  });

  it('keeps the stereo image: both sides get one filter', slow, async () => {
    const speech = sample('noisy_snr0').slice(0, 5 * rate);
    const [left, right] = await clean(factory(), [speech, speech.map((x) => x / 4)]);
    const [loud, quiet] = [left as Float32Array, right as Float32Array];
    const panned = toDb(rms(loud) / rms(quiet));
    expect(Math.abs(panned - toDb(4))).toBeLessThan(0.2);
    expect(toDb(rms(quiet.map((x, i) => x - (loud[i] as number) / 4)) / rms(quiet))).toBeLessThan(-20);
    // Twice the same is the same as once.
    const [one] = await clean(factory(), [speech]);
    const [same, again] = await clean(factory(), [speech, speech]);
    for (const side of [same, again])
      expect(
        toDb(rms((side as Float32Array).map((x, i) => x - (one?.[i] as number))) / rms(one as Float32Array)),
      ).toBeLessThan(-45);
  });

  it('survives NaN, infinity and far too loud samples', async () => {
    const broken = noise(2 * rate, 6, 0.1);
    broken.set([NaN, Infinity, -Infinity, 1e30], 20_000);
    broken[60_000] = 50;
    const [result] = await clean(factory(), [broken]);
    expect(result?.every(Number.isFinite)).toBe(true);
  });

  it('adds nothing to music: no band gets louder than it was', slow, async () => {
    // Chords of steady partials that change every half second.
    const music = Float32Array.from({ length: 6 * rate }, (_, i) =>
      [220, 277.2, 329.6, 440, 880].reduce(
        (sum, hz) => sum + 0.08 * Math.sin((2 * Math.PI * hz * (1 + (Math.floor((2 * i) / rate) % 3) / 12) * i) / rate),
        0,
      ),
    );
    const [result] = await clean(factory(), [music]);
    expect(rms(result as Float32Array)).toBeLessThanOrEqual(rms(music) * 1.05);
    expect(maxAbs(result as Float32Array)).toBeLessThanOrEqual(maxAbs(music) * 1.25);
    const above = (plane: Float32Array): number =>
      toDb(rms(plane.map((x, i) => x - 2 * (plane[i - 1] ?? 0) + (plane[i - 2] ?? 0))));
    expect(above(result as Float32Array)).toBeLessThan(above(music) + 1);
  });
});

it('RNNoise: where segments join, the sound is that of an unbroken run', slow, async () => {
  const once = sample('noisy_snr0');
  const input = Float32Array.from({ length: 42 * rate }, (_, i) => once[i % once.length] as number);
  // The same stretch once with the seam in it and once far from any.
  const [broken] = await clean(createRnnoiseSuppressor, [input]);
  const [unbroken] = await clean(createRnnoiseSuppressor, [input.slice(32 * rate)]);
  const [a, b] = [
    (broken as Float32Array).slice(40 * rate - 2000, 41 * rate),
    (unbroken as Float32Array).slice(8 * rate - 2000, 9 * rate),
  ];
  expect(toDb(rms(a.map((x, i) => x - (b[i] as number))) / rms(b))).toBeLessThan(-25);
});

describe('how channels belong together', () => {
  const stereo = { sampleRate: rate, channels: 2, layout: 'stereo' };
  it.each([
    ['one scene', stereo, [1, 1], 0.9, [[0, 1]], []],
    ['two people', stereo, [1, 1], 0.1, [[0], [1]], []],
    ['opposite phase', stereo, [1, 1], -0.9, [[0], [1]], []],
    ['a dead side', stereo, [1, 0], null, [[0]], [1]],
    ['silence', stereo, [0, 0], null, [], [0, 1]],
    ['mono', { ...stereo, channels: 1, layout: 'mono' }, [1], null, [[0]], []],
    ['surround', { ...stereo, channels: 6, layout: '5.1' }, [1, 1, 1, 1, 0, 1], null, [[0], [1], [2], [5]], [3, 4]],
  ] as const)('%s', (_, format, peaks, correlation, groups, untouched) => {
    expect(groupChannels(format, peaks, correlation)).toEqual({ groups, untouched });
  });
});
