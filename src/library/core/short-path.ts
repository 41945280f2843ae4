import { relative } from 'node:path';

/** For people: a path relative to the working folder where it lies below that, otherwise as it is. */
export function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}
