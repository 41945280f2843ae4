// What measures need and only networks can tell, computed once: below build/constants, which git ignores.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './source-constants.ts';

export const samples = join(root, '../shared/samples');
const folder = join(root, 'build/constants');
export const storePath = (name: string): string => join(folder, name);

/** A folder in the store for what is written by others. */
export function folderFor(name: string): string {
  const path = storePath(name);
  mkdirSync(path, { recursive: true });
  return path;
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, path);
}

/** @param name of a JSON file in the store, without its ending */
export async function stored<Value>(name: string, compute: () => Value | Promise<Value>): Promise<Value> {
  const path = storePath(`${name}.json`);
  if (!existsSync(path)) write(path, JSON.stringify(await compute()));
  return JSON.parse(readFileSync(path, 'utf8')) as Value;
}

/** Path of a file of float32 samples, 16 kHz, mono, which `openSpeech` opens. */
export async function storedSound(name: string, compute: () => Float32Array | Promise<Float32Array>): Promise<string> {
  const path = storePath(`${name}.f32`);
  if (!existsSync(path)) {
    const { buffer, byteOffset, byteLength } = await compute();
    write(path, new Uint8Array(buffer, byteOffset, byteLength));
  }
  return path;
}
