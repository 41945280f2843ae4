// The checks of native/binding/values.cc and elements.h, with the same messages: the module takes any number for an
// address. Everything is got from arrays first, since that may run code that takes memory away.

/** Channels that kernels take at most. */
export const mostChannels = 64;

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'string') return 'a string';
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return 'another kind of typed array';
  return Array.isArray(value) ? 'an array' : 'a value of another type';
}

/** @throws TypeError unless the condition holds */
export function expect(holds: boolean, what: string): void {
  if (!holds) throw new TypeError(`Expected ${what}`);
}

/** @throws TypeError unless it is a finite number within [least, most] */
export function numberOf(value: unknown, name: string, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new TypeError(
    `Expected number between ${Number(least.toPrecision(10))} and ${Number(most.toPrecision(10))} for ${name} ` +
      `but received ${shown(value)}`,
  );
}

/** @throws TypeError unless it is a whole number within [least, most] */
export function wholeOf(value: unknown, name: string, least: number, most: number): number {
  const number = numberOf(value, name, least, most);
  if (!Number.isInteger(number)) throw new TypeError(`Expected whole number for ${name} but received ${shown(value)}`);
  return number;
}

export const sampleRateOf = (value: unknown): number => wholeOf(value, 'sampleRate', 1, 768_000);
export const channelsOf = (value: unknown): number => wholeOf(value, 'channels', 1, mostChannels);

interface Kinds {
  readonly Float32Array: Float32Array;
  readonly Int16Array: Int16Array;
  readonly Int32Array: Int32Array;
  readonly Int8Array: Int8Array;
  readonly Uint8Array: Uint8Array;
}

const isKind = <Kind extends keyof Kinds>(value: unknown, kind: Kind): value is Kinds[Kind] =>
  ArrayBuffer.isView(value) && (value as Partial<Float32Array>)[Symbol.toStringTag] === (kind as string);

/** @throws TypeError unless it is a typed array of that kind */
export function typedArray<Kind extends keyof Kinds>(value: unknown, kind: Kind, name: string): Kinds[Kind] {
  if (isKind(value, kind)) return value;
  throw new TypeError(`Expected ${kind} for ${name} but received ${shown(value)}`);
}

/** @throws TypeError unless it is a typed array of that kind, of `least` elements or more */
export function elementsOf<Kind extends keyof Kinds>(
  value: unknown,
  kind: Kind,
  name: string,
  least: number,
): Kinds[Kind] {
  if (isKind(value, kind) && value.length >= least) return value;
  throw new TypeError(`Expected typed array of at least ${least} elements for ${name} but received another value`);
}

/** @throws TypeError unless it is a Float32Array of `least` elements or more */
export function atLeast(value: unknown, name: string, least: number): Float32Array {
  const array = typedArray(value, 'Float32Array', name);
  if (array.length >= least) return array;
  throw new TypeError(`Expected at least ${least} elements in ${name} but received ${array.length}`);
}

/** Planes of a call, and the frames of each that it is about. */
export interface GivenPlanes {
  readonly planes: readonly Float32Array[];
  readonly frames: number;
}

function gotten(value: unknown, name: string, channels: number): readonly unknown[] {
  if (!Array.isArray(value))
    throw new TypeError(`Expected array of Float32Array for ${name} but received ${shown(value)}`);
  const count = value.length;
  if (count < 1 || count > mostChannels || (channels > 0 && count !== channels))
    throw new TypeError(
      `Expected ${channels > 0 ? channels : `1 to ${mostChannels}`} planes for ${name} but received ${count}`,
    );
  return Array.from({ length: count }, (_, channel) => value[channel] as unknown);
}

function measured(elements: readonly unknown[], name: string, frames: unknown): GivenPlanes {
  const planes = elements.map((each, channel) => typedArray(each, 'Float32Array', `${name}[${channel}]`));
  const wanted = frames === undefined ? (planes[0]?.length ?? 0) : wholeOf(frames, 'frames', 0, 4_294_967_295);
  for (const [channel, { length }] of planes.entries())
    if (length < wanted)
      throw new TypeError(`Expected at least ${wanted} frames in ${name}[${channel}] but received ${length}`);
  return { planes, frames: wanted };
}

/**
 * Every array of planes that a call takes.
 * @param channels planes in each; 0: one or more, as many as in the first
 * @param frames undefined: the length of each one's first plane
 * @throws TypeError for another number of planes, and for planes that are shorter
 */
export function planesOf<const Given extends readonly (readonly [unknown, string])[]>(
  channels: number,
  frames: unknown,
  ...given: Given
): { readonly [Index in keyof Given]: GivenPlanes } {
  let count = channels;
  const all = given.map(([value, name]) => {
    const elements = gotten(value, name, count);
    count = elements.length;
    return [elements, name] as const;
  });
  return all.map(([elements, name]) => measured(elements, name, frames)) as never;
}
