import { setTimeout as sleep } from 'node:timers/promises';

/** Looks every 5 ms. @throws Error when it has not come about after `ms` */
export async function until(condition: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${ms} ms`);
    await sleep(5);
  }
}
