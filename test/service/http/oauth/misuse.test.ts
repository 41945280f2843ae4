// What a program that nobody has let in, and one that has lost an answer, cannot do.
import { beforeAll, describe, expect, it } from 'vitest';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { asking, connected, desktop, newBrowser, person, refresh, register } from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let service: TestService;
let base = '';

beforeAll(async () => {
  service = await services.start({ worker: false, config: { trustProxy: 'true' } });
  base = service.base;
});

describe('a program', () => {
  it('cannot use our address to send people on who are not signed in, nor those who are', async () => {
    const { ann } = await person(service);
    const redirect_uri = 'https://evil.test/landing';
    const { json: client } = await register(service, { ...desktop, redirect_uris: [redirect_uri] });
    for (const browser of [newBrowser(service), ann])
      for (const changes of [
        { response_type: 'token' },
        { code_challenge: null },
        { code_challenge_method: 'plain' },
        { resource: 'https://elsewhere.test/' },
      ] as const) {
        const { status, to } = await browser.get(asking(client.client_id, base, { redirect_uri, ...changes }).path);
        expect([changes, status, to]).toEqual([changes, 400, null]);
      }
    // Going on without an answer asks again, at our own page.
    const stranger = newBrowser(service);
    const { to } = await stranger.get(asking(client.client_id, base, { redirect_uri }).path);
    const question = (to ?? '').split('/').at(-1) ?? '';
    expect((await stranger.get(`/oauth/authorize/${question}`)).to ?? '').not.toContain('evil.test');
  });

  it('that sends a token thirty times at once gets one successor', slow, async () => {
    const { ann } = await person(service);
    const { tokens, clientId } = await connected(service, ann);
    const count = async (): Promise<unknown> => {
      const { rows } = await service.stores.database.query(
        "select count(*)::int as n from program_records where kind = 'RefreshToken'",
      );
      return rows[0]?.['n'];
    };
    const before = Number(await count());
    const all = await Promise.all(Array.from({ length: 30 }, () => refresh(base, clientId, tokens.refresh_token)));
    expect(all.map(({ status }) => status)).toEqual(Array(30).fill(200));
    const successors = new Set(all.map(({ json }) => json.refresh_token));
    expect(successors.size).toBe(1);
    expect(await count()).toBe(before + 1);
    // The chain goes on, and each link of it is new.
    const third = await refresh(base, clientId, [...successors][0]);
    expect(third.status).toBe(200);
    expect([...successors, tokens.refresh_token]).not.toContain(third.json.refresh_token);
  });
});
