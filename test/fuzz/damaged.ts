// The damaged file of a number: made by the seed and the number alone.
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { seeded } from '../fixtures/random.ts';
import { mutate } from './mutate.ts';

export interface Original {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Damaged {
  readonly name: string;
  readonly bytes: Buffer;
  /** The original's name. */
  readonly kind: string;
}

export const readOriginals = (paths: readonly string[]): Original[] =>
  paths.map((path) => ({ name: basename(path), bytes: readFileSync(path) }));

export function damagedFile(originals: readonly Original[], seed: number, number: number): Damaged {
  const random = seeded(Math.imul(seed, 1_000_003) + number);
  const original = originals[number % originals.length];
  const other = originals[Math.floor(random() * originals.length)];
  if (!original || !other) throw new Error('no originals');
  const extension = extname(original.name);
  return {
    name: `damaged-${number}${extension}`,
    kind: original.name,
    bytes: mutate(original.bytes, other.bytes, random),
  };
}
