// The kernels of native/wasm/sound.cc.
import type { NativeKernels } from '../load.ts';
import {
  atLeast,
  channelsOf,
  elementsOf,
  expect,
  numberOf,
  planesOf,
  sampleRateOf,
  typedArray,
  wholeOf,
} from './checks.ts';
import type { Instance } from './instance.ts';
import { filling } from './levels.ts';

type Names =
  | `fir${'Create' | 'Latency' | 'Process'}`
  | `declip${'Create' | 'Restore'}`
  | `stft${'Create' | 'Forward' | 'Inverse'}`
  | `rnnoise${'NetworkCreate' | 'NetworkSetLayer' | 'Create' | 'Process'}`
  | `rateConverter${'Create' | 'Ready' | 'Rest' | 'Process' | 'Flush' | 'Close'}`
  | 'resample'
  | 'applyGain'
  | 'mixInto'
  | 'crossfade'
  | 'tileRanges'
  | 'toPcm16';

const mostLevel = 1e10;
const mostGain = 1e6;
const mostFrames = Number.MAX_SAFE_INTEGER;
/** Frames of a transform in one call. */
const mostCount = 1_048_576;
/** Fir::kMostTaps. */
const mostTaps = 16_384;
/** Samples of RNNoise's frame, and layers of its network. */
const [rnnoiseFrame, rnnoiseLayers] = [480, 10];
/** kResampleBefore and kResampleAfter. */
const [resampleBefore, resampleAfter] = [15, 16];

function filters(instance: Instance): Pick<NativeKernels, Extract<Names, `${'fir' | 'declip'}${string}`>> {
  const { run } = instance;
  const fir = instance.kind<{ readonly channels: number }>('firFree');
  const declip = instance.kind<{ readonly frame: number }>('declipFree');
  return {
    firCreate(channels, taps) {
      const count = channelsOf(channels);
      const { length } = typedArray(taps, 'Float32Array', 'taps');
      expect(length >= 1 && length <= mostTaps, `1 to ${mostTaps} taps but received ${length}`);
      return fir.handle(run.firCreate(count, instance.in(taps), length), { channels: count });
    },
    firLatency: (handle) => run.firLatency(fir.of(handle).at),
    firProcess: filling(instance, fir, 'firProcess'),
    declipCreate(frame) {
      const wanted = wholeOf(frame, 'frame', 32, 8192);
      expect(run.declipFits(wanted) !== 0, `a frame that is a product of 2, 3 and 5 but received ${wanted}`);
      return declip.handle(run.declipCreate(wanted), { frame: wanted });
    },
    declipRestore(handle, samples, count, lowest, highest, mostRounds, out) {
      const { at, facts } = declip.of(handle);
      const length = wholeOf(count, 'count', 0, 65_536) * facts.frame;
      const low = numberOf(lowest, 'lowest', -mostLevel, mostLevel);
      const high = numberOf(highest, 'highest', -mostLevel, mostLevel);
      const rounds = wholeOf(mostRounds, 'mostRounds', 1, 100_000);
      const [from, to] = [atLeast(samples, 'samples', length), atLeast(out, 'out', length)];
      return run.declipRestore(at, instance.in(from, length), count, low, high, rounds, instance.out(to, length));
    },
  };
}

function transforms(instance: Instance): Pick<NativeKernels, Extract<Names, `stft${string}`>> {
  const { run } = instance;
  const stft = instance.kind<{ readonly frame: number; readonly hop: number }>('stftFree');
  const sizes = (
    handle: unknown,
    count: unknown,
    scale: unknown,
  ): { at: number; by: number; span: number; bins: number } => {
    const { at, facts } = stft.of(handle);
    const frames = wholeOf(count, 'count', 0, mostCount);
    const by = numberOf(scale, 'scale', -1e6, 1e6);
    const span = frames === 0 ? 0 : (frames - 1) * facts.hop + facts.frame;
    return { at, by, span, bins: frames * (facts.frame / 2 + 1) };
  };
  return {
    stftCreate(window, hop) {
      const { length } = typedArray(window, 'Float32Array', 'window');
      expect(
        run.stftFits(length) !== 0,
        `a window of 32 to 16384 samples, a multiple of 4 and a product of 2, 3 and 5, but received ${length}`,
      );
      const step = wholeOf(hop, 'hop', 1, length);
      return stft.handle(run.stftCreate(instance.in(window), length, step), { frame: length, hop: step });
    },
    stftForward(handle, samples, count, scale, re, im) {
      const { at, by, span, bins } = sizes(handle, count, scale);
      const from = instance.in(atLeast(samples, 'samples', span), span);
      const [toRe, toIm] = [atLeast(re, 're', bins), atLeast(im, 'im', bins)];
      run.stftForward(at, from, count, by, instance.out(toRe, bins), instance.out(toIm, bins));
    },
    stftInverse(handle, re, im, count, scale, out) {
      const { at, by, span, bins } = sizes(handle, count, scale);
      const [fromRe, fromIm] = [atLeast(re, 're', bins), atLeast(im, 'im', bins)];
      const to = atLeast(out, 'out', span);
      // It adds to what is there.
      run.stftInverse(at, instance.in(fromRe, bins), instance.in(fromIm, bins), count, by, instance.through(to, span));
    },
  };
}

function rnnoise(instance: Instance): Pick<NativeKernels, Extract<Names, `rnnoise${string}`>> {
  const { run } = instance;
  const networks = instance.kind<undefined>('rnnoiseNetworkFree');
  const kind = instance.kind<undefined>('rnnoiseFree');
  const given = <Type extends 'Float32Array' | 'Int8Array' | 'Int32Array'>(
    value: unknown,
    type: Type,
    name: string,
  ): readonly [number, number] => {
    try {
      const array = typedArray(value, type, name);
      return [instance.in(array), array.length];
    } catch {
      throw new TypeError(`Expected a typed array of the right type for ${name}`);
    }
  };
  return {
    rnnoiseNetworkCreate: () => networks.handle(run.rnnoiseNetworkCreate(), undefined),
    rnnoiseNetworkSetLayer(handle, layer, bias, weights, blocks, scale, diagonal) {
      const { at } = networks.of(handle);
      const index = wholeOf(layer, 'layer', 0, rnnoiseLayers - 1);
      const inBytes = run.rnnoiseLayerInBytes(index) !== 0;
      const biases = given(bias, 'Float32Array', 'bias');
      const parts = inBytes
        ? [
            ...given(weights, 'Int8Array', 'weights'),
            ...given(blocks, 'Int32Array', 'blocks'),
            ...given(scale, 'Float32Array', 'scale'),
            ...given(diagonal, 'Float32Array', 'diagonal'),
          ]
        : [...given(weights, 'Float32Array', 'weights'), 0, 0, 0, 0, 0, 0];
      const suits = run.rnnoiseNetworkSetLayer(at, index, ...biases, ...parts) !== 0;
      const [inputs, outputs] = [run.rnnoiseLayerInputs(index), run.rnnoiseLayerOutputs(index)];
      expect(
        suits,
        `layer ${index} of RNNoise's network, of ${inputs} inputs and ${outputs} outputs, ` +
          'but received arrays of other sizes',
      );
    },
    rnnoiseCreate(network) {
      const at = run.rnnoiseCreate(networks.of(network).at);
      expect(at !== 0, 'a network with all of its layers');
      return kind.handle(at, undefined);
    },
    rnnoiseProcess(handle, samples, count, out, voice) {
      const { at } = kind.of(handle);
      const frames = wholeOf(count, 'count', 0, mostCount);
      const length = frames * rnnoiseFrame;
      const from = atLeast(samples, 'samples', length);
      const [to, voices] = [atLeast(out, 'out', length), atLeast(voice, 'voice', frames)];
      run.rnnoiseProcess(at, instance.in(from, length), frames, instance.out(to, length), instance.out(voices, frames));
    },
  };
}

function rateConverters(instance: Instance): Pick<NativeKernels, Extract<Names, `rateConverter${string}`>> {
  const { run } = instance;
  const kind = instance.kind<{ readonly channels: number }>('rateConverterFree');
  const mostBlock = 4_294_967_295;
  const expectRoom = (room: number, frames: number): void =>
    expect(room >= frames, `room for ${frames} frames in out but received ${room}`);
  return {
    rateConverterCreate(fromRate, toRate, channels) {
      const [from, to, count] = [sampleRateOf(fromRate), sampleRateOf(toRate), channelsOf(channels)];
      return kind.handle(run.rateConverterCreate(from, to, count), { channels: count });
    },
    rateConverterReady: (handle, frames) =>
      run.rateConverterReady(kind.of(handle).at, wholeOf(frames, 'frames', 0, mostBlock)),
    rateConverterRest: (handle) => run.rateConverterRest(kind.of(handle).at),
    rateConverterProcess(handle, planes, out, frames) {
      const { at, facts } = kind.of(handle);
      const [from, to] = planesOf(facts.channels, undefined, [planes, 'planes'], [out, 'out']);
      const count = frames === undefined ? from.frames : wholeOf(frames, 'frames', 0, from.frames);
      const made = run.rateConverterReady(at, count);
      expectRoom(to.frames, made);
      const [read, written] = [
        { ...from, frames: count },
        { ...to, frames: made },
      ];
      run.rateConverterProcess(at, instance.planesIn(read), instance.planesOut(written), count);
    },
    rateConverterClose: (handle) => void run.rateConverterClose(kind.of(handle).at),
    rateConverterFlush(handle, out) {
      const { at, facts } = kind.of(handle);
      const [to] = planesOf(facts.channels, undefined, [out, 'out']);
      const made = run.rateConverterRest(at);
      expectRoom(to.frames, made);
      run.rateConverterFlush(at, instance.planesOut({ ...to, frames: made }));
    },
  };
}

type Operations = 'resample' | 'applyGain' | 'mixInto' | 'crossfade' | 'tileRanges' | 'toPcm16';

function operations(instance: Instance): Pick<NativeKernels, Operations> {
  const { run } = instance;
  return {
    resample(samples, start, step, out, count) {
      const length = wholeOf(count, 'count', 0, 16_777_216);
      const first = numberOf(start, 'start', resampleBefore, 1e9);
      const by = numberOf(step, 'step', 0, 16);
      const last = length === 0 ? 0 : Math.floor(first + by * (length - 1)) + resampleAfter + 1;
      const from = atLeast(samples, 'samples', last);
      const to = atLeast(out, 'out', length);
      run.resample(instance.in(from, last), first, by, instance.out(to, length), length);
    },
    applyGain(planes, gain, frames) {
      const [given] = planesOf(0, frames, [planes, 'planes']);
      const by = numberOf(gain, 'gain', -mostGain, mostGain);
      run.applyGain(instance.planesOut(given, 'through'), given.planes.length, given.frames, by);
    },
    mixInto(target, source, gain, frames) {
      const [to, from] = planesOf(0, frames, [target, 'target'], [source, 'source']);
      const by = numberOf(gain, 'gain', -mostGain, mostGain);
      expect(to.frames === from.frames, 'target and source of one length, or frames');
      run.mixInto(instance.planesOut(to, 'through'), instance.planesIn(from), to.planes.length, to.frames, by);
    },
    crossfade(outgoing, incoming, out, equalPower, position, total, frames) {
      const [from, into, to] = planesOf(0, frames, [outgoing, 'outgoing'], [incoming, 'incoming'], [out, 'out']);
      const at = wholeOf(position, 'position', 0, mostFrames);
      const all = wholeOf(total, 'total', 0, mostFrames);
      expect(into.frames === from.frames && to.frames === from.frames, 'outgoing, incoming and out of one length');
      expect(at + from.frames <= all, `position + frames of at most total (${all}) but received ${at + from.frames}`);
      const channels = from.planes.length;
      const [a, b, c] = [instance.planesIn(from), instance.planesIn(into), instance.planesOut(to)];
      run.crossfade(a, b, c, channels, equalPower ? 1 : 0, at, all, from.frames);
    },
    tileRanges(plane, tileFrames, out) {
      const { length } = typedArray(plane, 'Float32Array', 'plane');
      const tile = wholeOf(tileFrames, 'tileFrames', 1, mostFrames);
      const numbers = 2 * Math.ceil(length / tile);
      const to = atLeast(out, 'out', numbers);
      run.tileRanges(instance.in(plane), length, Math.min(tile, Math.max(length, 1)), instance.out(to, numbers));
    },
    toPcm16(planes, frames, dithered, firstFrame, isPlanar, out) {
      const [given] = planesOf(0, frames, [planes, 'planes']);
      const channels = given.planes.length;
      const first = wholeOf(firstFrame, 'firstFrame', 0, mostFrames);
      const count = channels * given.frames;
      const to = elementsOf(out, 'Int16Array', 'out', count);
      const from = instance.planesIn(given);
      run.toPcm16(from, channels, given.frames, dithered ? 1 : 0, first, isPlanar ? 1 : 0, instance.out(to, count));
    },
  };
}

export const soundKernels = (instance: Instance): Pick<NativeKernels, Names> => ({
  ...filters(instance),
  ...rateConverters(instance),
  ...transforms(instance),
  ...rnnoise(instance),
  ...operations(instance),
});
