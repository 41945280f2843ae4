// Silero VAD at 16 kHz, in JavaScript: magnitudes of a short Fourier transform, four convolutions, an LSTM and a
// sigmoid. It is small enough for that: 0.7 million products for 32 ms of sound.
import { readConstants } from './stored-constants.ts';

/** In the file: the branch for 16 kHz. */
const prefix = 'If_0_then_branch__Inline_0__';
const context = { samples: 576, reflected: 64 } as const;
const window = 256;
const hop = 128;
const bins = 129;
const stftFrames = 4;
const width = 128;

interface Convolution {
  readonly inputs: number;
  readonly outputs: number;
  readonly stride: number;
  /** [outputs][3][inputs]: what one sum goes over lies together. */
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

/** What a network takes and gives, as `RawSession` of the library does. */
export interface SileroRows {
  /** [rows][576]: 64 samples of before, 512 new ones. */
  readonly input: Float32Array;
  /** [2][rows][128]: what the LSTM gave, and its cells. */
  readonly state: Float32Array;
}

export interface SileroAnswer {
  /** Probability of speech, by row. */
  readonly output: Float32Array<ArrayBuffer>;
  readonly stateN: Float32Array<ArrayBuffer>;
}

/** The sum of products of `length` numbers from two places on; `length` is a multiple of 4 but for the last ones. */
function dot(a: Float32Array, atA: number, b: Float32Array, atB: number, length: number): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  let index = 0;
  for (; index + 3 < length; index += 4) {
    first += (a[atA + index] as number) * (b[atB + index] as number);
    second += (a[atA + index + 1] as number) * (b[atB + index + 1] as number);
    third += (a[atA + index + 2] as number) * (b[atB + index + 2] as number);
    fourth += (a[atA + index + 3] as number) * (b[atB + index + 3] as number);
  }
  for (; index < length; index += 1) first += (a[atA + index] as number) * (b[atB + index] as number);
  return first + second + (third + fourth);
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** From [outputs][inputs][3] of the file. */
function bySums(stored: Float32Array, inputs: number, outputs: number): Float32Array {
  const weights = new Float32Array(stored.length);
  for (let output = 0; output < outputs; output += 1)
    for (let input = 0; input < inputs; input += 1)
      for (let tap = 0; tap < 3; tap += 1)
        weights[(output * 3 + tap) * inputs + input] = stored[(output * inputs + input) * 3 + tap] as number;
  return weights;
}

/**
 * Three taps with one frame of zeros on either side, then what is below zero becomes zero.
 * @param from [frames][inputs]
 * @returns [frames / stride][outputs]
 */
function convolve({ inputs, outputs, stride, weights, bias }: Convolution, from: Float32Array): Float32Array {
  const frames = from.length / inputs;
  const made = Math.floor((frames - 1) / stride) + 1;
  const out = new Float32Array(made * outputs);
  for (let frame = 0; frame < made; frame += 1) {
    const first = frame * stride - 1;
    const tap = Math.max(0, -first);
    const taps = Math.min(3, frames - first) - tap;
    for (let output = 0; output < outputs; output += 1) {
      const place = (output * 3 + tap) * inputs;
      const sum = (bias[output] as number) + dot(weights, place, from, (first + tap) * inputs, taps * inputs);
      out[frame * outputs + output] = Math.max(0, sum);
    }
  }
  return out;
}

/**
 * @param file silero_vad.onnx, v6
 * @returns null for another network; else what it answers to one step of sound in each of some rows
 */
export function openSilero(file: Uint8Array): ((rows: SileroRows) => SileroAnswer) | null {
  const constants = readConstants(file);
  let isWhole = true;
  const stored = (name: string, length: number): Float32Array => {
    const values = constants.get(`${prefix}${name}`);
    if (values?.length === length) return values;
    isWhole = false;
    return new Float32Array(length);
  };
  const basis = stored('stft.forward_basis_buffer', 2 * bins * window);
  const convolutions = (
    [
      [bins, width, 1],
      [width, 64, 2],
      [64, 64, 2],
      [64, width, 1],
    ] as const
  ).map(([inputs, outputs, stride], index): Convolution => {
    const weights = stored(`encoder.${index}.reparam_conv.weight`, outputs * inputs * 3);
    const bias = stored(`encoder.${index}.reparam_conv.bias`, outputs);
    return { inputs, outputs, stride, weights: bySums(weights, inputs, outputs), bias };
  });
  const fromInput = stored('decoder.rnn.weight_ih', 4 * width * width);
  const fromBefore = stored('decoder.rnn.weight_hh', 4 * width * width);
  const inputBias = stored('decoder.rnn.bias_ih', 4 * width);
  const beforeBias = stored('decoder.rnn.bias_hh', 4 * width);
  const last = stored('decoder.decoder.2.weight', width);
  const lastBias = stored('decoder.decoder.2.bias', 1);
  if (!isWhole) return null;

  const samples = new Float32Array(context.samples + context.reflected);
  const magnitudes = new Float32Array(stftFrames * bins);
  const spectrum = (input: Float32Array, row: number): Float32Array => {
    samples.set(input.subarray(row * context.samples, (row + 1) * context.samples));
    for (let index = 0; index < context.reflected; index += 1)
      samples[context.samples + index] = samples[context.samples - 2 - index] as number;
    for (let frame = 0; frame < stftFrames; frame += 1)
      for (let bin = 0; bin < bins; bin += 1) {
        const real = dot(basis, bin * window, samples, frame * hop, window);
        const imaginary = dot(basis, (bins + bin) * window, samples, frame * hop, window);
        magnitudes[frame * bins + bin] = Math.sqrt(real * real + imaginary * imaginary);
      }
    return magnitudes;
  };
  const gates = new Float64Array(4 * width);
  return ({ input, state }) => {
    const rows = input.length / context.samples;
    const output = new Float32Array(rows);
    const stateN = new Float32Array(state.length);
    for (let row = 0; row < rows; row += 1) {
      let heard = spectrum(input, row);
      for (const convolution of convolutions) heard = convolve(convolution, heard);
      const [before, cells] = [row * width, (rows + row) * width];
      for (let gate = 0; gate < gates.length; gate += 1)
        gates[gate] =
          (inputBias[gate] as number) +
          (beforeBias[gate] as number) +
          dot(fromInput, gate * width, heard, 0, width) +
          dot(fromBefore, gate * width, state, before, width);
      let sum = lastBias[0] as number;
      for (let unit = 0; unit < width; unit += 1) {
        const take = sigmoid(gates[unit] as number);
        const keep = sigmoid(gates[width + unit] as number);
        const made = Math.tanh(gates[2 * width + unit] as number);
        const give = sigmoid(gates[3 * width + unit] as number);
        const cell = keep * (state[cells + unit] as number) + take * made;
        const given = give * Math.tanh(cell);
        stateN[cells + unit] = cell;
        stateN[before + unit] = given;
        sum += Math.max(0, given) * (last[unit] as number);
      }
      output[row] = sigmoid(sum);
    }
    return { output, stateN };
  };
}
