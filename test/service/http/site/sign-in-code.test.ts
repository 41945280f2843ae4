// Sign-in mails: limits are the asker's and never the address's, the page promises no mail that was not sent, and a
// code signs in where the mail was asked for.
import { expect, it } from 'vitest';
import { hashSecret } from '../../../../src/service/rules/accounts/access.ts';
import { plainBrowser, type PlainBrowser } from '../../../fixtures/browser/plain-browser.ts';
import { useMailService } from './mail-service.ts';
import { slow } from '../../../fixtures/rounds.ts';

const mailing = useMailService();
const { browser, clock } = mailing;

const codeIn = (mail: string): string => /^\s{4}(\d{3} \d{3})$/m.exec(mail)?.[1] ?? expect.fail(`no code in ${mail}`);
const linkIn = (mail: string): string => /\/sign-in\/\w+/.exec(mail)?.[0] ?? expect.fail(`no link in ${mail}`);
const other = (code: string): string => (code.startsWith('1') ? '222 222' : '111 111');

const signInMails = (email: string): readonly string[] => mailing.mailsTo(email, '/sign-in/');

/** Asks for a mail, which is there when the page is. */
async function ask(ann: PlainBrowser, email: string, next = '/keys'): Promise<string> {
  const before = signInMails(email).length;
  expect((await ann.send('/sign-in', { email, next })).status).toBe(200);
  expect(signInMails(email)).toHaveLength(before + 1);
  return signInMails(email).at(-1) ?? '';
}

it('strangers who ask for an address keep nobody from it', async () => {
  const email = 'victim@example.org';
  const thief = browser();
  for (let n = 0; n < 3; n += 1) await ask(thief, email);
  const mails = signInMails(email).length;
  const refused = await thief.send('/sign-in', { email });
  expect([refused.status, refused.answer.headers.has('retry-after')]).toEqual([429, true]);
  expect(refused.text).not.toContain('Look into your mail');
  expect(refused.text).toContain('Too many mails were asked for from here');
  expect(signInMails(email)).toHaveLength(mails);
  // A new cookie does not help behind the same network address; the owner is elsewhere.
  expect((await browser('203.0.113.1').send('/sign-in', { email })).status).toBe(429);
  const owner = browser();
  await owner.send(linkIn(await ask(owner, email)), {});
  // And goes on when the stranger is behind the same network address.
  for (let n = 0; n < 3; n += 1) await ask(browser('198.51.100.9'), email);
  const atHome = browser('198.51.100.9');
  atHome.cookies.set('svc.sign_in', owner.cookies.get('svc.sign_in') ?? '');
  await ask(atHome, email);
});

it('one network address gets 30 mails in ten minutes, whomever they go to', slow, async () => {
  const statuses = [];
  for (let n = 0; n < 31; n += 1)
    statuses.push((await browser('198.51.100.7').send('/sign-in', { email: `a${n}@b.test` })).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect(statuses.at(-1)).toBe(429);
});

it('a mail that the mail server does not take is not promised', async () => {
  const down = await mailing.services.start({
    worker: false,
    config: { smtpUrl: 'smtp://127.0.0.1:1', mailFrom: 'a@b.test' },
  });
  const { status, text } = await plainBrowser(down.base).send('/sign-in', { email: 'ann@example.org' });
  expect(status).toBe(503);
  expect(text).toContain('The mail could not be sent');
  expect(text).not.toContain('Look into your mail');
});

it('a mail read on the phone signs in on the laptop that asked, once', async () => {
  const laptop = browser();
  const phone = browser();
  const mail = await ask(laptop, 'two-devices@example.org');
  const page = await phone.get(linkIn(mail));
  expect([page.status, page.text.includes('Type the code of the mail where you asked')]).toEqual([403, true]);
  // The code alone is worth nothing elsewhere.
  expect((await phone.send('/sign-in/code', { code: codeIn(mail) })).status).toBe(404);
  const answer = await laptop.send('/sign-in/code', { code: codeIn(mail).replace(' ', '-') });
  expect([answer.status, answer.to]).toEqual([303, '/keys']);
  expect((await laptop.get('/keys')).status).toBe(200);
  for (const again of [await laptop.send('/sign-in/code', { code: codeIn(mail) }), await laptop.send(linkIn(mail), {})])
    expect(again.status).toBe(404);
});

it('a code ends with its link, after five tries, and is stored as a hash of the browser’s secret', async () => {
  const ann = browser();
  const mail = await ask(ann, 'tries@example.org');
  const { code, browser: asked } =
    (await mailing.service.stores.database.kysely.selectFrom('one_time_tokens').select('data').execute())
      .map(({ data }) => data)
      .find(({ email }) => email === 'tries@example.org') ?? expect.fail('no request');
  expect([code?.length, asked?.length]).toEqual([64, 64]);
  expect((await ann.send('/sign-in/code', { code: '12' })).status).toBe(400);
  const wrong = await Promise.all(
    Array.from({ length: 8 }, () => ann.send('/sign-in/code', { code: other(codeIn(mail)) })),
  );
  expect(wrong.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([403, 403, 403, 403, 403, 404, 404, 404]);
  expect((await ann.send('/sign-in/code', { code: codeIn(mail) })).status).toBe(404);
  // The link still works.
  expect((await ann.send(linkIn(mail), {})).status).toBe(303);

  const late = browser();
  const second = await ask(late, 'late@example.org');
  clock.ms = 11 * 60_000;
  try {
    expect((await late.send('/sign-in/code', { code: codeIn(second) })).status).toBe(404);
  } finally {
    clock.ms = 0;
  }
});

it('strangers guess at an address 20 times a day; its own browsers and links go on', slow, async () => {
  const email = 'guessed@example.org';
  const owner = browser();
  await owner.send('/sign-in/code', { code: codeIn(await ask(owner, email)) });
  let right = '';
  for (let n = 0; n < 4; n += 1) {
    const thief = browser();
    right = codeIn(await ask(thief, email));
    for (let tries = 0; tries < 5; tries += 1)
      expect((await thief.send('/sign-in/code', { code: other(right) })).status).toBe(
        n === 3 && tries === 4 ? 404 : 403,
      );
  }
  const lucky = browser();
  const mail = await ask(lucky, email);
  const refused = await lucky.send('/sign-in/code', { code: codeIn(mail) });
  expect([refused.status, refused.text.includes('Use the link of the mail')]).toEqual([404, true]);
  expect((await lucky.send(linkIn(mail), {})).status).toBe(303);
  await owner.submit('/keys', '/sign-out');
  expect((await owner.send('/sign-in/code', { code: codeIn(await ask(owner, email)) })).status).toBe(303);
});

it('the browser’s secret is another after each sign-in, so that a planted one is worth nothing', async () => {
  const ann = browser();
  ann.cookies.set('svc.sign_in', 'planted');
  await ann.send(linkIn(await ask(ann, 'planted@example.org')), {});
  expect(ann.cookies.get('svc.sign_in')).toMatch(/^\w{43}$/);
  expect(await mailing.service.stores.signIn.knowsBrowser(hashSecret('planted'), 'planted@example.org')).toBe(false);
});
