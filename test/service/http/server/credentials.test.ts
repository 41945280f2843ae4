// What asking for a key costs, and who may read the metrics.
import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { account, fakeService, useApps } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const start = useApps();

describe('wrong keys', () => {
  it('are looked up as often as an address may ask, then refused before; a key that was right goes on', async () => {
    const lookups: string[] = [];
    const good = 'svc_sk_good';
    const byBearer = (token: string): Promise<typeof account> => {
      lookups.push(token);
      return token === good
        ? Promise.resolve(account)
        : Promise.reject(new EarshotError('unauthorized', 'This API key does not exist'));
    };
    const { base } = await start(
      { access: { ...fakeService().access, byBearer } },
      { config: { rateLimitAddress: '5', rateLimitAccount: '8' } },
    );
    const ask = async (token: string): Promise<number> =>
      (await fetch(`${base}/api/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask(good)).toBe(200);
    for (let n = 0; n < 10; n += 1) await ask(`svc_sk_wrong${n}`);
    expect(lookups).toHaveLength(1 + 5);
    expect(await ask('svc_sk_another')).toBe(429);
    expect(await ask(good)).toBe(200);
    for (let n = 0; n < 10; n += 1) await ask(good);
    expect(lookups.filter((token) => token === good)).toHaveLength(8);
    expect(await ask(good)).toBe(429);
  });
});

describe('metrics', () => {
  it('are nowhere unless a token is set, and then for whoever has it', slow, async () => {
    const without = await start({}, { config: { metricsToken: '' } });
    expect((await fetch(`${without.base}/metrics`)).status).toBe(404);
    const { base } = await start({}, { config: { metricsToken: 'a secret' } });
    const read = async (authorization?: string): Promise<Response> =>
      fetch(`${base}/metrics`, authorization === undefined ? {} : { headers: { authorization } });
    for (const wrong of [undefined, 'Bearer a', 'Bearer a secret!', 'a secret', 'Basic a secret'])
      expect((await read(wrong)).status, wrong).toBe(401);
    expect(await (await read('Bearer a secret')).text()).toContain('earshot_process_cpu_seconds_total');
  });
});
