import { expect, test } from 'vitest';
import type { Claim } from '../../../../src/service/adapters/queue/leases.ts';
import { openSlots } from '../../../../src/service/adapters/queue/slots.ts';
import { createGate, until } from '../../../fixtures/until.ts';

test('a task gives its slot to the next one; at most as many end without one as there are', async () => {
  const waiting = ['a', 'b', 'c', 'd'].map((task): Claim => ({
    id: task,
    kind: 'job',
    task,
    retryCount: 0,
    heartbeatSeconds: null,
    jobClass: 'paid',
  }));
  const begun: string[] = [];
  const gates = new Map(['a', 'b', 'c', 'd'].map((task) => [task, createGate()]));
  const slots = openSlots({
    kind: 'job',
    slots: 1,
    mayTake: () => true,
    claim: (most) => Promise.resolve(waiting.splice(0, most)),
    async run({ task }, free) {
      begun.push(task);
      free();
      // A second time changes nothing.
      free();
      await gates.get(task)?.opened;
    },
    onError: (thrown) => expect.unreachable(String(thrown)),
  });
  slots.poll();
  await until('the second one runs', () => begun.length === 2);
  // It could not give its slot away: the first one ends without one.
  expect([begun, slots.running]).toEqual([['a', 'b'], 1]);
  gates.get('a')?.open();
  gates.get('b')?.open();
  await until('the next two run', () => begun.length === 4);
  let isDrained = false;
  const drained = slots.drained().then(() => (isDrained = true));
  gates.get('d')?.open();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isDrained).toBe(false);
  gates.get('c')?.open();
  await drained;
});
