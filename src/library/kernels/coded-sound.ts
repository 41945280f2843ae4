import { nativeKernels } from './load.ts';

/**
 * Does what calls itself 16-bit PCM hold a coded stream (DTS, AC-3, E-AC-3, AAC, MPEG audio, TrueHD, S/PDIF bursts)?
 * Looks for their sync words, short ones as several frames in a row; see native/kernels/words/coded_sound.h.
 * @param bytes from the first sample on, or from anywhere before it
 * @throws TypeError on anything but bytes
 */
export const holdsCodedSound = (bytes: Uint8Array): boolean => nativeKernels().holdsCodedSound(bytes);
