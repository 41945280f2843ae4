import { constants } from 'node:os';

/**
 * What a machine lacks so that work failed on it, which says nothing about the work: room on a disk, a part of the
 * installation, a process for the job; 'tool': something that only some work needs, such as a model.
 */
export type MachineLack = 'disk' | 'installation' | 'process' | 'tool';

const mark = 'machineLacks';

/** For the details of an error. */
export const lacking = (what: MachineLack): { readonly [mark]: MachineLack } => ({ [mark]: what });

/** EFBIG is the limit of one job, not of the machine. */
const fullDisk = ['ENOSPC', 'EDQUOT'] as const;
const fullDiskNumbers: readonly (number | undefined)[] = fullDisk.map((code) => constants.errno[code]);
export const isFullDiskCode = (code: unknown): boolean => fullDisk.some((one) => one === code);

/** @returns null: the error is the work's own, as far as known */
export function machineLacks({
  code,
  details,
}: {
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}): MachineLack | null {
  const said = details?.[mark];
  if (said === 'disk' || said === 'installation' || said === 'process') return said;
  const { ffmpegCode, systemCode } = details ?? {};
  if (details?.['diskFull'] === true || isFullDiskCode(systemCode)) return 'disk';
  // FFmpeg passes the system's numbers on.
  if (typeof ffmpegCode === 'number' && fullDiskNumbers.includes(-ffmpegCode)) return 'disk';
  return code === 'tool_unavailable' ? 'tool' : null;
}
