/**
 * The part of WebAssembly's binary format needed to write one function and to add it to a compiled module. Source:
 * WebAssembly core specification 2.0, "Binary Format" (https://webassembly.github.io/spec/core/binary/).
 */

/** Bytes, in any nesting. */
export type Code = readonly (number | Code)[];

/** LEB128 of a number from 0 to 2^32 - 1. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let left = value >>> 0;
  do {
    const low = left & 0x7f;
    left >>>= 7;
    bytes.push(left === 0 ? low : low | 0x80);
  } while (left !== 0);
  return bytes;
}

/** LEB128 of a signed number of 32 bits. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  let left = value | 0;
  for (;;) {
    const low = left & 0x7f;
    left >>= 7;
    const isLast = (left === 0 && (low & 0x40) === 0) || (left === -1 && (low & 0x40) !== 0);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}

const float = (value: number): number[] => [...new Uint8Array(Float32Array.of(value).buffer)];
const double = (value: number): number[] => [...new Uint8Array(Float64Array.of(value).buffer)];
const vector = (opcode: number, ...operands: readonly Code[]): Code => [0xfd, unsigned(opcode), operands];
/** Alignment is a hint; 0 is always true. */
const at = (offset: number): Code => [0, unsigned(offset)];

/** Instructions, named as in WebAssembly's text format. */
export const wasm = {
  get: (local: number): Code => [0x20, unsigned(local)],
  set: (local: number): Code => [0x21, unsigned(local)],
  tee: (local: number): Code => [0x22, unsigned(local)],
  globalGet: (index: number): Code => [0x23, unsigned(index)],
  call: (index: number): Code => [0x10, unsigned(index)],
  return: [0x0f],
  select: [0x1b],
  if: (then: Code, otherwise: Code = []): Code => [
    [0x04, 0x40, then],
    otherwise.length > 0 ? [0x05, otherwise] : [],
    0x0b,
  ],
  /** Repeats `body` while it leaves a value other than 0. */
  loopWhile: (body: Code): Code => [0x03, 0x40, body, 0x0d, 0, 0x0b],
  i32: {
    const: (value: number): Code => [0x41, signed(value)],
    load: (offset = 0): Code => [0x28, at(offset)],
    store16: (offset = 0): Code => [0x3b, at(offset)],
    eqz: [0x45],
    ltS: [0x48],
    leS: [0x4c],
    add: [0x6a],
    sub: [0x6b],
    and: [0x71],
    or: [0x72],
    shl: [0x74],
    shrU: [0x76],
    extend8S: [0xc0],
    truncSatF64S: [0xfc, 2],
  },
  f32: {
    const: (value: number): Code => [0x43, float(value)],
    load: (offset = 0): Code => [0x2a, at(offset)],
    mul: [0x94],
  },
  f64: {
    const: (value: number): Code => [0x44, double(value)],
    lt: [0x63],
    abs: [0x99],
    floor: [0x9c],
    add: [0xa0],
    promoteF32: [0xbb],
  },
  v128: {
    zero: vector(
      12,
      Array.from({ length: 16 }, () => 0),
    ),
    load: (offset = 0): Code => vector(0, at(offset)),
    load8x8S: (offset = 0): Code => vector(1, at(offset)),
    load64Splat: (offset = 0): Code => vector(10, at(offset)),
    store: (offset = 0): Code => vector(11, at(offset)),
    /** @param lanes indices of 16 bytes among the 32 of both vectors */
    shuffle: (lanes: Code): Code => vector(13, lanes),
  },
  i32x4: { add: vector(174), dotI16x8S: vector(186) },
  f32x4: { add: vector(228), mul: vector(230), convertI32x4S: vector(250) },
} as const;

export const types = { i32: 0x7f, f64: 0x7c, v128: 0x7b } as const;

/** @returns the number at `from`, and where the next one begins */
function readUnsigned(bytes: Uint8Array, from: number): [value: number, next: number] {
  let [value, shift, next] = [0, 0, from];
  for (;;) {
    const byte = bytes[next] ?? 0;
    next += 1;
    value += (byte & 0x7f) * 2 ** shift;
    shift += 7;
    if (byte < 0x80 || shift > 28) return [value, next];
  }
}

interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

const [importSection, functionSection, codeSection] = [2, 3, 10];
const headerBytes = 8;

function sectionsOf(module: Uint8Array): Section[] {
  const sections: Section[] = [];
  for (let start = headerBytes; start < module.length;) {
    const [size, content] = readUnsigned(module, start + 1);
    sections.push({ id: module[start] ?? 0, content: module.subarray(content, content + size) });
    start = content + size;
  }
  return sections;
}

/** The content of a section after its count. */
function behindCount(content: Uint8Array): [count: number, rest: Uint8Array] {
  const [count, next] = readUnsigned(content, 0);
  return [count, content.subarray(next)];
}

/** FNV-1a, 32 bits. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01_00_01_93) >>> 0;
  return hash;
}

interface Replacement {
  /** Checksum of the function to patch: its local variables and its code. */
  readonly of: number;
  /** Index of its type, which the new function has, too. */
  readonly type: number;
  /** Functions that the module imports. */
  readonly imported: number;
  /** The new function: its local variables and its code. */
  readonly code: Code;
  /** Code to put at the start of the old function. @param index of the new function */
  readonly first: (index: number) => Code;
}

/**
 * A module with an added function, and one existing function patched to call it.
 * @returns null when no function has the checksum
 */
export function withFunction(module: Uint8Array, { of, type, imported, code, first }: Replacement): Uint8Array | null {
  const sections = sectionsOf(module);
  const bodies = sections.find(({ id }) => id === codeSection);
  if (bodies === undefined || !sections.some(({ id }) => id === importSection)) return null;
  const [count, rest] = behindCount(bodies.content);
  for (let start = 0; start < rest.length;) {
    const [size, body] = readUnsigned(rest, start);
    const old = rest.subarray(body, body + size);
    if (checksum(old) !== of) {
      start = body + size;
      continue;
    }
    const behind = localsEnd(old);
    const added = flat(code);
    const changed = [...old.subarray(0, behind), ...flat(first(imported + count)), ...old.subarray(behind)];
    return joined(
      module.subarray(0, headerBytes),
      sections.map((section): Section => {
        if (section.id === functionSection) {
          const [functions, kinds] = behindCount(section.content);
          return {
            id: section.id,
            content: concat(Uint8Array.from(unsigned(functions + 1)), kinds, Uint8Array.of(type)),
          };
        }
        if (section.id !== codeSection) return section;
        const parts = [
          Uint8Array.from(unsigned(count + 1)),
          rest.subarray(0, start),
          Uint8Array.from([...unsigned(changed.length), ...changed]),
          rest.subarray(body + size),
          Uint8Array.from([...unsigned(added.length), ...added]),
        ];
        return { id: section.id, content: concat(...parts) };
      }),
    );
  }
  return null;
}

const flat = (code: Code): number[] => code.flatMap((part) => (typeof part === 'number' ? [part] : flat(part)));

/** Where a function's code begins, after its groups of local variables. */
function localsEnd(body: Uint8Array): number {
  let [groups, next] = readUnsigned(body, 0);
  for (; groups > 0; groups -= 1) next = readUnsigned(body, next)[1] + 1;
  return next;
}

function joined(header: Uint8Array, sections: readonly Section[]): Uint8Array {
  return concat(
    header,
    ...sections.flatMap(({ id, content }) => [Uint8Array.from([id, ...unsigned(content.length)]), content]),
  );
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const part of parts) {
    whole.set(part, next);
    next += part.length;
  }
  return whole;
}
