// How many jobs a machine runs at the same time, and what each may take: so that all of them fit.

/** What a machine has for jobs. */
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
/**
 * The service without jobs: launcher, API, worker, database, warm processes, checks of uploads; measured in
 * docs/operating.md.
 */
export const serviceRestBytes = 640 * mebibyte;
/** What a library's own process has beside the jobs that it starts. */
export const libraryRestBytes = 256 * mebibyte;
/** With less, a second job would take from the first what a transcription on one thread needs. */
const wantedBytes = 1280 * mebibyte;
/** More gains nothing: threads are then bounded by the cores that most machines have. */
const mostBytes = 2048 * mebibyte;
/** A job with less can hardly start. */
const leastBytes = 256 * mebibyte;

/**
 * Resident memory of a default run on one thread, in bytes, for a recording of any length: the largest of docs/operating.md's
 * table, and a fifth. A job with less fails with `limit_exceeded`.
 */
export const leastJobBytes = {
  withoutNetworks: 256 * mebibyte,
  noise: 512 * mebibyte,
  speech: 800 * mebibyte,
} as const;

/**
 * Shares a machine out: as many jobs as there are cores, as far as each can have 1280 MiB; at least one. What is given
 * stays as it is, and the other follows from it.
 * @param restBytes what is used beside jobs
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
