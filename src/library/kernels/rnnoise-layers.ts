/**
 * RNNoise's layers with vector instructions. The package's WebAssembly is compiled without them, and spends five sixths
 * of its time in RNNoise's function for a linear layer, one byte at a time. This code computes the same function for
 * layers with 8-bit weights, bit for bit: their sums are whole numbers under 2^24, exact in any order, and everything
 * after the sums follows the original order. All other layers use the package's own code.
 */
import { type Code, types, wasm, withFunction } from './wasm-code.ts';

const { get, set, tee, i32, f32, f64, v128, i32x4, f32x4 } = wasm;

/** RNNoise's struct LinearLayer: byte offsets of its fields, in memory of 32 bits. */
const field = { bias: 0, weights: 8, floatWeights: 12, index: 16, diagonal: 20, scale: 24, inputs: 28, outputs: 32 };

/**
 * The function for a linear layer in @jitsi/rnnoise-wasm 0.2.1. Another build keeps its own code, and the test then
 * fails.
 */
const compiled = { of: 1_874_110_601, type: 2, imported: 2, stackPointer: 0 };

/**
 * More would not be exact: 128 * 127 * 1024 < 2^24. The scratch memory ends there, too: RNNoise's own has 2048 bytes.
 */
const mostInputs = 1024;
const scratchBytes = 2 * mostInputs;

// Parameters and local variables.
const [layer, out, input, rows, columns, weights, index, scratch, i, left, source, scale, bias, diagonal] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
] as const;
const [rounded, a, b, c, d, x] = [14, 15, 16, 17, 18, 19] as const;
const locals: Code = [
  [3, 11, types.i32],
  [1, types.f64],
  [5, types.v128],
];

const add = (local: number, count: number): Code => [get(local), i32.const(count), i32.add, set(local)];
const read = (offset: number, into: number): Code => [get(layer), i32.load(offset), set(into)];
/** Adds to `local`, and leaves on the stack whether it is still below `end`. */
const stepBelow = (local: number, step: number, end: Code): Code => [
  [get(local), i32.const(step), i32.add, tee(local)],
  [end, i32.ltS],
];

/** The inputs as 16-bit numbers of 8 bits, rounded as RNNoise rounds them: (int)floor(.5 + 127 * x), wrapped. */
const quantize: Code = [
  [wasm.globalGet(compiled.stackPointer), i32.const(scratchBytes), i32.sub, set(scratch)],
  [i32.const(0), set(i)],
  wasm.loopWhile([
    [get(scratch), get(i), i32.const(1), i32.shl, i32.add],
    [get(input), get(i), i32.const(2), i32.shl, i32.add, f32.load()],
    [f32.const(127), f32.mul, f64.promoteF32, f64.const(0.5), f64.add, f64.floor, tee(rounded)],
    [i32.truncSatF64S, i32.const(-(2 ** 31))],
    [get(rounded), f64.abs, f64.const(2 ** 31), f64.lt, wasm.select],
    [i32.extend8S, i32.store16()],
    stepBelow(i, 1, get(columns)),
  ]),
];

/**
 * Sums of eight rows: for each four inputs the next 32 weights, four of each row.
 * @param inputsAt leaves the address of the four inputs, and steps on
 */
const blocks = (inputsAt: Code): Code =>
  wasm.if(
    wasm.loopWhile([
      [inputsAt, v128.load64Splat(), set(x)],
      [a, b, c, d].flatMap((sum, pair) => [
        [get(weights), v128.load8x8S(8 * pair), get(x), i32x4.dotI16x8S],
        [get(sum), i32x4.add, set(sum)],
      ]),
      add(weights, 32),
      [get(left), i32.const(1), i32.sub, tee(left)],
    ]),
  );

const lanes = (...numbers: readonly number[]): Code => numbers.flatMap((n) => [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3]);

/** Four rows: adds up the pair sums of two vectors, scales them and adds the bias. */
const writeFour = (first: number, second: number, offset: number): Code => [
  get(out),
  [get(first), get(second), v128.shuffle(lanes(0, 2, 4, 6))],
  [get(first), get(second), v128.shuffle(lanes(1, 3, 5, 7))],
  [i32x4.add, f32x4.convertI32x4S],
  [get(scale), v128.load(offset), f32x4.mul, v128.store(offset)],
  ifNotNull(bias, [
    [get(out), get(out), v128.load(offset), get(bias), v128.load(offset), f32x4.add],
    v128.store(offset),
  ]),
];

function ifNotNull(pointer: number, then: Code): Code {
  return [get(pointer), wasm.if(then)];
}

const eightRows: Code = [
  [a, b, c, d].flatMap((sum) => [v128.zero, set(sum)]),
  get(index),
  wasm.if(
    [
      [get(index), i32.load(), set(left), add(index, 4)],
      get(left),
      blocks([[get(scratch), get(index), i32.load(), i32.const(1), i32.shl, i32.add], add(index, 4)]),
    ],
    [
      [get(columns), i32.const(2), i32.shrU, set(left)],
      [get(scratch), set(source)],
      get(left),
      blocks([get(source), add(source, 8)]),
    ],
  ),
  writeFour(a, b, 0),
  writeFour(c, d, 16),
  [add(out, 32), add(scale, 32)],
  ifNotNull(bias, add(bias, 32)),
];

/** For recurrent layers, which have three outputs for each input: adds each output's own input, weighted. */
const addDiagonal: Code = [
  [get(layer), i32.load(field.outputs), i32.const(2), i32.shl, set(left)],
  // `out` points past the last output.
  [get(out), get(left), i32.sub, set(out)],
  [i32.const(3), set(left)],
  wasm.loopWhile([
    [get(input), set(source), i32.const(0), set(i)],
    wasm.loopWhile([
      get(out),
      [get(diagonal), v128.load(), get(source), v128.load(), f32x4.mul],
      [get(out), v128.load(), f32x4.add, v128.store()],
      [add(out, 16), add(diagonal, 16), add(source, 16)],
      stepBelow(i, 4, get(columns)),
    ]),
    [get(left), i32.const(1), i32.sub, tee(left)],
  ]),
];

const linear: Code = [
  locals,
  read(field.inputs, columns),
  read(field.weights, weights),
  read(field.index, index),
  read(field.scale, scale),
  read(field.bias, bias),
  read(field.diagonal, diagonal),
  quantize,
  [i32.const(0), set(rows)],
  wasm.loopWhile([eightRows, stepBelow(rows, 8, [get(layer), i32.load(field.outputs)])]),
  ifNotNull(diagonal, addDiagonal),
  0x0b,
];

/** Whether the fast code applies to a layer: no 32-bit weights, whole blocks of eight rows and four inputs. */
const isFit: Code = [
  [get(layer), i32.load(field.floatWeights), i32.eqz],
  [get(layer), i32.load(field.weights), i32.eqz, i32.eqz, i32.and],
  [get(layer), i32.load(field.inputs), i32.const(mostInputs), i32.leS, i32.and],
  [get(layer), i32.load(field.inputs), i32.const(3), i32.and, i32.eqz, i32.and],
  [get(layer), i32.load(field.outputs), i32.const(7), i32.and, i32.eqz, i32.and],
  [i32.const(0), get(layer), i32.load(field.inputs), i32.ltS, i32.and],
  [i32.const(0), get(layer), i32.load(field.outputs), i32.ltS, i32.and],
];

/**
 * RNNoise's module with these layers.
 * @param module as the package has it
 * @returns null when its code is not the known build
 */
export const withVectorLayers = (module: Uint8Array): Uint8Array | null =>
  withFunction(module, {
    ...compiled,
    code: linear,
    first: (added) => [isFit, wasm.if([get(layer), get(out), get(input), wasm.call(added), wasm.return])],
  });
