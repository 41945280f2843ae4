// The operator's page: who may see it, accounts that are looked for, jobs that failed, and the last day.
import { beforeAll, describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { plainSessionCookie } from '../../../../src/service/http/interface/session-cookie.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { workWithOwnRuns } from '../../../fixtures/service/own-runs.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { tone } from '../try/support.ts';

const services = useServices();
let service: TestService;
beforeAll(async () => {
  service = await services.start({
    media: workWithOwnRuns(temporaryFolder('earshot-operator-'), async (request, real) => {
      if (request.tool !== 'adjust_loudness') return real.run(request);
      throw new EarshotError('no_audio', 'There is <no> sound in it');
    }),
  });
});

async function person(isOperator: boolean) {
  const { account, key } = await service.account(100);
  if (isOperator) await service.stores.accounts.update(account.id, { operator: true, name: '50%_off <Ann>' });
  const { token } = await service.operator.createSession(account.id, 3600);
  const headers = { cookie: `${plainSessionCookie}=${token}`, accept: 'text/html' };
  return { id: account.id, key, get: (path: string) => fetch(service.base + path, { headers, redirect: 'manual' }) };
}

/** A job that fails. */
async function failedJob(key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const bytes = new Uint8Array(await tone(2).arrayBuffer());
  const wanted = JSON.stringify({ filename: 'a.wav', sizeBytes: bytes.length, contentType: 'audio/wav' });
  const made = await fetch(`${service.base}/api/v1/files`, { method: 'POST', headers, body: wanted });
  const { file, upload } = (await made.json()) as {
    file: { id: string };
    upload: { url: string; headers: Record<string, string> };
  };
  await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: bytes });
  await fetch(`${service.base}/api/v1/files/${file.id}?wait=30`, { headers });
  const order = JSON.stringify({ tool: 'adjust_loudness', file_id: file.id, idempotency_key: 'one' });
  const ordered = await fetch(`${service.base}/api/v1/jobs`, { method: 'POST', headers, body: order });
  const { id } = (await ordered.json()) as { id: string };
  const status = async (): Promise<unknown> =>
    ((await (await fetch(`${service.base}/api/v1/jobs/${id}`, { headers })).json()) as { status: string }).status;
  await expect.poll(status, { timeout: 60_000 }).toBe('failed');
  return id;
}

describe('the operator’s page', () => {
  it('is for operators alone, and finds accounts by name and id, not by patterns', slow, async () => {
    const [operator, other] = [await person(true), await person(false)];
    expect((await other.get('/operator')).status).toBe(403);
    const found = async (query: string): Promise<readonly boolean[]> => {
      const page = await (await operator.get(`/operator?q=${encodeURIComponent(query)}`)).text();
      return [operator, other].map(({ id }) => page.includes(`<code class="small soft">${id}</code>`));
    };
    expect(await found('')).toEqual([true, true]);
    expect(await found(other.id)).toEqual([false, true]);
    expect(await found('50%_OFF')).toEqual([true, false]);
    expect(await found('%')).toEqual([true, false]);
    expect(await (await operator.get('/operator')).text()).toContain('50%_off &lt;Ann>');
  });

  it('opens jobs that failed with their error, and draws the hour in which they were ordered', slow, async () => {
    const operator = await person(true);
    const job = await failedJob(operator.key);
    const page = await (await operator.get('/operator')).text();
    expect(page).toContain(`<code>${job}</code>`);
    expect(page).toContain('There is &lt;no> sound in it');
    const hours = await service.stores.load.hours(new Date());
    expect(hours).toHaveLength(24);
    expect(hours.reduce((sum, { failed }) => sum + failed, 0)).toBe(1);
    expect(page).toMatch(/1 ordered, 1 of them failed; at most 1 in an hour/);
    // 24 bars of orders, of failures, and of waits.
    expect(page.match(/class="bar(?: failed)?"/g)).toHaveLength(72);
  });
});
