import { nativeKernels } from './load.ts';

/**
 * Gives what the process holds and does not use back to the system, a few milliseconds: glibc keeps the pages of freed
 * memory that lies between pieces in use, some 40 MB for each thread that has run networks. Does nothing on Windows.
 */
export const freeUnusedMemory = (): void => nativeKernels().freeUnusedMemory();
