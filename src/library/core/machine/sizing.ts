// How many jobs a machine runs at the same time, and the memory of each, so that all of them fit.

/** A machine's resources for jobs. */
export interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** How jobs share it. */
export interface Sizing {
  /** Jobs at the same time, at least 1. */
  readonly slots: number;
  /** Memory that one job may use, in bytes. */
  readonly jobMemoryBytes: number;
}

const mebibyte = 2 ** 20;
/** The service without jobs: launcher, API, worker, database, warm processes, upload checks. See docs/operating.md. */
export const serviceRestBytes = 640 * mebibyte;
/** The host process of the library, without its jobs. */
export const libraryRestBytes = 256 * mebibyte;
/** With less, a second job would take memory that a transcription on one thread needs. */
const wantedBytes = 1280 * mebibyte;
/** More memory gains nothing: threads are then limited by the cores of most machines. */
const mostBytes = 2048 * mebibyte;
/** A job can hardly start with less. */
const leastBytes = 256 * mebibyte;

/**
 * Divides a machine: one job per core as long as each can have 1280 MiB, and at least one. A given value is kept, and
 * the other follows from it.
 * @param restBytes memory used besides jobs
 */
export function shareOut(
  { cores, memoryBytes }: Machine,
  restBytes: number,
  { slots: givenSlots, jobMemoryBytes: givenBytes }: Partial<Sizing> = {},
): Sizing {
  const forJobs = Math.max(leastBytes, memoryBytes - restBytes);
  const slots = givenSlots ?? Math.max(1, Math.min(cores, Math.floor(forJobs / (givenBytes ?? wantedBytes))));
  const share = Math.floor(forJobs / slots / mebibyte) * mebibyte;
  return { slots, jobMemoryBytes: givenBytes ?? Math.max(leastBytes, Math.min(mostBytes, share)) };
}
