// @module-tag slow
import { expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { createHost, type Host } from '../host.ts';

const databases = useDatabases();

it('a job outlasts a store that is away: no attempt is counted, and outputs wait for it', async () => {
  await using host = await createHost(await databases.freshStores(), { EARSHOT_JOB_ATTEMPTS: '1' });
  const account = await host.account(100);
  const file = await host.file(account);
  const away = { checkOut: 4, adopt: 2 };
  const outage = (call: keyof typeof away) => {
    if (away[call] === 0) return;
    away[call] -= 1;
    throw new EarshotError('internal_error', 'The object store does not answer', { details: { outage: true } });
  };
  const objects: Host['objects'] = {
    ...host.objects,
    async checkOut(...given) {
      outage('checkOut');
      return await host.objects.checkOut(...given);
    },
    async adopt(...given) {
      outage('adopt');
      return await host.objects.adopt(...given);
    },
  };
  // More outages than starts.
  const job = await host.job(account, file, ['succeed']);
  const worker = host.makeWorker({ objects });
  await worker.start();
  expect(await host.ended(job.id)).toMatchObject({ status: 'succeeded', attempt: 5 });
  await worker.stop();
  expect([away, host.media.requests.length]).toEqual([{ checkOut: 0, adopt: 0 }, 1]);
  await host.expectExact(account, 100);
});
