// A runner whose machine lacks something: it pauses, says so when it asks, and tries itself before it takes more.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { RunnerClient } from '../../../src/service/adapters/runner/runner-client.ts';
import {
  RunnerLoop,
  type RunnerLimits,
  type RunnerLoopDeps,
} from '../../../src/service/adapters/runner/runner-loop.ts';
import type { RunnerOrder } from '../../../src/service/rules/runners/order.ts';
import { Fitness } from '../../../src/service/rules/worker/fitness.ts';
import { quietLog } from '../../fixtures/service/database.ts';
import { until } from '../../fixtures/until.ts';

const order: RunnerOrder = {
  token: 'a job',
  tool: 'remove_noise',
  options: {},
  windowSeconds: null,
  writes: null,
  inputs: [],
  maxOutputBytes: 1,
  outputBytes: 1,
  maxSeconds: 60,
  leaseSeconds: 30,
  alone: false,
  owner: null,
};

/** A runner with a full disk, at a service that has a job for each question that takes one. */
function runner(fitness: Fitness, limits?: RunnerLimits, answers: Partial<RunnerClient> = {}) {
  const asked: { readonly unfit: unknown; readonly takesJobs: unknown }[] = [];
  const ends: unknown[] = [];
  const client = {
    ask: async (_token: string, { unfit, takesJobs }: { unfit?: unknown; takesJobs?: unknown }) => {
      asked.push({ unfit, takesJobs });
      await sleep(5);
      return takesJobs === true ? order : null;
    },
    end: async (_token: string, why: unknown) => {
      ends.push(why);
      return true;
    },
    leave: async () => undefined,
    ...answers,
  };
  const deps = {
    client: client as unknown as RunnerClient,
    disk: { reserve: () => Promise.resolve(null), hasRoom: () => Promise.resolve(false) },
    folders: { make: () => Promise.resolve('/nowhere/run'), remove: () => Promise.resolve() },
    log: quietLog,
    token: 'svc_rt_1',
    machine: { version: '1', build: 'b', models: [], labels: [], slots: 1 },
    load: () => 0,
    fitness,
    ...(limits === undefined ? {} : { limits }),
  } as unknown as RunnerLoopDeps;
  return { loop: new RunnerLoop(deps), asked, ends };
}

it('hands a job back, asks without taking any while it pauses, and tries itself before the next', async () => {
  let now = 0;
  let lacks: string | null = null;
  const { loop, asked, ends } = runner(new Fitness({ probe: async () => lacks, now: () => now }));
  const running = loop.run();
  await until('it pauses', () => asked.some(({ takesJobs }) => takesJobs === false));
  expect([asked[0], [...new Set(ends)]]).toEqual([{ unfit: null, takesJobs: true }, ['unfit']]);
  const before = ends.length;
  expect(asked.at(-1)).toEqual({ unfit: 'disk', takesJobs: false });
  lacks = 'process';
  now += 60_000;
  await until('the probe says what it lacks now', () => asked.at(-1)?.unfit === 'process');
  lacks = null;
  now += 120_000;
  await until('it takes one', () => ends.length > before);
  loop.stop(0);
  await running;
});

it('ends when it could run none of five in a row', async () => {
  let now = 0;
  const { loop, asked } = runner(new Fitness({ now: () => (now += 60_000) }));
  await expect(loop.run()).rejects.toMatchObject({ message: expect.stringContaining('it lacks disk') as string });
  expect(asked.length).toBeGreaterThan(4);
});

const fit = (): Fitness => new Fitness({ probe: async () => null });

it('ends after so many jobs, and asks for no more', async () => {
  const { loop, asked, ends } = runner(fit(), { maxJobs: 1, idleSeconds: null });
  await loop.run();
  expect([asked.length, ends.length]).toEqual([1, 1]);
});

it('ends at once where nothing waits, asking without a wait, or after its time', async () => {
  const waits: number[] = [];
  const ask = async (_token: string, { waitSeconds }: { readonly waitSeconds: number }) => {
    waits.push(waitSeconds);
    await sleep(waitSeconds * 1000);
    return null;
  };
  await runner(fit(), { maxJobs: 1, idleSeconds: 0 }, { ask }).loop.run();
  expect(waits).toEqual([0]);
  const from = performance.now();
  await runner(fit(), { maxJobs: null, idleSeconds: 0.2 }, { ask }).loop.run();
  expect(performance.now() - from).toBeGreaterThanOrEqual(190);
});

it('asks over HTTP for what is left of its time, which is no whole number', async () => {
  const waits: number[] = [];
  const server = createServer(async (request, answer) => {
    const { waitSeconds } = (await json(request)) as { readonly waitSeconds: number };
    waits.push(waitSeconds);
    await sleep(waitSeconds * 1000);
    answer.setHeader('content-type', 'application/json').end('{"job":null}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const client = new RunnerClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const ask: RunnerClient['ask'] = (token, asked) => client.ask(token, asked);
  await runner(fit(), { maxJobs: null, idleSeconds: 0.5 }, { ask }).loop.run();
  expect(waits[0]).toBeGreaterThan(0);
  expect(waits[0]).toBeLessThan(0.5);
});

it('of a service that gives no answer it says so after its time, so that the engine tries again', async () => {
  const ask = (): Promise<never> => Promise.reject(new TypeError('fetch failed'));
  await expect(runner(fit(), { maxJobs: 1, idleSeconds: 0 }, { ask }).loop.run()).rejects.toMatchObject({
    message: 'The service gave no answer',
    retryable: true,
  });
});
