// Getting an element of an array may run JavaScript, and that may take away, shrink or free the memory of a plane that
// was got before. No binding may read or write through a pointer from before: under AddressSanitizer
// (`npm run test:sanitize`) it stops here if one does; without it the sums show what was read.
import { describe, expect, it } from 'vitest';
import { nativeKernels, type Handle } from '../../../src/library/kernels/load.ts';

const frames = 4096;
const native = nativeKernels();

const filled = (value: number, length = frames): Float32Array => new Float32Array(length).fill(value);

/** Detaches the plane's buffer and lets its memory go, and puts other blocks of that size where it was. */
function takeAway(plane: Float32Array): void {
  const buffer = plane.buffer as ArrayBuffer;
  buffer.transfer(0);
  for (let k = 0; k < 4; k++) filled(1e3);
}

/** An array of planes whose last element is got through an accessor that runs `act` first. */
function planesWithGetter(planes: readonly Float32Array[], act: () => void): Float32Array[] {
  const array = [...planes];
  const last = array.length - 1;
  const value = array[last]!;
  Object.defineProperty(array, last, {
    get: () => {
      act();
      return value;
    },
  });
  return array;
}

const taps = new Float32Array([0.25, 0.5, 0.25]);
const handleOf = {
  limiter: () => native.limiterCreate(48000, 2, -1, 0, 5, 100),
  fir: () => native.firCreate(2, taps),
  rateConverter: () => native.rateConverterCreate(48000, 24000, 2),
};

/** Every call of two arrays: the planes of the first one are taken away while the second one is read. */
const between: Record<string, (first: Float32Array[], second: Float32Array[]) => void> = {
  'limiterProcess planes, out': (a, b) => native.limiterProcess(handleOf.limiter(), a, b, frames),
  'firProcess planes, out': (a, b) => native.firProcess(handleOf.fir(), a, b, frames),
  'rateConverterProcess planes, out': (a, b) => native.rateConverterProcess(handleOf.rateConverter(), a, b, frames),
  'mixInto target, source': (a, b) => native.mixInto(a, b, 1, undefined),
  'crossfade outgoing, incoming': (a, b) =>
    native.crossfade(a, b, [filled(0), filled(0)], true, 0, frames, undefined as never),
  'crossfade outgoing, out': (a, b) =>
    native.crossfade(a, [filled(0), filled(0)], b, true, 0, frames, undefined as never),
  'crossfade incoming, out': (a, b) =>
    native.crossfade([filled(0), filled(0)], a, b, true, 0, frames, undefined as never),
};

/** Every call that takes one array. */
const single: Record<string, (planes: Float32Array[]) => void> = {
  peaksPush: (p) => native.peaksPush(native.peaksCreate(48000, 2, 0), p, frames),
  loudnessPush: (p) => native.loudnessPush(native.loudnessCreate(48000, [1, 1]), p, frames),
  truePeakPush: (p) => native.truePeakPush(native.truePeakCreate(48000, 2), p, frames),
  statsPush: (p) => native.statsPush(native.statsCreate(2), p, frames),
  envelopePush: (p) => native.envelopePush(native.envelopeCreate(48000, 2, 0.01), p, frames),
  spectrumPush: (p) => native.spectrumPush(native.spectrumCreate(48000, 2, 1024, 0.01), p, frames),
  'limiterProcess planes': (p) => native.limiterProcess(handleOf.limiter(), p, [filled(0), filled(0)], frames),
  'limiterProcess out': (p) => native.limiterProcess(handleOf.limiter(), [filled(0), filled(0)], p, frames),
  'firProcess planes': (p) => native.firProcess(handleOf.fir(), p, [filled(0), filled(0)], frames),
  'firProcess out': (p) => native.firProcess(handleOf.fir(), [filled(0), filled(0)], p, frames),
  toPcm16: (p) => native.toPcm16(p, frames, true, 0, false, new Int16Array(2 * frames)),
  applyGain: (p) => native.applyGain(p, 2, frames),
  'mixInto target': (p) => native.mixInto(p, [filled(0), filled(0)], 1, frames),
  'mixInto source': (p) => native.mixInto([filled(0), filled(0)], p, 1, frames),
};

describe('a plane taken away while the next one is got', () => {
  it.each(Object.entries(single))('%s: detached', (_name, call) => {
    const first = filled(0.5);
    expect(() => call(planesWithGetter([first, filled(0.5)], () => takeAway(first)))).toThrow(
      /Expected at least 4096 frames in \w+\[0\] but received 0/,
    );
  });

  it.each(Object.entries(single))('%s: shrunk', (_name, call) => {
    for (const length of [undefined, frames]) {
      const buffer = new ArrayBuffer(frames * 4, { maxByteLength: frames * 4 });
      const first = new Float32Array(buffer, 0, length);
      // Tracking its buffer the view is shorter now; of a fixed length it is out of bounds, which counts as empty.
      const left = length === undefined ? 16 : 0;
      expect(() => call(planesWithGetter([first, filled(0.5)], () => buffer.resize(64)))).toThrow(
        new RegExp(`Expected at least 4096 frames in \\w+\\[0\\] but received ${left}`),
      );
    }
  });

  it.each(Object.entries(single))('%s: made by the accessor and held by nobody else', (_name, call) => {
    const array = [filled(0), filled(0)];
    for (const c of [0, 1]) {
      Object.defineProperty(array, c, {
        get: () => {
          // Enough garbage for a collection or more between one element and the next.
          for (let k = 0; k < 2000; k++) filled(0.1, 1024);
          return filled(0.5);
        },
      });
    }
    expect(() => call(array)).not.toThrow();
  });

  it.each(Object.entries(between))('%s: detached between the two', (_name, call) => {
    const first = [filled(0.5), filled(0.5)];
    const second = planesWithGetter([filled(0.5), filled(0.5)], () => first.forEach(takeAway));
    expect(() => call(first, second)).toThrow(TypeError);
  });

  it('without frames the length is what is left when all have been got', () => {
    const buffer = new ArrayBuffer(frames * 4, { maxByteLength: frames * 4 });
    const first = new Float32Array(buffer).fill(0.5);
    const second = filled(0.5);
    native.applyGain(
      planesWithGetter([first, second], () => buffer.resize(64)),
      2,
      undefined,
    );
    expect([...first]).toEqual(Array.from({ length: 16 }, () => 1));
    expect(second.slice(0, 17)).toEqual(Float32Array.of(...filled(1, 16), 0.5));
  });
});

describe('odd arrays and odd memory', () => {
  it('a proxy of an array is refused, as is a proxy of a plane', () => {
    // To JavaScript, which checks arguments of WebAssembly, it is an array; its elements are got once all the same.
    if (native.simd !== 'wasm')
      expect(() => native.applyGain(new Proxy([filled(1)], {}), 2, undefined)).toThrow(
        /Expected array of Float32Array/,
      );
    expect(() => native.applyGain([new Proxy(filled(1), {})], 2, undefined)).toThrow(/Expected Float32Array/);
  });

  it('an array that grows or shrinks while it is read keeps the count it was checked for', () => {
    const grows = planesWithGetter([filled(0.5), filled(0.5)], () => {
      for (let k = 0; k < 100; k++) grows.push(filled(0.5));
    });
    expect(() => native.statsPush(native.statsCreate(2), grows, undefined)).not.toThrow();
    const shrinks = [filled(0.5), filled(0.5)];
    Object.defineProperty(shrinks, 0, {
      get: () => {
        shrinks.length = 1;
        return filled(0.5);
      },
    });
    expect(() => native.applyGain(shrinks, 1, undefined)).toThrow(/for planes\[1\] but received undefined/);
    const weights = [1, 1];
    Object.defineProperty(weights, 1, {
      get: () => {
        if (weights.length < 200) weights.push(1);
        return 1;
      },
    });
    const loudness: Handle = native.loudnessCreate(48000, weights);
    expect(() => native.loudnessPush(loudness, [filled(0.5), filled(0.5)], undefined)).not.toThrow();
  });

  it('an accessor may push to, finish or throw out of the very call', () => {
    const peaks = native.peaksCreate(48000, 2, 0);
    const inner = [filled(0.5), filled(0.5)];
    native.peaksPush(
      peaks,
      planesWithGetter(inner, () => native.peaksPush(peaks, inner, undefined)),
      undefined,
    );
    native.peaksPush(
      peaks,
      planesWithGetter(inner, () => native.peaksFinish(peaks)),
      undefined,
    );
    expect(native.peaksFinish(peaks).peak).toBe(0.5);
    const thrown = planesWithGetter(inner, () => {
      throw new RangeError('not today');
    });
    expect(() => native.peaksPush(peaks, thrown, undefined)).toThrow('not today');
  });

  it('memory shared between threads works like any other', () => {
    const shared = new Float32Array(new SharedArrayBuffer(frames * 4)).fill(0.5);
    native.applyGain([shared], 2, undefined);
    expect(shared.every((x) => x === 1)).toBe(true);
    const growable = new (SharedArrayBuffer as new (length: number, options: object) => SharedArrayBuffer)(64, {
      maxByteLength: 128,
    });
    const tracking = new Float32Array(growable).fill(0.5);
    native.applyGain(
      planesWithGetter([tracking, filled(0.5)], () => (growable as unknown as { grow(n: number): void }).grow(128)),
      2,
      undefined,
    );
    expect([...tracking]).toEqual(Array.from({ length: 32 }, (_, i) => (i < 16 ? 1 : 0)));
  });

  it('no frames at all, on memory that is gone, is nothing', () => {
    const gone = filled(0.5);
    takeAway(gone);
    native.tileRanges(gone, 8, gone);
    native.applyGain([gone], 2, 0);
    native.mixInto([gone], [gone], 1, 0);
    native.crossfade([gone], [gone], [gone], true, 0, 0, 0);
    native.limiterProcess(native.limiterCreate(48000, 1, -1, 0, 5, 100), [gone], [gone], 0);
    native.firProcess(native.firCreate(1, taps), [gone], [gone], 0);
    const stft = native.stftCreate(filled(1, 64), 16);
    native.stftForward(stft, gone, 0, 1, gone, gone);
    native.stftInverse(stft, gone, gone, 0, 1, gone);
    for (const call of [
      () => native.peaksPush(native.peaksCreate(48000, 1, 0), [gone], 0),
      () => native.loudnessPush(native.loudnessCreate(48000, [1]), [gone], 0),
      () => native.truePeakPush(native.truePeakCreate(48000, 1), [gone], 0),
      () => native.statsPush(native.statsCreate(1), [gone], 0),
      () => native.envelopePush(native.envelopeCreate(48000, 1, 0.01), [gone], 0),
      () => native.spectrumPush(native.spectrumCreate(48000, 1, 1024, 0.01), [gone], 0),
    ])
      expect(call).not.toThrow();
    expect(gone.length).toBe(0);
  });
});
