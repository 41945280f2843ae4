import { relative } from 'node:path';

/** For messages: relative to the working folder if the path is below it, otherwise unchanged. */
export function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}
