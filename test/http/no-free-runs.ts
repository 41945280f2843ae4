// A free API that has uses left and no run.
import { EarshotError } from '../../src/core/errors.ts';
import type { FreeRuns } from '../../src/service/free-run-cases.ts';

const notHere = (): never => {
  throw new EarshotError('not_found', 'This service has no such run');
};

export const noFreeRuns: FreeRuns = {
  visitor: (account, address) => ({ account, subject: account?.id ?? address }),
  allowance: async (_visitor, tool) => ({ tool, dailyUses: 3, usesLeft: 3, resetsAt: new Date(Date.now() + 60_000) }),
  admit: async () => notHere(),
  follow: async () => notHere(),
  byStatusLink: async () => notHere(),
  byFinishLink: async () => notHere(),
  open: async () => notHere(),
};
