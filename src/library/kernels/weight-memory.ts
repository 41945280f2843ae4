import { processesIfAny } from './processes.ts';

/** Memory for a network's weights, which threads share. See native/process/large_pages.h. */
export function weightMemory(bytes: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes);
  processesIfAny()?.preferLargePages(new Uint8Array(memory));
  return memory;
}
