import { isFinal, type LegacyStatus } from './legacy-job-use-cases.ts';
import type { Changes } from '../shared/wait-for.ts';
import { createWatch, type Watch } from '../shared/watch.ts';
import { isBehind, sameStatus } from './status.ts';

const gone: LegacyStatus = { state: 'failed', reason: 'The job was deleted' };

/** @param load null: the job was deleted */
export const createStatusWatch = (
  changes: Changes,
  load: (id: string) => Promise<LegacyStatus | null>,
): Watch<LegacyStatus> =>
  createWatch(changes, { load: async (id) => (await load(id)) ?? gone, isSame: sameStatus, isBehind, isFinal });
