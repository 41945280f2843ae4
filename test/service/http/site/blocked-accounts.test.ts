// An account that the operator has blocked: what its keys, sessions and links get, and what becomes of its jobs.
import { beforeAll, expect, it } from 'vitest';
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
    media: workWithOwnRuns(temporaryFolder('earshot-blocked-'), async (request, real) => {
      if (request.tool !== 'adjust_loudness') return real.run(request);
      // Until it is cancelled.
      return new Promise((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error)),
      );
    }),
  });
});

it('is refused in every door and told why; its jobs are cancelled, and credits and files stay', slow, async () => {
  const { account, key } = await service.account(100);
  const { token } = await service.operator.createSession(account.id, 3600);
  const bearer = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const cookie = `${plainSessionCookie}=${token}`;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  const api = async (path: string, init: RequestInit = {}): Promise<any> =>
    (await fetch(`${service.base}/api/v1/${path}`, { ...init, headers: bearer })).json();
  const page = (path: string, language = 'en'): Promise<Response> =>
    fetch(service.base + path, { headers: { cookie, accept: 'text/html', 'accept-language': language } });

  const bytes = new Uint8Array(await tone(2).arrayBuffer());
  const wanted = JSON.stringify({ filename: 'a.wav', sizeBytes: bytes.length, contentType: 'audio/wav' });
  const { file, upload } = await api('files', { method: 'POST', body: wanted });
  await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: bytes });
  await api(`files/${file.id}?wait=30`);
  const order = { tool: 'adjust_loudness', file_id: file.id };
  const jobs: string[] = [];
  for (const idempotency_key of ['one-of-two', 'two-of-two'])
    jobs.push((await api('jobs', { method: 'POST', body: JSON.stringify({ ...order, idempotency_key }) })).id);
  const states = async (): Promise<readonly unknown[]> =>
    Promise.all(jobs.map(async (id) => (await service.stores.jobs.get(id))?.status));
  await expect.poll(states, { timeout: 30_000 }).toContain('running');
  expect((await service.operator.account(account.id)).reserved).toBeGreaterThan(0);

  const { edits } = service.stores;
  await edits.save({
    fileId: file.id,
    accountId: account.id,
    transcriptFileId: null,
    state: {},
    history: null,
    version: 0,
  });
  const { url: shared } = await service.service.shares.add(account, file.id, {
    title: 'a.wav',
    language: 'en',
    seconds: 2,
    soundFileId: null,
    days: 7,
    sentences: [{ at: 0, source: 0, who: null, text: 'A tone.' }],
  });
  expect((await fetch(shared)).status).toBe(200);

  await service.operator.block(account.id, 'Your last payment was disputed');
  await expect.poll(states, { timeout: 30_000 }).toEqual(['cancelled', 'cancelled']);
  expect(await service.operator.account(account.id)).toMatchObject({ reserved: 0, balance: 100 });
  const refused = await api('jobs', {
    method: 'POST',
    body: JSON.stringify({ ...order, idempotency_key: 'three-now' }),
  });
  expect(refused.error).toMatchObject({
    code: 'forbidden',
    message: 'The operator of this service has blocked this account: Your last payment was disputed',
  });
  for (const path of ['/api/v1/files', '/mcp', '/v1/models'])
    expect([path, (await fetch(service.base + path, { headers: bearer })).status]).toEqual([path, 403]);
  expect((await fetch(shared)).status).toBe(404);
  const own = await page('/files', 'de');
  expect(own.status).toBe(403);
  expect(await own.text()).toMatch(
    /Betreiber dieses Dienstes hat dieses Konto gesperrt[^]*“Your last payment was disputed”/,
  );
  // The editor, too, says so instead of asking to sign in.
  const edit = await page(`/edit/${file.id}`);
  expect([edit.status, await edit.text()]).toEqual([403, expect.stringContaining('Your last payment was disputed')]);
  const front = await page('/');
  expect([front.status, (await front.text()).includes('Sign in')]).toEqual([200, true]);
  expect((await page('/imprint')).status).toBe(200);

  await service.operator.unblock(account.id);
  expect((await api('files')).data).toHaveLength(1);
  expect((await page('/files')).status).toBe(200);
  expect((await fetch(shared)).status).toBe(200);
});

it('cannot be blocked for a reason of no words', async () => {
  const { account } = await service.account(0);
  await expect(service.operator.block(account.id, ' ')).rejects.toMatchObject({ code: 'bad_request' });
  await expect(service.operator.block('acc_none', null)).rejects.toMatchObject({ code: 'not_found' });
});
