// @module-tag slower
// Dozens of visitors at once: every use is given once, and every refusal is one.
import { beforeAll, expect, it } from 'vitest';
import { rounds } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia, named } from './fake-media.ts';
import { tryTool, type TryAnswer } from './support.ts';

const services = useServices();
let service: TestService;
const people = Array.from({ length: rounds(40, 100) }, (_, index) => `198.18.0.${index + 1}`);

beforeAll(async () => {
  service = await services.start({
    media: createFakeMedia(),
    config: { trustProxy: 'true', jobSlots: '8', freeWaitSeconds: '100' },
  });
});

interface Timed extends TryAnswer {
  readonly ms: number;
}

let files = 0;

async function ask(from: string): Promise<Timed> {
  const startedAt = performance.now();
  // Each file is another: one that is sent again would be the one that waits already.
  const file = named('20s.wav', 1000 + (files += 1));
  const answer = await tryTool(service, 'loudness', [['file', file]], { from });
  return { ...answer, ms: performance.now() - startedAt };
}

/** Everybody at once, each one request after the other. */
const everybody = async (times: number): Promise<Timed[]> =>
  (
    await Promise.all(
      people.map(async (from) => {
        const answers: Timed[] = [];
        for (let count = 0; count < times; count += 1) answers.push(await ask(from));
        return answers;
      }),
    )
  ).flat();

it('gets what it may, and is refused what it may not, exactly', async () => {
  const uses = await everybody(3);
  expect(uses.filter(({ status }) => status === 200)).toHaveLength(3 * people.length);
  const waiting = await everybody(3);
  expect(waiting.filter(({ json }) => json?.error?.details?.finishUrl !== undefined)).toHaveLength(3 * people.length);
  const refusals = await everybody(1);
  expect(new Set(refusals.map(({ status, json }) => `${status} ${json.error.code}`))).toEqual(
    new Set(['429 free_limit_reached']),
  );
  const { rows } = await service.stores.database.kysely.executeQuery<{ taken: number }>(
    service.stores.database.kysely.selectFrom('free_uses').select('taken').compile(),
  );
  expect(rows).toHaveLength(people.length);
  expect(new Set(rows.map(({ taken }) => taken))).toEqual(new Set([3]));
  const sorted = refusals.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(
    `${sorted.length} refusals at once: median ${median?.toFixed(0)} ms, slowest ${sorted.at(-1)?.toFixed(0)} ms`,
  );
  // How long the service may take is bench:free's: here a crowd of clients shares its process.
});
