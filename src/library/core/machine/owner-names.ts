import { hostMark } from './host-mark.ts';
import { startMark } from './start-mark.ts';

// Folders are named after the process that uses them, so that a later one can tell when it has ended.

const ownHost = hostMark();

/** The begin of a folder's name: the kind, this machine, this process and its start. For `mkdtemp`. */
export const ownerPrefix = (kind: string): string =>
  `${kind}-${ownHost}-${process.pid}-${startMark(process.pid) ?? 'unknown'}-`;

export interface Owner {
  readonly pid: number;
  /** null: a process of another machine, or of this one under another name. */
  readonly running: boolean | null;
}

/**
 * The process that a folder is named after; null: the name is not of this kind. A process that got the id of an ended
 * one is not taken for it, unless an older version made the folder, without the start.
 */
export function ownerOf(name: string, kind: string): Owner | null {
  const match = /^(.+?)-([0-9a-f]{8})-(\d+)(?:-(\w+))?-\w+$/.exec(name);
  if (match === null || match[1] !== kind) return null;
  const pid = Number(match[3]);
  if (match[2] !== ownHost) return { pid, running: null };
  const mark = startMark(pid);
  return { pid, running: mark !== null && (match[4] === undefined || match[4] === mark) };
}
