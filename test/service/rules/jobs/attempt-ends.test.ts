import { expect, test } from 'vitest';
import { attemptBudgets, startsUsedUp } from '../../../../src/service/rules/jobs/attempt-ends.ts';

test('a file that crashes its process costs as many processes as a job has attempts, and no more', () => {
  let crashes = 0;
  while (startsUsedUp(crashes, {}, 3) === null) crashes += 1;
  expect(crashes).toBe(3);
  expect(startsUsedUp(crashes, {}, 3)).toContain('crashed 3 times');
});

test('lost workers and cut cables have budgets of their own', () => {
  for (const reason of ['leaseLost', 'workerGone'] as const) {
    expect(startsUsedUp(2, { [reason]: attemptBudgets[reason] - 1 }, 3)).toBeNull();
    expect(startsUsedUp(0, { [reason]: attemptBudgets[reason] }, 3)).toContain('10 times');
  }
  expect(startsUsedUp(2, { leaseLost: 9, workerGone: 9 }, 3)).toBeNull();
});
