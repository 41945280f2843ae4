import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { makeRunnerToken } from '../accounts/access.ts';
import { newId } from '../shared/ids.ts';
import type { Runner, RunnerStore } from './runner-store.ts';

/** The operator's commands for runners. */
export interface RunnerTokens {
  /** The token is returned only here. */
  addRunner(name: string): Promise<{ readonly runner: Runner; readonly token: string }>;
  /** Newest first, with removed ones. */
  listRunners(): Promise<readonly Runner[]>;
  /** By id, name or prefix. Its token is refused from the next request on. @throws EarshotError not_found, conflict */
  removeRunner(named: string): Promise<Runner>;
}

export const createRunnerTokens = (runners: RunnerStore): RunnerTokens => ({
  async addRunner(name) {
    if (name.trim() === '' || name.length > 200) throw badValue('name', 'name of 1 to 200 characters', name);
    const { token, prefix, hash } = makeRunnerToken();
    return { runner: await runners.add({ id: newId('run'), name: name.trim(), prefix, hash }), token };
  },
  listRunners: () => runners.list(),
  async removeRunner(named) {
    const removed = await runners.revoke(named);
    if (removed !== null) return removed;
    throw new EarshotError('not_found', `There is no runner ${named} that has a token`, {
      nextAction: 'List them: earshot runners list.',
    });
  },
});
