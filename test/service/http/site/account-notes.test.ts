// What the website keeps with an account instead of in one browser.
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccountNotes } from '../../../../src/service/rules/accounts/account-notes.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { plainSessionCookie } from '../../../../src/service/http/interface/session-cookie.ts';

const services = useServices();
let service: TestService;
beforeAll(async () => {
  service = await services.start({ worker: false });
});

async function person() {
  const { account } = await service.account(100);
  const { token } = await service.operator.createSession(account.id, 3600);
  const headers = { cookie: `${plainSessionCookie}=${token}`, origin: service.base, accept: 'application/json' };
  const send = (method: string, path: string, value?: object): Promise<Response> =>
    fetch(`${service.base}/notes/${path}`, {
      method,
      headers: value === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(value === undefined ? {} : { body: JSON.stringify({ value }) }),
    });
  const names = async (kind: string): Promise<readonly string[]> =>
    ((await (await send('GET', kind)).json()) as { notes: { name: string }[] }).notes.map(({ name }) => name);
  return { account, send, names };
}

describe('notes of an account', () => {
  it('are there for all of its browsers, newest first, and for no other account', async () => {
    const [ann, ben] = [await person(), await person()];
    for (const name of ['podcast/Monday', 'podcast/Ümläut & more', 'podcast/Monday'])
      expect((await ann.send('PUT', `preset/${encodeURIComponent(name)}`, { format: 'mp3' })).status).toBe(204);
    expect(await ann.names('preset')).toEqual(['podcast/Monday', 'podcast/Ümläut & more']);
    expect(await ben.names('preset')).toEqual([]);
    expect((await ben.send('DELETE', 'preset/podcast%2FMonday')).status).toBe(204);
    expect((await ann.send('DELETE', 'preset/podcast%2FMonday')).status).toBe(204);
    expect(await ann.names('preset')).toEqual(['podcast/Ümläut & more']);
  });

  it('are refused of other kinds, too large, without a session, and from other sites', async () => {
    const { send } = await person();
    expect((await send('PUT', 'secret/a', {})).status).toBe(404);
    expect((await send('PUT', 'order/a', { text: 'x'.repeat(60_000) })).status).toBe(400);
    expect((await fetch(`${service.base}/notes/preset`)).status).toBe(401);
    const { token } = await service.operator.createSession((await person()).account.id, 3600);
    const foreign = await fetch(`${service.base}/notes/buyer/receipts`, {
      method: 'PUT',
      headers: {
        cookie: `${plainSessionCookie}=${token}`,
        origin: 'https://evil.example',
        'content-type': 'application/json',
      },
      body: '{"value":{}}',
    });
    expect(foreign.status).toBe(403);
  });

  it('are bounded: the oldest goes, or one more is refused', async () => {
    const { account, names } = await person();
    const store = service.stores.accountNotes;
    const save = (name: string, dropsOldest: boolean) =>
      store.save(account.id, 'order', { name, value: {} }, { most: 3, dropsOldest });
    for (const name of ['a', 'b', 'c', 'a', 'd']) expect(await save(name, true)).toEqual({ tooMany: false });
    expect(await names('order')).toEqual(['d', 'a', 'c']);
    expect(await save('e', false)).toEqual({ tooMany: true });
    expect(await save('c', false)).toEqual({ tooMany: false });
    expect(await names('order')).toEqual(['c', 'd', 'a']);
    const full = createAccountNotes({ ...store, save: async () => ({ tooMany: true }) });
    await expect(full.save(account, 'preset', { name: 'own/more', value: {} })).rejects.toMatchObject({
      code: 'limit_exceeded',
    });
  });

  it('go with the account', async () => {
    const { account, send } = await person();
    await send('PUT', 'buyer/receipts', { text: 'Ann, 1 Street, DE123' });
    await service.stores.signIn.closeAccount(account.id, new Date());
    expect(await service.stores.accountNotes.list(account.id, 'buyer')).toEqual([]);
  });
});
