// What a copied session cookie cannot do: changes of who may use an account need a sign-in of the last minutes.
import { expect, it } from 'vitest';
import type { PlainBrowser } from '../../../fixtures/browser/plain-browser.ts';
import { useMailService } from './mail-service.ts';

const mailing = useMailService();
const { browser, clock } = mailing;
const minutes = 60_000;

async function signedIn(): Promise<PlainBrowser> {
  clock.ms = 0;
  const ann = browser();
  const { token } = await mailing.service.operator.createSignInLink('ann@example.org', 60);
  await ann.send(`/sign-in/${token}`, {});
  return ann;
}

it('an old session changes no address, passkey or key, deletes nothing, and is led to a fresh sign-in', async () => {
  const ann = await signedIn();
  const { text } = await ann.get('/account');
  const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
  clock.ms = 16 * minutes;
  const before = mailing.post.mails.length;
  for (const [action, next, fields] of [
    ['/account/address', '/account', { email: 'thief@example.org' }],
    ['/account/passkeys/remove', '/account', { passkey: 'x' }],
    ['/account/delete', '/account', { confirmation: 'ann@example.org' }],
    ['/keys', '/keys', { name: 'thief' }],
  ] as const) {
    const answer = await ann.send(action, { form, ...fields });
    expect([action, answer.status, answer.to]).toEqual([
      action,
      303,
      `/sign-in?again=1&next=${encodeURIComponent(next)}`,
    ]);
  }
  for (const action of ['/account/passkeys/options', '/account/passkeys'])
    expect((await ann.send(action, { form })).status).toBe(403);
  expect(mailing.post.mails).toHaveLength(before);
  const account = await mailing.service.stores.signIn.accountByEmail('ann@example.org');
  expect(await mailing.service.operator.listKeys(account?.id ?? '')).toHaveLength(0);
  // The pages say so before anything is typed.
  for (const path of ['/account', '/keys']) {
    const page = await ann.get(path);
    expect(page.text).toContain(`href="/sign-in?again=1&amp;next=${encodeURIComponent(path)}"`);
    expect(page.text).not.toMatch(/name="email"|name="name"|action="\/account\/delete"/);
  }
});

it('a fresh sign-in leads back, replaces the old session, and may make a key', async () => {
  const ann = await signedIn();
  const old = ann.cookies.get('__Secure-svc.session_token');
  clock.ms = 16 * minutes;
  const page = await ann.get('/sign-in?again=1&next=/keys');
  expect(page.text).toContain('Confirm that it is you');
  expect(page.text).toContain('name="email" value="ann@example.org"');
  const before = mailing.post.mails.length;
  await ann.send('/sign-in', { email: 'ann@example.org', next: '/keys' });
  await expect.poll(() => mailing.post.mails.length).toBe(before + 1);
  // The fixture's clock is ahead of the database's, which writes when a session began.
  clock.ms = 0;
  const link = /\/sign-in\/\w+/.exec(mailing.post.last())?.[0] ?? '';
  expect((await ann.send(link, {})).to).toBe('/keys');
  expect(ann.cookies.get('__Secure-svc.session_token')).not.toBe(old);
  expect((await ann.submit('/keys', '/keys', { name: 'CI' })).text).toMatch(/svc_sk_\w{40}/);
  const thief = browser();
  thief.cookies.set('__Secure-svc.session_token', old ?? '');
  expect((await thief.get('/keys')).to).toBe('/sign-in?next=%2Fkeys');
});

it('a program is not connected by an old session', async () => {
  const account = await mailing.service.stores.signIn.accountByEmail('ann@example.org');
  const { programs } = mailing.service.service;
  const session = { createdAt: new Date(Date.now() - 16 * minutes) } as Parameters<
    typeof mailing.service.service.signIn.isFresh
  >[0];
  clock.ms = 0;
  if (account === null || programs === null) throw new Error('no account or no programs');
  const asked = { base: mailing.service.base, question: 'q', cookie: undefined };
  await expect(programs.allow(account, session, asked)).rejects.toMatchObject({ details: { reason: 'old_sign_in' } });
  const ann = await signedIn();
  clock.ms = 16 * minutes;
  expect((await ann.get('/connect/some-question')).to).toBe('/sign-in?again=1&next=%2Fconnect%2Fsome-question');
});
