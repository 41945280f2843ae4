import { expect, test } from 'vitest';
import { classOf, firstClass, type JobClass, nextPick } from '../../../../src/service/rules/fleet/job-classes.ts';

test('what nobody pays for is free: free uses of accounts, and all that visitors start', () => {
  expect(classOf({ accountId: 'acc_1', free: false })).toBe('paid');
  expect(classOf({ accountId: 'acc_1', free: true })).toBe('free');
  expect(classOf({ accountId: null, free: false })).toBe('free');
});

test('paid jobs go first, and one start in four is a free one', () => {
  const starts = Array.from({ length: 12 }, (_, index) => firstClass(index));
  expect(starts.filter((each) => each === 'free')).toHaveLength(3);
  expect(starts.slice(0, 4)).toEqual(['paid', 'paid', 'paid', 'free']);
});

test('slots that are kept for one class stay free of the other, and at least one is for all', () => {
  const only = (paidSlots: number, freeSlots: number, paid: number, free: number): JobClass | null =>
    nextPick({ slots: 4, paidSlots, freeSlots }, { paid, free }, 0).only;
  expect([only(1, 0, 0, 2), only(1, 0, 0, 3), only(1, 0, 1, 2)]).toEqual([null, 'paid', null]);
  expect([only(0, 1, 2, 0), only(0, 1, 3, 0), only(0, 1, 2, 1)]).toEqual([null, 'free', null]);
  // More than there are: one is for all.
  expect(nextPick({ slots: 2, paidSlots: 9 }, { paid: 0, free: 0 }, 0)).toEqual({ most: 1, only: null, first: 'paid' });
  expect(nextPick({ slots: 1, paidSlots: 1, freeSlots: 1 }, { paid: 0, free: 0 }, 0)).toMatchObject({ only: null });
  // A paid job may take any of two slots, of which a free one may take only one.
  expect(nextPick({ slots: 2, paidSlots: 1 }, { paid: 1, free: 0 }, 0)).toMatchObject({ most: 1, only: null });
});
