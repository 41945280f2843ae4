// Whisper's encoder, of native/wasm/whisper.cc.
import type { NativeKernels } from '../load.ts';
import { atLeast, expect, wholeOf } from './checks.ts';
import type { Instance } from './instance.ts';
import type { Residents } from './residents.ts';
import { blockSize, created, expectSize, type Network, setters, weightsOf } from './weights.ts';

interface Encoder extends Network {
  readonly bands: number;
  readonly frames: number;
  readonly width: number;
}
type Names = `whisperEncoder${'Create' | 'SetMatrix' | 'SetVector' | 'WeightBytes' | 'SetConvolution' | 'Encode'}`;

export function encoderKernels(instance: Instance, residents: Residents): Pick<NativeKernels, Names> {
  const { run } = instance;
  const kind = instance.kind<Encoder>('encoderFree');
  const { setMatrix, setVector } = setters(instance, kind, residents);
  return {
    whisperEncoderCreate(bands, frames, layers, heads, headWidth, feedWidth) {
      const shape = {
        bands: wholeOf(bands, 'bands', 1, 1024),
        frames: wholeOf(frames, 'frames', 2, 65_536),
        layers: wholeOf(layers, 'layers', 1, 256),
        heads: wholeOf(heads, 'heads', 1, 256),
        headWidth: wholeOf(headWidth, 'headWidth', 16, 1024),
        feedWidth: wholeOf(feedWidth, 'feedWidth', 32, 65_536),
      };
      const width = shape.heads * shape.headWidth;
      expect(
        shape.headWidth % 16 === 0 && width % blockSize === 0 && shape.feedWidth % blockSize === 0,
        'headWidth to be a multiple of 16 and widths multiples of 32',
      );
      expect(shape.frames % 2 === 0, 'frames to be even');
      expectSize(2 * width * shape.layers * (4 * width + 2 * shape.feedWidth + 64));
      expectSize(4 * width * (shape.frames + 3 * shape.bands + 3 * width + 64));
      const at = run.encoderCreate(
        shape.bands,
        shape.frames,
        shape.layers,
        shape.heads,
        shape.headWidth,
        shape.feedWidth,
      );
      return created(instance, kind, 'encoderWeights', at, { ...shape, width });
    },
    whisperEncoderWeightBytes: (handle) => kind.of(handle).facts.bytes,
    whisperEncoderSetMatrix: setMatrix,
    whisperEncoderSetVector: setVector,
    whisperEncoderSetConvolution(handle, weights, index, values) {
      const { at, facts } = kind.of(handle);
      const which = wholeOf(index, 'index', 0, 1);
      const into = weightsOf(weights, facts);
      const length = run.encoderConvolutionLength(at, which);
      const from = atLeast(values, 'values', length);
      residents.forget(into);
      run.weightVectorPlace(facts.weights, run.weightVectors(facts.weights) - 2 + which);
      const [, , place = 0, bytes = 0] = instance.numbers();
      const to = instance.out(into.subarray(place), bytes);
      run.encoderConvolutionPack(at, which, instance.in(from, length), to);
    },
    whisperEncoderEncode(handle, weights, spectrum, frames, out) {
      const { at, facts } = kind.of(handle);
      const given = weightsOf(weights, facts);
      const count = wholeOf(frames, 'frames', 2, facts.frames);
      expect(count % 2 === 0, 'frames to be even');
      const from = atLeast(spectrum, 'spectrum', facts.bands * count);
      const to = atLeast(out, 'out', (count / 2) * facts.width);
      const inside = residents.at(given);
      run.encoderEncode(
        at,
        inside,
        instance.in(from, facts.bands * count),
        count,
        instance.out(to, (count / 2) * facts.width),
      );
    },
  };
}
