// Signing in and the pages of an account, as a browser without script sees them: links, sessions, forms, and what other
// people and other sites cannot do.
import { describe, expect, it } from 'vitest';
import { useMailService } from './mail-service.ts';
import { slow } from '../../../fixtures/rounds.ts';

const mailing = useMailService();
const { services, browser, clock } = mailing;

const linkIn = (mail: string): string => /\/sign-in\/\w+/.exec(mail)?.[0] ?? expect.fail(`no link in ${mail}`);

async function askForLink(ann: ReturnType<typeof browser>, email: string): Promise<string> {
  const before = mailing.post.mails.length;
  expect((await ann.send('/sign-in', { email, next: '/keys' })).status).toBe(200);
  await expect.poll(() => mailing.post.mails.length).toBe(before + 1);
  return linkIn(mailing.post.last());
}

/** Signs in with a link that the operator made. */
async function signedIn(who?: string) {
  const account = who ?? (await mailing.service.account()).account.id;
  const { token } = await mailing.service.operator.createSignInLink(account, 60);
  const ann = browser();
  expect((await ann.send(`/sign-in/${token}`, {})).to).toBe('/files');
  return {
    ann,
    account: await mailing.service.operator.account((await mailing.service.stores.accounts.get(account))?.id ?? ''),
  };
}

describe('a sign-in link', () => {
  it('makes an account, works once, in the browser that asked, and is not used up by being opened', slow, async () => {
    const ann = browser();
    const link = await askForLink(ann, ' Ann@Example.org ');
    expect(mailing.post.last()).toMatch(/^To: ann@example\.org$/m);
    expect(mailing.post.last()).toContain('Firefox on Linux');
    for (const _ of [1, 2]) expect((await ann.get(link)).status).toBe(200);
    // A mail scanner that also presses buttons, and another person's browser.
    const other = browser();
    expect((await other.send(link, {})).status).toBe(403);
    expect((await ann.send(link, {}, 'https://evil.test')).status).toBe(403);

    const planted = 'planted-before-the-sign-in';
    ann.cookies.set('__Secure-svc.session_token', planted);
    const { status, to, answer } = await ann.send(link, {});
    expect([status, to]).toEqual([303, '/keys']);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Secure-svc\.session_token=\w{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(cookie).not.toContain(planted);
    expect((await ann.get('/keys')).status).toBe(200);
    expect((await ann.send(link, {})).status).toBe(404);
    // The same session at the API, and the same account the next time.
    const session = ann.cookies.get('__Secure-svc.session_token') ?? '';
    const api = await fetch(`${mailing.service.base}/api/v1/account`, {
      headers: { cookie: `__Secure-svc.session_token=${session}` },
    });
    expect(api.status).toBe(200);
    const known = await mailing.service.stores.signIn.accountByEmail('ann@example.org');
    await ann.send(await askForLink(ann, 'ann@example.org'), {});
    expect(await mailing.service.stores.signIn.accountByEmail('ann@example.org')).toEqual(known);
  });

  it('that the operator printed belongs to the browser that opens it first', async () => {
    const { account } = await mailing.service.account();
    const { token } = await mailing.service.operator.createSignInLink(account.id, 60);
    const [ann, other] = [browser(), browser()];
    expect((await ann.get(`/sign-in/${token}`)).status).toBe(200);
    expect((await other.get(`/sign-in/${token}`)).status).toBe(403);
    expect((await other.send(`/sign-in/${token}`, {})).status).toBe(403);
    expect((await ann.send(`/sign-in/${token}`, {})).to).toBe('/files');
    // Nor does it live for hours.
    await expect(mailing.service.operator.createSignInLink(account.id, 3601)).rejects.toThrow('up to 3600');
  });

  it('of two presses at once signs in one', async () => {
    const { account } = await mailing.service.account();
    const { token } = await mailing.service.operator.createSignInLink(account.id, 60);
    const presses = await Promise.all(Array.from({ length: 5 }, () => browser().send(`/sign-in/${token}`, {})));
    expect(presses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 404, 404, 404, 404]);
  });

  it('ends after its time', async () => {
    const { account } = await mailing.service.account();
    const { token } = await mailing.service.operator.createSignInLink(account.id, 60);
    clock.ms = 61_000;
    try {
      expect((await browser().get(`/sign-in/${token}`)).status).toBe(404);
    } finally {
      clock.ms = 0;
    }
  });

  it('is stored as a hash', async () => {
    const { token } = await mailing.service.operator.createSignInLink('hash@example.org', 60);
    const { rows } = await mailing.service.stores.database.kysely
      .selectFrom('one_time_tokens')
      .selectAll()
      .execute()
      .then((all) => ({ rows: JSON.stringify(all) }));
    expect(rows).toContain('hash@example.org');
    expect(rows).not.toContain(token);
  });

  it('answers the same for every address, and asks for an address', async () => {
    const answers: string[] = [];
    for (const email of ['ann@example.org', 'new@example.org']) {
      const page = await browser().send('/sign-in', { email });
      answers.push(page.text.replaceAll(email, '?').replace(/request <code>[^<]*/, ''));
    }
    expect(answers[0]).toBe(answers[1]);
    expect((await browser().send('/sign-in', { email: 'no address' })).status).toBe(400);
  });

  it('leads to pages of ours alone', async () => {
    for (const next of ['//evil.test', 'https://evil.test', '/\\evil.test'])
      expect((await browser().get(`/sign-in?next=${encodeURIComponent(next)}`)).text).not.toContain('name="next"');
  });
});

describe('forms', () => {
  it('need the token of the page and its origin', async () => {
    const { ann, account } = await signedIn();
    expect((await ann.send('/keys', { name: 'x' })).status).toBe(403);
    expect((await ann.submit('/keys', '/keys', { name: 'x', form: 'guessed' })).status).toBe(403);
    const { text } = await ann.get('/keys');
    const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect((await ann.send('/keys', { name: 'x', form }, 'https://evil.test')).status).toBe(403);
    expect(await mailing.service.operator.listKeys(account.id)).toHaveLength(1);
  });

  it('of a session that has ended do nothing and lead to the sign-in', async () => {
    const { ann, account } = await signedIn();
    const { text } = await ann.get('/keys');
    const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    await mailing.service.operator.endSessions(account.id);
    const answer = await ann.send('/keys', { name: 'x', form });
    expect([answer.status, answer.to]).toEqual([303, '/sign-in?next=%2Fkeys&ended=1']);
    expect(await mailing.service.operator.listKeys(account.id)).toHaveLength(1);
    expect((await ann.get('/operator')).to).toBe('/sign-in?next=%2Foperator');
  });
});

describe('an account’s pages', () => {
  it('make a key that the API takes, show it once, and revoke it', async () => {
    const { ann } = await signedIn();
    const made = await ann.submit('/keys', '/keys', { name: 'CI <b>' });
    const key = /svc_sk_\w{40}/.exec(made.text)?.[0] ?? '';
    const call = async (): Promise<number> =>
      (await fetch(`${mailing.service.base}/api/v1/account`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await call()).toBe(200);
    const { text } = await ann.get('/keys');
    expect(text).toContain('CI &lt;b>');
    expect(text).not.toContain(key);
    const id = /name="key" value="([^"]+)"/.exec(text)?.[1] ?? '';
    // Somebody else cannot revoke it.
    const other = await signedIn();
    expect((await other.ann.submit('/keys', '/keys/revoke', { key: id })).status).toBe(404);
    expect(await call()).toBe(200);
    expect((await ann.submit('/keys', '/keys/revoke', { key: id })).to).toBe('/keys');
    expect(await call()).toBe(401);
  });

  it('sell credits that the operator confirms, and print the receipt', async () => {
    const { ann, account } = await signedIn();
    const { to } = await ann.submit('/credits', '/credits', { cents: '500' });
    const id = /pay_\w+/.exec(to ?? '')?.[0] ?? '';
    expect((await ann.get(to ?? '')).text).toContain('Pay at the till.');
    const other = await signedIn();
    expect((await other.ann.get(to ?? '')).status).toBe(404);
    await mailing.service.service.payments.confirm(id, 500);
    expect((await mailing.service.operator.account(account.id)).balance).toBe(1500);
    const receipt = await ann.get(to ?? '');
    expect(receipt.text).toContain(id);
    expect(receipt.text).toContain('$5.00');
    // Whom it is for can be typed, and is printed.
    expect(receipt.text).toMatch(/<label for="buyer">To<\/label>.*<textarea id="buyer"[^>]*>Test<\/textarea>/s);
    expect((await ann.get('/receipts')).text).toContain(id);
    expect((await ann.get('/credits')).text).toContain(`/receipts/${id}`);
    expect((await ann.submit('/credits', '/credits', { cents: '1' })).status).toBe(400);
  });

  it('list sessions and end others', async () => {
    const { ann, account } = await signedIn();
    const elsewhere = await signedIn(account.id);
    const { text } = await ann.get('/account');
    expect(text).toContain('Signed in at 2 places');
    const other = /name="session" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const stranger = await signedIn();
    expect((await stranger.ann.submit('/account', '/account/sessions/end', { session: other })).status).toBe(404);
    expect((await ann.submit('/account', '/account/sessions/end', { session: other })).to).toBe('/account');
    expect((await elsewhere.ann.get('/account')).status).toBe(303);
    expect((await ann.get('/account')).status).toBe(200);
    expect((await ann.submit('/account', '/sign-out')).to).toBe('/');
    expect((await ann.get('/account')).status).toBe(303);
  });

  it('show the operator’s view to those with the right alone', async () => {
    const { ann, account } = await signedIn();
    expect((await ann.get('/operator')).status).toBe(403);
    expect((await ann.get('/files')).text).not.toContain('href="/operator"');
    await mailing.service.operator.setOperator(account.id, true);
    const { status, text } = await ann.get('/operator');
    expect([status, text.includes('earshot doctor')]).toEqual([200, true]);
  });

  it('take a new address only from the link that went there, and never another account’s', async () => {
    const { ann, account } = await signedIn();
    await mailing.service.operator.createSignInLink('taken@example.org', 60);
    await ann.submit('/account', '/account/address', { email: 'Other@example.org' });
    await expect.poll(() => mailing.post.last()).toContain('/account/address/');
    const path = /\/account\/address\/\w+/.exec(mailing.post.last())?.[0] ?? '';
    expect((await ann.get(path)).status).toBe(200);
    const stranger = await signedIn();
    expect((await stranger.ann.submit(path, path)).status).toBe(404);
    expect((await mailing.service.operator.account(account.id)).email).toBeNull();
    expect((await ann.submit(path, path)).to).toBe('/account');
    expect((await mailing.service.operator.account(account.id)).email).toBe('other@example.org');
  });

  it('delete the account with its files, keys and sessions, and keep the ledger', async () => {
    const { ann, account } = await signedIn();
    const ticket = await mailing.service.service.files.create(account, { filename: 'a.wav', sizeBytes: 100 });
    const { secret } = await mailing.service.operator.addKey(account.id, 'k');
    const page = await ann.get('/account');
    const form = /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect((await ann.send('/account/delete', { form, confirmation: 'no' })).status).toBe(400);
    clock.ms = 16 * 60_000;
    expect((await ann.send('/account/delete', { form, confirmation: account.id })).to).toContain('/sign-in?again=1');
    clock.ms = 0;
    expect((await ann.send('/account/delete', { form, confirmation: account.id })).to).toBe('/goodbye');
    expect((await ann.get('/goodbye')).text).toContain('Your account is deleted');
    expect((await mailing.service.stores.files.get(ticket.file.id))?.status).toBe('deleted');
    await expect(mailing.service.service.access.byKey(secret)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await mailing.service.operator.account(account.id)).toMatchObject({ name: 'Deleted account', email: null });
    expect((await mailing.service.operator.ledger(account.id, { cursor: null, limit: 10 })).items).toHaveLength(1);
  });

  it('come in German', async () => {
    const { ann } = await signedIn();
    ann.cookies.set('lang', 'de');
    for (const [path, word] of [
      ['/keys', 'Schlüssel machen'],
      ['/credits', 'Zur Zahlung'],
      ['/account', 'Konto löschen'],
    ] as const)
      expect((await ann.get(path)).text).toContain(word);
  });
});

it('closed sign-up sends unknown addresses a mail without a link, and site: false sends none', slow, async () => {
  const closed = await services.start({
    worker: false,
    config: { smtpUrl: mailing.post.url, mailFrom: 'a@b.test', signUp: 'closed' },
  });
  await closed.service.signIn.requestLink({
    email: 'x@y.test',
    browser: 'b',
    network: '192.0.2.1',
    next: null,
    language: 'en',
    device: '',
  });
  expect(mailing.post.last()).toContain('There is no account with this address');
  expect(mailing.post.last()).not.toContain('/sign-in/');
  expect(await closed.stores.signIn.accountByEmail('x@y.test')).toBeNull();
  expect(await (await fetch(`${closed.base}/sign-in`, { headers: { accept: 'text/html' } })).text()).toContain(
    'created by the operator',
  );
  const without = await services.start({ worker: false, config: { site: 'false' } });
  for (const path of ['/sign-in', '/keys', '/account']) expect((await fetch(without.base + path)).status).toBe(404);
});
