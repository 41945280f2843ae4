// Finished parts of runs on their way between a caller and a job process: with the version that made them.
import type { FinishedPart } from '../../core/progress/finished-parts.ts';
import { packageVersion } from '../../core/start/package-version.ts';
import type { RunOptions } from './engine-types.ts';
import type { JobListeners } from './run-job.ts';
import type { ProcessRequest } from '../channel/protocol.ts';

let version: string | undefined;
const prefix = (): string => `${(version ??= packageVersion())} `;

/** null: the caller neither has finished parts nor wants them. Those of another version are left out. */
export function keptParts({
  finishedParts,
  onFinishedPart,
}: Pick<RunOptions, 'finishedParts' | 'onFinishedPart'>): ProcessRequest['finishedParts'] {
  if (finishedParts === undefined && onFinishedPart === undefined) return null;
  return (finishedParts ?? [])
    .filter(({ key }) => key.startsWith(prefix()))
    .map(({ key, value }) => ({ key: key.slice(prefix().length), value }));
}

export const handOver =
  ({ onFinishedPart }: Pick<RunOptions, 'onFinishedPart'>): JobListeners['onFinishedPart'] =>
  ({ key, value }: FinishedPart) =>
    onFinishedPart?.({ key: `${prefix()}${key}`, value });
