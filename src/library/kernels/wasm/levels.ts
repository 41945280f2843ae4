// The kernels of native/wasm/levels.cc.
import type { Handle, NativeKernels } from '../load.ts';
import { channelsOf, expect, mostChannels, numberOf, planesOf, sampleRateOf, wholeOf } from './checks.ts';
import type { ExportName, Instance, Kind } from './instance.ts';

interface Channels {
  readonly channels: number;
}
type Names =
  | `${'peaks' | 'truePeak' | 'envelope'}${'Create' | 'Push' | 'Finish'}`
  | `${'loudness' | 'stats' | 'spectrum'}${'Create' | 'Push' | 'Result'}`
  | `limiter${'Create' | 'Latency' | 'Process' | 'MaxReduction'}`
  | 'loudnessSeries'
  | 'kWeightingFilter';

/** Fft::kLeast and kMost. */
const [leastTransform, mostTransform] = [64, 65_536];

const pushing =
  (instance: Instance, kind: Kind<Channels>, push: ExportName): NativeKernels['statsPush'] =>
  (handle, planes, frames) => {
    const { at, facts } = kind.of(handle);
    const [given] = planesOf(facts.channels, frames, [planes, 'planes']);
    instance.run[push](at, instance.planesIn(given), given.frames);
  };

/** Of a kernel that fills planes from planes. */
export const filling =
  (instance: Instance, kind: Kind<Channels>, process: ExportName): NativeKernels['firProcess'] =>
  (handle, planes, out, frames) => {
    const { at, facts } = kind.of(handle);
    const [from, to] = planesOf(facts.channels, frames, [planes, 'planes'], [out, 'out']);
    expect(to.frames >= from.frames, 'out to be as long as planes');
    instance.run[process](at, instance.planesIn(from), instance.planesOut({ ...to, frames: from.frames }), from.frames);
  };

function weightsOf(value: unknown): Float64Array {
  expect(Array.isArray(value), 'array of numbers for weights');
  const given = value as readonly unknown[];
  const count = given.length;
  expect(count >= 1 && count <= mostChannels, `1 to 64 weights but received ${count}`);
  const weights = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const weight = given[index];
    if (typeof weight !== 'number' || !(weight >= 0 && weight <= 100))
      throw new TypeError(`Expected number between 0 and 100 for weights[${index}]`);
    weights[index] = weight;
  }
  return weights;
}

/** In native/wasm's order. */
const loudnessNames = [
  'integratedLufs',
  'loudnessRangeLu',
  'maxMomentaryLufs',
  'maxShortTermLufs',
  'momentaryLufs',
  'shortTermLufs',
  'gatedBlocks',
] as const;
type Loudness = ReturnType<NativeKernels['loudnessResult']>;

function loudness(instance: Instance): Pick<NativeKernels, Extract<Names, `loudness${string}`>> {
  const { run } = instance;
  const kind = instance.kind<Channels>('loudnessFree');
  return {
    loudnessCreate(sampleRate, weights) {
      const rate = sampleRateOf(sampleRate);
      const given = weightsOf(weights);
      return kind.handle(run.loudnessCreate(rate, instance.in(given), given.length), { channels: given.length });
    },
    loudnessPush: pushing(instance, kind, 'loudnessPush'),
    loudnessResult(handle) {
      run.loudnessResult(kind.of(handle).at);
      const numbers = instance.numbers();
      return Object.fromEntries(loudnessNames.map((name, index) => [name, numbers[index]])) as Loudness;
    },
    loudnessSeries: (handle) => instance.list(Float32Array, run.loudnessSeries(kind.of(handle).at)),
  };
}

function limiter(instance: Instance): Pick<NativeKernels, Extract<Names, `limiter${string}`>> {
  const { run } = instance;
  const kind = instance.kind<Channels>('limiterFree');
  return {
    limiterCreate(sampleRate, channels, ceilingDbtp, gainDb, lookaheadMs, releaseMs) {
      const rate = sampleRateOf(sampleRate);
      const count = channelsOf(channels);
      const at = run.limiterCreate(
        rate,
        count,
        numberOf(ceilingDbtp, 'ceilingDbtp', -80, 20),
        numberOf(gainDb, 'gainDb', -120, 120),
        numberOf(lookaheadMs, 'lookaheadMs', 0.1, 100),
        numberOf(releaseMs, 'releaseMs', 1, 10_000),
      );
      return kind.handle(at, { channels: count });
    },
    limiterLatency: (handle) => run.limiterLatency(kind.of(handle).at),
    limiterProcess: filling(instance, kind, 'limiterProcess'),
    limiterMaxReduction: (handle) => run.limiterMaxReduction(kind.of(handle).at),
  };
}

function meters(
  instance: Instance,
): Pick<NativeKernels, Extract<Names, `${'peaks' | 'truePeak' | 'stats' | 'envelope' | 'spectrum'}${string}`>> {
  const { run } = instance;
  const kinds = {
    peaks: instance.kind<Channels>('peaksFree'),
    truePeak: instance.kind<Channels>('truePeakFree'),
    stats: instance.kind<Channels>('statsFree'),
    envelope: instance.kind<Channels>('envelopeFree'),
    spectrum: instance.kind<Channels>('spectrumFree'),
  };
  return {
    peaksCreate(sampleRate, channels, expectedFrames) {
      const [rate, count] = [sampleRateOf(sampleRate), channelsOf(channels)];
      const frames = wholeOf(expectedFrames, 'expectedFrames', 0, 1e12);
      return kinds.peaks.handle(run.peaksCreate(rate, count, frames), { channels: count });
    },
    peaksPush: pushing(instance, kinds.peaks, 'peaksPush'),
    peaksFinish(handle) {
      const { at } = kinds.peaks.of(handle);
      const peak = run.peaksFinish(at);
      const level = (bins: number): Int8Array => instance.list(Int8Array, run.peaksLevel(at, bins));
      return { peak, level500: level(1), level50: level(10), level5: level(100) };
    },
    truePeakCreate(sampleRate, channels) {
      const [rate, count] = [sampleRateOf(sampleRate), channelsOf(channels)];
      return kinds.truePeak.handle(run.truePeakCreate(rate, count), { channels: count });
    },
    truePeakPush: pushing(instance, kinds.truePeak, 'truePeakPush'),
    truePeakFinish: (handle) => instance.list(Float64Array, run.truePeakFinish(kinds.truePeak.of(handle).at)),
    statsCreate(channels) {
      const count = channelsOf(channels);
      return kinds.stats.handle(run.statsCreate(count), { channels: count });
    },
    statsPush: pushing(instance, kinds.stats, 'statsPush'),
    statsResult(handle) {
      const channels = instance.list(Float64Array, run.statsResult(kinds.stats.of(handle).at));
      const [frames = 0, unusable = 0, correlation = 0] = instance.numbers();
      return { frames, unusable, correlation, channels };
    },
    envelopeCreate(sampleRate, channels, hopSeconds) {
      const [rate, count] = [sampleRateOf(sampleRate), channelsOf(channels)];
      // A hop must be a frame or more.
      const hop = numberOf(hopSeconds, 'hopSeconds', 1 / rate, 3600);
      return kinds.envelope.handle(run.envelopeCreate(rate, count, hop), { channels: count });
    },
    envelopePush: pushing(instance, kinds.envelope, 'envelopePush'),
    envelopeFinish: (handle) => instance.list(Float32Array, run.envelopeFinish(kinds.envelope.of(handle).at)),
    spectrumCreate(sampleRate, channels, size, everySeconds): Handle {
      const [rate, count] = [sampleRateOf(sampleRate), channelsOf(channels)];
      const points = wholeOf(size, 'size', leastTransform, mostTransform);
      expect((points & (points - 1)) === 0, `power of two for size but received ${points}`);
      // Closer than a sixteenth of the size costs much and shows nothing new.
      const every = numberOf(everySeconds, 'everySeconds', points / 16 / rate, 86_400);
      return kinds.spectrum.handle(run.spectrumCreate(rate, count, points, every), { channels: count });
    },
    spectrumPush: pushing(instance, kinds.spectrum, 'spectrumPush'),
    spectrumResult(handle) {
      const { at } = kinds.spectrum.of(handle);
      const power = instance.list(Float64Array, run.spectrumResult(at, 0));
      const [frames = 0] = instance.numbers();
      return { frames, power, maxPower: instance.list(Float64Array, run.spectrumResult(at, 1)) };
    },
  };
}

export const levelKernels = (instance: Instance): Pick<NativeKernels, Names> => ({
  ...meters(instance),
  ...loudness(instance),
  ...limiter(instance),
  kWeightingFilter: (sampleRate) =>
    instance.list(Float64Array, instance.run.kWeightingFilter(sampleRateOf(sampleRate))),
});
