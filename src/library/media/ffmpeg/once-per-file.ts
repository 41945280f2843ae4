// What is found out by reading a whole file: a file is opened in many places, one after the other.
import { statSync } from 'node:fs';

const mostKept = 100;

/** Remembers in this process what was found, as long as the file has the same size and time. */
export function oncePerFile<T>(): (path: string, find: () => T) => T {
  const kept = new Map<string, { readonly key: string; readonly found: T }>();
  return (path, find) => {
    const { size, mtimeMs } = statSync(path);
    const key = `${size} ${mtimeMs}`;
    const known = kept.get(path);
    if (known?.key === key) return known.found;
    const found = find();
    if (kept.size >= mostKept) kept.clear();
    kept.set(path, { key, found });
    return found;
  };
}
