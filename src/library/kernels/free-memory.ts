import { processesIfAny } from './processes.ts';

/**
 * Returns unused memory of the process to the system, in a few milliseconds: glibc keeps the pages of freed memory
 * between used pieces, some 40 MB for each thread that has run networks. Does nothing on Windows, nor without an addon.
 */
export const freeUnusedMemory = (): void => processesIfAny()?.freeUnusedMemory();
