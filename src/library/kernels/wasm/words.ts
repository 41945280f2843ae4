// The kernels of native/wasm/words.cc.
import type { NativeKernels } from '../load.ts';
import { atLeast, elementsOf, expect, numberOf, typedArray, wholeOf } from './checks.ts';
import type { Instance } from './instance.ts';

type Names =
  | `logMel${'Create' | 'Process'}`
  | `alignment${'Create' | 'Push' | 'Trace' | 'Result'}`
  | `fbank${'Create' | 'Rows'}`
  | 'scoreTokens'
  | 'likeliestTokens'
  | 'tokenTimes'
  | 'holdsCodedSound'
  | 'nearestRow';

const mostFrames = 1_048_576;
/** Of a filter bank: its sample rate, frame and hop. */
const [fbankRate, fbankFrame, fbankHop] = [16_000, 400, 160];

function spectra(instance: Instance): Pick<NativeKernels, Extract<Names, `${'logMel' | 'fbank'}${string}`>> {
  const { run } = instance;
  const logMel = instance.kind<{ readonly bands: number }>('logMelFree');
  const fbank = instance.kind<{ readonly bands: number }>('fbankFree');
  return {
    logMelCreate(bands) {
      const count = wholeOf(bands, 'bands', 1, 256);
      return logMel.handle(run.logMelCreate(count), { bands: count });
    },
    logMelProcess(handle, samples, frames, out) {
      const { at, facts } = logMel.of(handle);
      const numbers = wholeOf(frames, 'frames', 0, mostFrames) * facts.bands;
      const { length } = typedArray(samples, 'Float32Array', 'samples');
      const to = atLeast(out, 'out', numbers);
      run.logMelProcess(at, instance.in(samples), length, frames, instance.out(to, numbers));
    },
    fbankCreate(bands, lowHz, highHz, form) {
      const count = wholeOf(bands, 'bands', 1, 128);
      const low = numberOf(lowHz, 'lowHz', 0, fbankRate / 2 - 1);
      const high = numberOf(highHz, 'highHz', low + 1, fbankRate / 2);
      return fbank.handle(run.fbankCreate(count, low, high, wholeOf(form, 'form', 0, 1)), { bands: count });
    },
    fbankRows(handle, samples, count, rows) {
      const { at, facts } = fbank.of(handle);
      const frames = wholeOf(count, 'count', 0, mostFrames);
      const span = frames === 0 ? 0 : (frames - 1) * fbankHop + fbankFrame;
      const from = atLeast(samples, 'samples', span);
      const to = atLeast(rows, 'rows', frames * facts.bands);
      run.fbankRows(at, instance.in(from, span), frames, instance.out(to, frames * facts.bands));
    },
  };
}

interface AlignmentFacts {
  readonly dimensions: number;
  readonly frames: number;
  pushed: number;
}

function startsOf(value: unknown): Int32Array {
  const starts = typedArray(value, 'Int32Array', 'wordStarts');
  expect(starts[0] === 0, 'wordStarts to begin with 0');
  for (let word = 1; word < starts.length; word++)
    expect((starts[word - 1] as number) < (starts[word] as number), 'wordStarts to rise');
  return starts;
}

function limitsOf(value: unknown, name: string, words: number): Int32Array {
  const limits = typedArray(value, 'Int32Array', name);
  expect(limits.length === words, `${name} to have one element per word`);
  for (let word = 1; word < words; word++)
    expect((limits[word - 1] as number) <= (limits[word] as number), `${name} never to fall`);
  return limits;
}

function alignment(instance: Instance): Pick<NativeKernels, Extract<Names, `alignment${string}`>> {
  const { run } = instance;
  const kind = instance.kind<AlignmentFacts>('alignmentFree');
  return {
    alignmentCreate(
      dimensions,
      reference,
      wordStarts,
      gapEntry,
      earliestStart,
      latestStart,
      earliestEnd,
      latestEnd,
      frames,
      scale,
    ) {
      const size = wholeOf(dimensions, 'dimensions', 1, 256);
      const starts = startsOf(wordStarts);
      const words = starts.length - 1;
      const limits = [
        limitsOf(earliestStart, 'earliestStart', words),
        limitsOf(latestStart, 'latestStart', words),
        limitsOf(earliestEnd, 'earliestEnd', words),
        limitsOf(latestEnd, 'latestEnd', words),
      ];
      const all = wholeOf(frames, 'frames', 0, 16_777_216);
      const by = numberOf(scale, 'scale', 0, 1e6);
      const states = typedArray(reference, 'Float32Array', 'reference');
      const gaps = typedArray(gapEntry, 'Float32Array', 'gapEntry');
      expect(states.length === size * (starts[words] as number), 'reference to have dimensions of each state');
      expect(gaps.length === words + 1, 'gapEntry to have one element more than words');
      const [a, b, c, d] = limits.map((each) => instance.in(each)) as [number, number, number, number];
      const at = run.alignmentCreate(
        size,
        instance.in(states),
        instance.in(starts),
        words,
        instance.in(gaps),
        a,
        b,
        c,
        d,
        all,
        by,
      );
      return kind.handle(at, { dimensions: size, frames: all, pushed: 0 });
    },
    alignmentPush(handle, features, gapCosts, frames) {
      const { at, facts } = kind.of(handle);
      const count = wholeOf(frames, 'frames', 0, facts.frames - facts.pushed);
      const length = count * facts.dimensions;
      const given = typedArray(features, 'Float32Array', 'features');
      const costs = typedArray(gapCosts, 'Float32Array', 'gapCosts');
      expect(given.length >= length, 'features to have dimensions of each frame');
      expect(costs.length >= count, 'gapCosts to have an element per frame');
      run.alignmentPush(at, instance.in(given, length), instance.in(costs, count), count);
      facts.pushed += count;
    },
    alignmentTrace(handle) {
      const { at, facts } = kind.of(handle);
      expect(facts.pushed === facts.frames, 'all frames before the way back');
      return run.alignmentTrace(at) !== 0;
    },
    alignmentResult(handle) {
      const { at } = kind.of(handle);
      if (run.alignmentFound(at) === 0) return null;
      return {
        starts: instance.list(Int32Array, run.alignmentStarts(at)),
        ends: instance.list(Int32Array, run.alignmentEnds(at)),
        costs: instance.list(Float32Array, run.alignmentCosts(at)),
      };
    },
  };
}

function tokens(instance: Instance): Pick<NativeKernels, 'scoreTokens' | 'likeliestTokens' | 'tokenTimes'> {
  const { run } = instance;
  return {
    scoreTokens(logits, from, to) {
      const { length } = typedArray(logits, 'Float32Array', 'logits');
      const first = wholeOf(from, 'from', 0, length);
      const end = wholeOf(to, 'to', first, length);
      expect(end > first, 'to to be greater than from');
      run.scoreTokens(instance.in(logits.subarray(first, end)), end - first);
      const [best = 0, most = 0, logSum = 0] = instance.numbers();
      return { best: first + best, most, logSum };
    },
    likeliestTokens(logits, most) {
      const { length } = typedArray(logits, 'Float32Array', 'logits');
      const best = new Uint32Array(wholeOf(most, 'most', 1, 1024));
      const at = instance.room(best.byteLength);
      const found = run.likeliestTokens(instance.in(logits), length, best.length, at);
      best.set(new Uint32Array(instance.bytes.buffer, at, found));
      return [...best.subarray(0, found)];
    },
    tokenTimes(attention, count, heads, positions) {
      const [rows, each, places] = [
        wholeOf(count, 'tokens', 0, 4096),
        wholeOf(heads, 'heads', 1, 4096),
        wholeOf(positions, 'positions', 0, 65_536),
      ];
      const numbers = rows * each * places;
      const from = atLeast(attention, 'attention', numbers);
      return instance.list(Float64Array, run.tokenTimes(instance.in(from, numbers), rows, each, places));
    },
  };
}

export const wordKernels = (instance: Instance): Pick<NativeKernels, Names> => ({
  ...spectra(instance),
  ...alignment(instance),
  ...tokens(instance),
  holdsCodedSound(bytes) {
    const given = elementsOf(bytes, 'Uint8Array', 'bytes', 0);
    return instance.run.holdsCodedSound(instance.in(given), given.length) !== 0;
  },
  nearestRow(rows, length, count, item, preferred) {
    const size = wholeOf(length, 'length', 1, 4096);
    const all = wholeOf(count, 'count', 2, 16_777_216);
    const from = atLeast(rows, 'rows', size * all);
    return instance.run.nearestRow(
      instance.in(from, size * all),
      size,
      all,
      wholeOf(item, 'item', 0, all - 1),
      wholeOf(preferred, 'preferred', 0, all),
    );
  },
});
