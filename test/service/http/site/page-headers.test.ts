// What pages tell browsers about themselves, and what the sign-in page says where there are no passkeys.
import { describe, expect, it } from 'vitest';
import { useApps, useSharedApp } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const shared = useSharedApp();
const start = useApps();
const asBrowser = { accept: 'text/html', authorization: '' };

describe('Strict-Transport-Security', () => {
  it('comes under https only: by the trusted proxy, or by the public address', slow, async () => {
    const header = async (config: object, headers = {}): Promise<unknown> => {
      const { app } = await start({}, { config });
      const { headers: got } = await app.inject({ url: '/api/v1/tools', headers });
      return got['strict-transport-security'];
    };
    const overHttps = { 'x-forwarded-proto': 'https' };
    expect(await header({ trustProxy: 'true' }, overHttps)).toBe('max-age=31536000');
    expect(await header({ baseUrl: 'https://audio.example.org' })).toBe('max-age=31536000');
    expect(await header({ trustProxy: 'true' })).toBeUndefined();
    // Anybody may say so.
    expect(await header({}, overHttps)).toBeUndefined();
  });
});

describe('Cross-Origin-Opener-Policy', () => {
  it('keeps windows of other sites from pages and errors, but not on the way to consent', async () => {
    const { app } = await shared();
    const policyOf = async (url: string) =>
      (await app.inject({ url, headers: asBrowser })).headers['cross-origin-opener-policy'];
    for (const page of ['/', '/sign-in', '/nowhere', '/finish/unknown', '/sign-in?next=/files'])
      expect([page, await policyOf(page)]).toEqual([page, 'same-origin']);
    expect(await policyOf('/sign-in?next=%2Fconnect%2Fquestion')).toBeUndefined();
  });
});

describe('the sign-in page', () => {
  it('says where a passkey needs a host name, with the address that has one', async () => {
    const { app } = await shared();
    const page = async (host: string, language = 'en') =>
      (await app.inject({ url: '/sign-in?next=/keys', headers: { ...asBrowser, host, 'accept-language': language } }))
        .body;
    const there = await page('127.0.0.1:3000');
    expect(there).toContain('Passkeys need a host name over https, or localhost. This page is at 127.0.0.1:3000.');
    expect(there).toContain('href="http://localhost:3000/sign-in?next=/keys"');
    expect(there).not.toContain('did not answer');
    expect(await page('127.0.0.1:3000', 'de')).toContain('Passkeys brauchen einen Namen');
    const named = await page('localhost:3000');
    expect(named).toContain('data-passkey=');
    expect(named).not.toContain('need a host name');
    // A name, but not over https: there is none to lead to.
    expect(await page('audio.example.org')).toContain('need a host name');
  });
});
