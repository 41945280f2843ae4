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
  await ann.send('/sign-in', { email: 'ann@example.org', next: '/keys' });
  // The fixture's clock is ahead of the database's, which writes when a session began.
  clock.ms = 0;
  const link = /\/sign-in\/\w+/.exec(mailTo('ann@example.org', '/sign-in/'))?.[0] ?? '';
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

/** Signs in as the owner of an address, and changes it. */
async function changed(from: string, to: string) {
  const { service } = mailing;
  clock.ms = 0;
  const ann = browser();
  const { token } = await service.operator.createSignInLink(from, 60);
  await ann.send(`/sign-in/${token}`, {});
  const account = (await service.stores.signIn.accountByEmail(from)) ?? expect.fail('no account');
  const change = async (email: string): Promise<void> => {
    await ann.submit('/account', '/account/address', { email });
    const path = /\/account\/address\/\w+/.exec(mailTo(email))?.[0] ?? '';
    expect((await ann.submit(path, path)).to).toBe('/account');
  };
  await change(to);
  return { ann, account, change, undo: undoIn(mailTo(from, '/undo/')) };
}

const mailTo = (address: string, words = ''): string =>
  mailing.mailsTo(address, words).at(-1) ?? expect.fail(`no mail to ${address} with ${words}`);
const undoIn = (mail: string): string =>
  /\/account\/address\/undo\/\w+/.exec(mail)?.[0] ?? expect.fail(`no undo link in ${mail}`);

it('the old address takes a change back, with all that the thief made', async () => {
  const { service } = mailing;
  const { ann: thief, account, change, undo } = await changed('owner@example.org', 'thief@evil.test');
  const { key } = await service.operator.addKey(account.id, 'thief');
  await service.stores.signIn.addPasskey({
    id: 'cred-thief',
    accountId: account.id,
    name: 'thief',
    publicKey: 'x',
    counter: 0,
    transports: [],
  });
  await change('second@evil.test');
  const thiefsUndo = undoIn(mailTo('thief@evil.test', '/undo/'));
  await thief.submit('/account', '/account/address', { email: 'third@evil.test' });
  const pending = /\/account\/address\/\w+/.exec(mailTo('third@evil.test'))?.[0] ?? '';
  // The thief cannot end the account, nor can another account take the reserved address.
  expect((await thief.submit('/account', '/account/delete', { confirmation: 'second@evil.test' })).status).toBe(403);
  await expect(
    service.stores.signIn.accountForEmail({ id: 'acc_other', email: 'owner@example.org' }, new Date()),
  ).rejects.toMatchObject({ details: { reason: 'former_address' } });

  const owner = browser();
  expect((await owner.get(undo)).text).toContain('owner@example.org');
  expect((await service.operator.account(account.id)).email).toBe('second@evil.test');
  expect((await owner.send(undo, {}, 'https://evil.test')).status).toBe(403);
  const done = await owner.send(undo, {});
  expect([done.status, done.text.includes('The account has this address again')]).toEqual([200, true]);
  expect((await service.operator.account(account.id)).email).toBe('owner@example.org');
  expect((await thief.get('/keys')).status).toBe(303);
  expect(await service.stores.signIn.listPasskeys(account.id)).toEqual([]);
  expect((await service.operator.listKeys(account.id)).find(({ id }) => id === key.id)?.revokedAt).not.toBeNull();
  // It signs nobody in, works once, and the thief's own links are void.
  expect((await owner.get('/keys')).status).toBe(303);
  for (const path of [undo, thiefsUndo]) expect((await browser().send(path, {})).status).toBe(404);
  expect(await service.stores.signIn.formerAddress('thief@evil.test', new Date())).toBeNull();
  expect(pending).not.toBe('');
  for (const address of ['owner@example.org', 'second@evil.test'])
    expect(mailing.mailsTo(address, 'The change of address was taken back')).toHaveLength(1);
});

it('an old address that asks to sign in is told, and gets no new account, for seven days', async () => {
  const { service } = mailing;
  const { account } = await changed('moved@example.org', 'new-home@example.org');
  const page = await browser().send('/sign-in', { email: 'moved@example.org' });
  const mail = mailTo('moved@example.org', 'asked to sign in');
  expect(page.text).not.toContain('new-home');
  expect(mail).toContain('@example.org. It was changed');
  expect(mail).not.toMatch(/\/sign-in\/\w|new-home/);
  expect((await browser().get(undoIn(mail))).status).toBe(200);
  const { token } = await service.operator.createSignInLink('moved@example.org', 60);
  expect((await browser().send(`/sign-in/${token}`, {})).status).not.toBe(303);
  expect(await service.stores.signIn.accountByEmail('moved@example.org')).toBeNull();
  clock.ms = 7 * 86_400_000 + 1000;
  expect((await browser().get(undoIn(mail))).status).toBe(404);
  const later = await service.stores.signIn.accountForEmail(
    { id: 'acc_later', email: 'moved@example.org' },
    new Date(Date.now() + clock.ms),
  );
  expect(later.id).not.toBe(account.id);
  clock.ms = 0;
});

it('new devices and keys are told by mail, known devices are not', async () => {
  const { service } = mailing;
  const email = 'told@example.org';
  const link = async () => `/sign-in/${(await service.operator.createSignInLink(email, 60)).token}`;
  const subjects = () => mailing.mailsTo(email).map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1]);
  const ann = browser();
  await ann.send(await link(), {});
  await ann.send(await link(), {});
  expect(subjects()).toEqual([]);
  await browser().send(await link(), {});
  await expect.poll(subjects).toEqual(['New sign-in to your account']);
  await ann.submit('/keys', '/keys', { name: 'CI' });
  await expect.poll(subjects).toEqual(['New sign-in to your account', 'New key of your account']);
  expect(mailTo(email, 'New key')).toMatch(/CI \(svc_sk_\w{6}\.\.\.\)/);
});
