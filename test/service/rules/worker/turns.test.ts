import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTurns } from '../../../../src/service/rules/worker/turns.ts';

const never = new AbortController().signal;

it('lets jobs run beside each other, and one that runs alone beside none, in the order of arrival', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const take = async (name: string, alone: boolean): Promise<() => void> => {
    const end = await turns.take(alone, never);
    order.push(name);
    return end;
  };
  const [a, b] = [await take('a', false), await take('b', false)];
  const suspect = take('suspect', true);
  const later = take('later', false);
  await Promise.resolve();
  a();
  await Promise.resolve();
  expect(order).toEqual(['a', 'b']);
  b();
  const endSuspect = await suspect;
  expect(order).toEqual(['a', 'b', 'suspect']);
  endSuspect();
  (await later)();
  expect(order).toEqual(['a', 'b', 'suspect', 'later']);
});

it('leaves the line when its signal fires, and lets those behind go', async () => {
  const turns = createTurns();
  const endFirst = await turns.take(false, never);
  const shutdown = new AbortController();
  const suspect = turns.take(true, shutdown.signal);
  const behind = turns.take(false, never);
  shutdown.abort();
  await expect(suspect).rejects.toMatchObject({ name: 'AbortError' });
  (await behind)();
  endFirst();
  await expect(turns.take(true, shutdown.signal)).rejects.toMatchObject({ name: 'AbortError' });
  (await turns.take(true, never))();
});

it('never lets anything run beside one that runs alone, whatever comes and goes', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ alone: fc.boolean(), leaves: fc.boolean(), turns: fc.nat(5) }), { maxLength: 30 }),
      async (jobs) => {
        const turns = createTurns();
        const running: boolean[] = [];
        let done = 0;
        await Promise.all(
          jobs.map(async ({ alone, leaves, turns: rounds }) => {
            const shutdown = new AbortController();
            const taken = turns.take(alone, shutdown.signal);
            if (leaves) shutdown.abort();
            const end = await taken.catch(() => null);
            if (end !== null) {
              running.push(alone);
              if (running.includes(true)) expect(running).toHaveLength(1);
              for (let round = 0; round < rounds; round += 1) await Promise.resolve();
              running.splice(running.indexOf(alone), 1);
              end();
            }
            done += 1;
          }),
        );
        expect(done).toBe(jobs.length);
      },
    ),
  ));
