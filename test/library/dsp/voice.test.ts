// The voice's stages, each on sound by definition: what they change, what they leave, and that blocks and lags do not
// show.
import { describe, expect, it } from 'vitest';
import { balance, balanceFor, gainAt } from '../../../src/library/dsp/voice/balance.ts';
import { throughGroups } from '../../../src/library/dsp/voice/channels.ts';
import { compress, compressionDb } from '../../../src/library/dsp/voice/compress.ts';
import { deEss } from '../../../src/library/dsp/voice/de-ess.ts';
import { dereverberate } from '../../../src/library/dsp/voice/dereverberate.ts';
import { extendBandwidth } from '../../../src/library/dsp/voice/extend-bandwidth.ts';
import { averageSpeechSpectrum } from '../../../src/library/dsp/voice/ltass.ts';
import { planVoice } from '../../../src/library/dsp/voice/plan.ts';
import { dereverberation, meterRoom, type RoomReading } from '../../../src/library/dsp/voice/room.ts';
import {
  compareWithAverage,
  meterSpeechProfile,
  type SpeechProfile,
} from '../../../src/library/dsp/voice/speech-profile.ts';
import { binHz, bins, spectralStage } from '../../../src/library/dsp/voice/spectral-stage.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import type { Analyser, Stage } from '../../../src/library/pcm/stage.ts';
import {
  bandLimitedNoise,
  difference,
  fromDb,
  joined,
  lagOf,
  make,
  maxAbs,
  noise,
  rms,
  seeded,
  toDb,
  toneLevelDb,
} from '../../fixtures/media/signals.ts';
import { babble } from './speech-like.ts';
import { slower } from '../../fixtures/rounds.ts';

const rate = 48_000;
const format = (channels: number): { sampleRate: number; channels: number; layout: string } => ({
  sampleRate: rate,
  channels,
  layout: channels === 2 ? 'stereo' : 'mono',
});

/** Runs planes through stages, in blocks of a second or of the given sizes in turn. */
function through(
  stages: readonly Stage[],
  planes: readonly Float32Array[],
  sizes: readonly number[] = [rate],
): Float32Array[] {
  const pipeline = compose(stages, format(planes.length));
  const parts: Float32Array[][] = planes.map(() => []);
  const keep = (block: { planes: readonly Float32Array[] }): void =>
    block.planes.forEach((plane, channel) => parts[channel]?.push(plane.slice()));
  const { length } = planes[0] as Float32Array;
  for (let at = 0, turn = 0; at < length; turn += 1) {
    const to = Math.min(length, at + (sizes[turn % sizes.length] as number));
    pipeline.process({ planes: planes.map((plane) => plane.slice(at, to)), frames: to - at }, keep);
    at = to;
  }
  pipeline.flush(keep);
  pipeline.close();
  return parts.map((all) => joined(...all));
}

function meter<Result>(analyser: Analyser<Result>, planes: readonly Float32Array[]): Result {
  through([analyser], planes);
  return analyser.result();
}

/** Vowels of a gliding voice and, between them, hisses of s: `hissDb` against the vowels. */
function speech(seconds: number, hissDb: number | null, seed = 3): Float32Array {
  const out = babble(seconds * rate, rate, 120, seed).map((x) => 0.05 * x);
  if (hissDb === null) return out;
  const random = seeded(seed + 50);
  const hiss = bandLimitedNoise(out.length, rate, 10_000, seed + 70, 1).map((x, i, all) => x - (all[i - 1] ?? 0));
  const level = (fromDb(hissDb) * rms(out)) / rms(hiss);
  for (let at = 0.3 * rate; at < out.length; at += Math.round((0.5 + 0.3 * random()) * rate)) {
    const from = Math.round(at);
    for (let i = 0; i < 0.12 * rate && from + i < out.length; i += 1)
      out[from + i] = level * Math.sin((Math.PI * i) / (0.12 * rate)) * (hiss[from + i] as number);
  }
  return out;
}

/** Mean level of what is found at some frequencies, by projection. */
function bandDb(plane: Float32Array, hz: readonly number[]): number {
  return 10 * Math.log10(hz.reduce((sum, f) => sum + fromDb(2 * toneLevelDb(plane, rate, f)), 0) / hz.length);
}
const spread = (fromHz: number, toHz: number): number[] =>
  Array.from({ length: 24 }, (_, i) => fromHz + ((toHz - fromHz) * (i + 0.37)) / 24);

const wetRoom: RoomReading = { t60Seconds: 0.6, earlyDropDb: 8, offsets: 1000 };
const activeDb = (plane: Float32Array): number => meter(meterSpeechProfile(), [plane]).activeDb ?? 0;

const stages: Record<string, () => Stage> = {
  'unchanged spectra': () => spectralStage({ begin: () => () => undefined }),
  dereverberate: () => dereverberate(wetRoom),
  balance: () =>
    balance([
      { hz: 200, gainDb: -4 },
      { hz: 1000, gainDb: 0 },
      { hz: 6000, gainDb: 6 },
    ]),
  extendBandwidth: () => extendBandwidth({ activeDb: -26, cutoffHz: 3600 }),
  deEss: () => deEss(-30),
  compress: () => compress(-30),
};

describe.each(Object.entries(stages))('%s', (_name, create) => {
  const sound = [speech(3, -3), speech(3, -3, 8)].map((plane) => plane.subarray(0, 3 * rate - 377));

  it('does not depend on how the sound is cut', () => {
    const whole = through([create()], sound);
    const cut = through([create()], sound, [1, 4096, 333, 77_777, 255, 256]);
    for (const [channel, plane] of whole.entries()) expect(difference(plane, cut[channel] as Float32Array)).toBe(0);
  });

  it('is as long as its input, in step with it, and silent on silence', () => {
    const [out] = through([create()], sound) as [Float32Array];
    expect(out.length).toBe(sound[0]?.length);
    expect(lagOf(sound[0] as Float32Array, out, 1500)).toBe(0);
    expect(maxAbs(through([create()], [new Float32Array(rate)])[0] as Float32Array)).toBe(0);
    for (const frames of [0, 1, 100, 255])
      expect(through([create()], [new Float32Array(frames).fill(0.1)])[0]?.length).toBe(frames);
  });

  it('keeps places in the stereo image: one gain for both channels', () => {
    const [left] = sound as [Float32Array, Float32Array];
    const [a, b] = through([create()], [left, left.map((x) => x * 0.25)]) as [Float32Array, Float32Array];
    expect(
      difference(
        a.map((x) => x * 0.25),
        b,
      ),
    ).toBeLessThan(1e-6);
  });

  it('is not poisoned by broken samples', () => {
    const broken = (sound[0] as Float32Array).slice();
    broken[10_000] = Number.NaN;
    broken[10_001] = Number.POSITIVE_INFINITY;
    const [out] = through([create()], [broken]) as [Float32Array];
    expect(out.subarray(60_000).every(Number.isFinite)).toBe(true);
    expect(rms(out.subarray(60_000))).toBeGreaterThan(0.001);
  });
});

it('unchanged spectra come out as they went in, below -120 dB', () => {
  const sound = noise(2 * rate, 4);
  expect(
    toDb(difference(through([spectralStage({ begin: () => () => undefined })], [sound])[0] as Float32Array, sound)),
  ).toBeLessThan(-115);
});

describe('room', () => {
  /** Impulse response by definition: direct sound and decaying noise. */
  const inRoom = (dry: Float32Array, t60: number, drrDb: number): Float32Array => {
    const random = seeded(21);
    const response = make(Math.round(t60 * rate), (i) =>
      i < 0.003 * rate ? 0 : (random() - 0.5) * 10 ** ((-3 * i) / (t60 * rate)),
    );
    const scale = fromDb(-drrDb) / (rms(response) * Math.sqrt(response.length));
    const out = dry.slice();
    // Every 16th reflection alone: as dense as a room for these levels, and quick.
    for (let i = 0; i < response.length; i += 16) {
      const h = (response[i] as number) * scale * 4;
      if (h !== 0) for (let n = i; n < dry.length; n += 1) out[n] = (out[n] as number) + h * (dry[n - i] as number);
    }
    return out;
  };
  // Words: half a second of voice, then a pause.
  const dry = babble(8 * rate, rate, 130, 5).map((x, i) => (i % rate < 0.55 * rate ? 0.05 * x : 0));
  const readings = [dry, inRoom(dry, 0.3, 3), inRoom(dry, 0.6, 0)].map((plane) => meter(meterRoom(), [plane]));

  it('tells dry from wet and short from long', () => {
    const [near, small, large] = readings as [RoomReading, RoomReading, RoomReading];
    expect(near.earlyDropDb).toBeGreaterThan(20);
    expect(dereverberation(near)).toBe(0);
    for (const reading of [small, large]) expect(dereverberation(reading)).toBeGreaterThan(0.7);
    expect(small.t60Seconds).toBeGreaterThan(0.2);
    expect(small.t60Seconds).toBeLessThan(0.45);
    expect(large.t60Seconds).toBeGreaterThan(0.45);
    expect(large.t60Seconds).toBeLessThan(0.9);
  });

  it(
    'reverberation in pauses falls by 5 dB and more, the voice by no more than the reverberation in it',
    slower,
    () => {
      const wet = inRoom(dry, 0.6, 0);
      const [out] = through([dereverberate(readings[2] as RoomReading)], [wet]) as [Float32Array];
      const part = (plane: Float32Array, from: number, to: number): number =>
        toDb(rms(Float32Array.from(plane.filter((_, i) => i % rate >= from * rate && i % rate < to * rate))));
      expect(part(wet, 0.65, 0.95) - part(out, 0.65, 0.95)).toBeGreaterThan(5);
      expect(part(wet, 0.05, 0.5) - part(out, 0.05, 0.5)).toBeLessThan(3);
    },
  );
});

describe('balance', () => {
  const powers = (tilt: (hz: number) => number): Float64Array => {
    const power = new Float64Array(bins);
    for (const [centre, level] of averageSpeechSpectrum) {
      const [low, high] = [centre * 2 ** (-1 / 6), centre * 2 ** (1 / 6)];
      const share = binHz / (high - low);
      for (let bin = 0; bin < bins; bin += 1)
        if (bin * binHz >= low && bin * binHz < high) power[bin] = 10 ** ((level + tilt(centre) - 100) / 10) * share;
    }
    return power;
  };

  it('average speech is left alone, and so is what differs by less than 5 dB', () => {
    // The lowest bands are narrower than a bin: what is compared begins at 300 Hz.
    expect(
      balanceFor(
        powers(() => 0),
        300,
        20_000,
      )?.every(({ gainDb }) => Math.abs(gainDb) < 1) ?? true,
    ).toBe(true);
    expect(
      balanceFor(
        powers((hz) => 4 * Math.sin(Math.log(hz))),
        300,
        20_000,
      )?.every(({ gainDb }) => Math.abs(gainDb) < 1.5) ?? true,
    ).toBe(true);
  });

  it('dull speech gets highs, boomy speech loses lows, neither without bounds', () => {
    const dull =
      balanceFor(
        powers((hz) => (hz > 2000 ? -30 : 0)),
        100,
        20_000,
      ) ?? [];
    expect(gainAt(dull, 6000)).toBeGreaterThan(6);
    expect(Math.max(...dull.map(({ gainDb }) => gainDb))).toBeLessThanOrEqual(14);
    expect(Math.abs(gainAt(dull, 800))).toBeLessThan(3);
    const boomy =
      balanceFor(
        powers((hz) => (hz < 300 ? 20 : 0)),
        100,
        20_000,
      ) ?? [];
    expect(gainAt(boomy, 200)).toBeLessThan(-3);
    expect(gainAt(boomy, 200)).toBeGreaterThanOrEqual(-8);
  });

  it('the filter has the gains it was given', () => {
    const points = [
      { hz: 100, gainDb: -6 },
      { hz: 1000, gainDb: 0 },
      { hz: 8000, gainDb: 8 },
    ];
    for (const hz of [220, 700, 2000, 5000]) {
      const sound = make(rate, (i) => 0.1 * Math.sin((2 * Math.PI * hz * i) / rate));
      const [out] = through([balance(points)], [sound]) as [Float32Array];
      expect(
        Math.abs(
          toneLevelDb(out.slice(8000, 40_000), rate, hz) -
            toneLevelDb(sound.slice(8000, 40_000), rate, hz) -
            gainAt(points, hz),
        ),
      ).toBeLessThan(0.3);
    }
  });
});

describe('de-esser', () => {
  it('turns sharp hisses down and leaves vowels and soft hisses', slower, () => {
    const [soft, sharp] = [speech(3, -14), speech(3, 6)];
    const level = activeDb(speech(3, null));
    const [gentle, strong] = [deEss(level), deEss(level)];
    const quiet = through([gentle], [soft])[0] as Float32Array;
    expect(toDb(difference(quiet, soft))).toBeLessThan(-80);
    const out = through([strong], [sharp])[0] as Float32Array;
    expect(strong.maxReductionDb()).toBeGreaterThan(4);
    expect(strong.maxReductionDb()).toBeLessThanOrEqual(9);
    expect(bandDb(sharp, spread(5000, 9000)) - bandDb(out, spread(5000, 9000))).toBeGreaterThan(2.5);
    expect(Math.abs(bandDb(sharp, spread(200, 2500)) - bandDb(out, spread(200, 2500)))).toBeLessThan(0.6);
  });
});

describe('compressor', () => {
  it('follows its curve on steady sound, and touches nothing below it', () => {
    for (const [over, gain] of [
      [-10, 0],
      [0, 0],
      [12, -4],
      [30, -6],
    ] as const)
      expect(compressionDb(over)).toBeCloseTo(gain, 1);
    const sound = make(
      2 * rate,
      (i) => fromDb(i < rate ? -40 : -18) * Math.SQRT2 * Math.sin((2 * Math.PI * 300 * i) / rate),
    );
    const [out] = through([compress(-30)], [sound]) as [Float32Array];
    expect(difference(out.slice(0, 0.7 * rate), sound.slice(0, 0.7 * rate))).toBe(0);
    expect(toDb(rms(out.slice(1.3 * rate, 1.9 * rate)) / rms(sound.slice(1.3 * rate, 1.9 * rate)))).toBeCloseTo(-4, 1);
  });

  it('bends in a knee, and refuses sound at another rate', () => {
    // 6 dB wide about 4 dB: a parabola from 1 to 7 dB, then one for two, to 6 dB at most.
    for (const [over, gain] of [
      [0.9, 0],
      [2, -1 / 24],
      [4, -0.375],
      [7, -1.5],
      [7.1, -1.55],
      [16, -6],
      [15.9, -5.95],
    ] as const)
      expect(compressionDb(over), `${over} dB`).toBeCloseTo(gain, 3);
    expect(() => compress(-30).open({ sampleRate: 44_100, channels: 1, layout: 'mono' })).toThrow(/48000/);
  });
});

describe('bandwidth', () => {
  const narrow = babble(3 * rate, rate, 120, 9).map((x) => 0.05 * x);
  const level = activeDb(narrow);

  it('adds highs that follow the voice, and changes nothing below the cut-off', slower, () => {
    const [out] = through([extendBandwidth({ activeDb: level, cutoffHz: 3700 })], [narrow]) as [Float32Array];
    const added = out.map((x, i) => x - (narrow[i] as number));
    expect(bandDb(added, spread(200, 3200)) - bandDb(narrow, spread(200, 3200))).toBeLessThan(-45);
    const gained = bandDb(out, spread(4500, 7500)) - bandDb(narrow, spread(4500, 7500));
    expect(gained).toBeGreaterThan(15);
    // Never as loud as the voice itself, and nothing beyond the top.
    expect(toDb(rms(added) / rms(narrow))).toBeLessThan(-12);
    expect(bandDb(out, spread(15_500, 22_000)) - bandDb(out, spread(4500, 7500))).toBeLessThan(-40);
    // Swells with the voice: where the voice pauses, so do the highs.
    const closures = Array.from({ length: Math.floor(narrow.length / 200) - 10 }, (_, n) => 1000 + n * 200).filter(
      (i) => maxAbs(narrow.subarray(i - 700, i + 700)) < 1e-6,
    );
    expect(closures.length).toBeGreaterThan(3);
    for (const i of closures) expect(Math.abs(added[i] as number)).toBeLessThan(1e-4);
  });

  const planOf = (plane: Float32Array): ReturnType<typeof planVoice> =>
    planVoice(meter(meterSpeechProfile(), [plane]), { t60Seconds: 0, earlyDropDb: 40, offsets: 0 });

  it('is asked for where highs are missing and not where they are there', () => {
    const limited = planOf(narrow);
    expect(limited.extend).toBe(true);
    expect(limited.cutoffHz).toBeGreaterThan(3000);
    expect(limited.cutoffHz).toBeLessThan(4500);
    expect(limited.room).toBeNull();
    const full: SpeechProfile = {
      activeDb: -20,
      activeSeconds: 10,
      activePower: Float64Array.from({ length: bins }, (_, bin) => 1e-6 / (1 + (bin * binHz) / 500) ** 2),
    };
    expect(planVoice(full, wetRoom)).toMatchObject({ extend: false, room: wetRoom });
    expect(planVoice({ activeDb: null, activeSeconds: 0, activePower: new Float64Array(bins) }, wetRoom)).toMatchObject(
      { activeDb: null, extend: false, balance: null, room: null },
    );
  });

  it('in a room only where a telephone took them, and rooms of under 0.57 s stay', () => {
    const until = (hz: number): SpeechProfile => ({
      activeDb: -20,
      activeSeconds: 10,
      activePower: Float64Array.from(
        { length: bins },
        (_, bin) => (1e-6 / (1 + (bin * binHz) / 500) ** 2) * (bin * binHz < hz ? 1 : 1e-9),
      ),
    });
    const dry: RoomReading = { t60Seconds: 0.3, earlyDropDb: 30, offsets: 1000 };
    expect(planVoice(until(7000), dry).extend).toBe(true);
    expect(planVoice(until(7000), wetRoom)).toMatchObject({ extend: false, balance: null });
    expect(planVoice(until(3500), wetRoom).extend).toBe(true);
    expect(planVoice(until(7000), { ...wetRoom, t60Seconds: 0.5 })).toMatchObject({ extend: false, room: null });
  });
});

it('the profile finds the level of the speech without its pauses', () => {
  const talk = babble(6 * rate, rate, 150, 2).map((x, i) => (i % (2 * rate) < rate ? 0.05 * x : 0));
  const spoken = toDb(rms(talk)) + toDb(Math.SQRT2);
  const profile = meter(meterSpeechProfile(), [talk]);
  expect(Math.abs((profile.activeDb ?? 0) - spoken)).toBeLessThan(1.5);
  expect(profile.activeSeconds).toBeGreaterThan(2.3);
  expect(profile.activeSeconds).toBeLessThan(3.6);
  expect(compareWithAverage(profile.activePower).find(({ centreHz }) => centreHz === 10_000)?.excessDb).toBeLessThan(
    -20,
  );
  expect(meter(meterSpeechProfile(), [new Float32Array(rate)]).activeDb).toBeNull();
});

it('groups of channels have stages of their own, other channels pass, all in step', () => {
  const planes = [1, 2, 3].map((seed) => noise(rate + 123, seed));
  const stage = throughGroups([[2], [0]], (group) => [
    group === 0 ? compress(-100) : balance([{ hz: 1000, gainDb: 6 }]),
  ]);
  const groups = compose([stage], { sampleRate: rate, channels: 3, layout: '2.1' });
  const out: Float32Array[][] = [[], [], []];
  const keep = (block: { planes: readonly Float32Array[] }): void =>
    block.planes.forEach((plane, channel) => out[channel]?.push(plane.slice()));
  groups.process({ planes, frames: rate + 123 }, keep);
  groups.flush(keep);
  groups.close();
  const [first, second, third] = out.map((parts) => joined(...parts)) as [Float32Array, Float32Array, Float32Array];
  expect(difference(second, planes[1] as Float32Array)).toBe(0);
  expect(toDb(rms(first) / rms(planes[0] as Float32Array))).toBeCloseTo(6, 1);
  expect(toDb(rms(third) / rms(planes[2] as Float32Array))).toBeCloseTo(-6, 1);
});
