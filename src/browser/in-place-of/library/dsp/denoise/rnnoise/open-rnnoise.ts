// In place of dsp/denoise/rnnoise/open-rnnoise.ts: the weights come in a file of their own.
import { EarshotError } from '../../../../../../library/core/errors/errors.ts';
import {
  createRnnoiseNetwork,
  type RnnoiseLayer,
  type RnnoiseNetwork,
} from '../../../../../../library/kernels/rnnoise.ts';

let place: string | null = null;

export function useRnnoise(url: string): void {
  place = url;
}

/** Written by scripts/build-browser.mjs: how long the head is, the head as JSON, and the numbers in its order. */
interface Head {
  readonly inputs: number;
  readonly outputs: number;
  /** Bytes of each. */
  readonly parts: Readonly<Record<'bias' | 'weights' | 'blocks' | 'scale' | 'diagonal', number>>;
  readonly isFloat: boolean;
}

function fetched(url: string): ArrayBuffer {
  // Workers may wait for an answer; tools open the network at once.
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.responseType = 'arraybuffer';
  request.send();
  if (request.status !== 200)
    throw new EarshotError('tool_unavailable', `The weights of RNNoise cannot be fetched (${request.status})`);
  return request.response as ArrayBuffer;
}

function layersOf(file: ArrayBuffer): RnnoiseLayer[] {
  const [headBytes = 0] = new Uint32Array(file, 0, 1);
  const heads = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 4, headBytes))) as readonly Head[];
  let at = 4 + headBytes;
  const take = (bytes: number): ArrayBuffer => file.slice(at, (at += bytes));
  return heads.map(({ inputs, outputs, parts, isFloat }) => ({
    inputs,
    outputs,
    bias: new Float32Array(take(parts.bias)),
    weights: isFloat ? new Float32Array(take(parts.weights)) : new Int8Array(take(parts.weights)),
    blocks: new Int32Array(take(parts.blocks)),
    scale: new Float32Array(take(parts.scale)),
    diagonal: new Float32Array(take(parts.diagonal)),
  }));
}

export function openRnnoiseNetwork(): RnnoiseNetwork {
  if (place === null) throw new TypeError('Expected the place of the weights first');
  return createRnnoiseNetwork(layersOf(fetched(place)));
}
