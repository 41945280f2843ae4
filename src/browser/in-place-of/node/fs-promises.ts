// In place of node:fs/promises.
import { placeFile } from '../../models/placed.ts';
import * as now from './fs.ts';

export const readFile = (path: string, encoding?: string): Promise<Uint8Array | string> =>
  Promise.resolve().then(() => now.readFileSync(path, encoding));
export const writeFile = (path: string, data: Uint8Array | string): Promise<void> =>
  Promise.resolve().then(() => now.writeFileSync(path, data));
export const rm = (path: string): Promise<void> => Promise.resolve(now.rmSync(path));
export const rename = (from: string, to: string): Promise<void> =>
  Promise.resolve().then(() => now.renameSync(from, to));
export const mkdir = (): Promise<void> => Promise.resolve();
export const readdir = (): Promise<string[]> => Promise.resolve([]);
/** Models are fetched when they are looked for. */
export const stat = async (path: string): Promise<ReturnType<typeof now.statSync>> => {
  await placeFile(path);
  return now.statSync(path);
};
export const access = (path: string): Promise<void> => stat(path).then(() => undefined);
