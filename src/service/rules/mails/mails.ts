import { html, type Html, renderDocument, trusted } from '../../../library/core/markup.ts';
import type { Account, Language } from '../accounts/account.ts';
import type { RefillFailure } from '../money/auto-refill.ts';
import type { Payment } from '../money/payment-store.ts';
import type { AddressChange } from '../accounts/sign-in-store.ts';
import { dollars } from '../money/spoken-price.ts';
import type { Mail } from './mailer.ts';
import { de } from './strings/de.ts';
import { en } from './strings/en.ts';
import type { MailStrings } from './strings/mail-strings.ts';

/** A language that lacks a text does not compile. */
const languages: Readonly<Record<Language, MailStrings>> = { en, de };

/** The parts of a mail, from top to bottom. */
interface Parts {
  readonly to: string;
  readonly language: Language;
  readonly subject: string;
  readonly first: readonly string[];
  readonly rows?: readonly (readonly [string, string])[];
  readonly button?: { readonly label: string; readonly url: string };
  /** To type elsewhere. */
  readonly code?: { readonly label: string; readonly digits: string };
  readonly last?: readonly string[];
  /** Shows the button's address as text, for mail programs that block buttons. */
  readonly copy?: string;
  readonly why: string;
}

/** "21:40 UTC". */
const timeOf = (at: Date): string => `${at.toISOString().slice(11, 16)} UTC`;
const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

export function signInMail(wanted: {
  readonly to: string;
  readonly url: string;
  readonly code: string;
  readonly language: Language;
  readonly device: string;
  readonly minutes: number;
  readonly at: Date;
}): Mail {
  const { to, url, code, language, device, minutes, at } = wanted;
  const texts = languages[language].signIn;
  return compose({
    to,
    language,
    subject: texts.subject,
    first: [texts.asked(timeOf(at), device)],
    button: { label: texts.button, url },
    code: { label: texts.orCode, digits: `${code.slice(0, 3)} ${code.slice(3)}` },
    copy: texts.copy,
    last: [texts.once(minutes), texts.notYou],
    why: texts.why(hostOf(url)),
  });
}

/** "2026-11-29, 21:40 UTC". */
const momentOf = (at: Date): string => `${at.toISOString().slice(0, 10)}, ${timeOf(at)}`;

/** "b…@example.org": enough for its owner, and not the whole address. */
const hidden = (email: string): string => `${email.slice(0, 1)}…${email.slice(email.indexOf('@'))}`;

/** To the old address of an account. @param undoUrl takes the change back */
export function addressChangedMail(change: AddressChange, email: string, undoUrl: string, language: Language): Mail {
  const { addressChanged: texts, signIn } = languages[language];
  return compose({
    to: change.oldEmail,
    language,
    subject: texts.subject,
    first: [texts.changed(momentOf(change.changedAt), hidden(email)), texts.notYou],
    button: { label: texts.button, url: undoUrl },
    copy: signIn.copy,
    last: [texts.undo(change.expiresAt.toISOString().slice(0, 10)), texts.you],
    why: texts.why(hostOf(undoUrl)),
  });
}

/** To an address that asked to sign in, and belonged to an account a few days ago. @param email the account's now */
export function formerAddressMail(
  change: AddressChange,
  email: string | null,
  undoUrl: string,
  language: Language,
  at: Date,
  device: string,
): Mail {
  const { addressChanged: texts, signIn } = languages[language];
  const until = change.expiresAt.toISOString().slice(0, 10);
  return compose({
    to: change.oldEmail,
    language,
    subject: texts.subject,
    first: [
      signIn.asked(timeOf(at), device),
      texts.changed(momentOf(change.changedAt), email === null ? '' : hidden(email)),
      texts.notYou,
    ],
    button: { label: texts.button, url: undoUrl },
    copy: signIn.copy,
    last: [texts.undo(until), texts.signInThere(until)],
    why: signIn.why(hostOf(undoUrl)),
  });
}

/** After an undo, to the address that the account has again, and to the one that it had. */
export function addressRestoredMail(
  to: string,
  email: string,
  change: AddressChange,
  siteUrl: string,
  language: Language,
): Mail {
  const texts = languages[language].addressRestored;
  return compose({
    to,
    language,
    subject: texts.subject,
    first: [to === email ? texts.back : texts.taken(hidden(email)), texts.ended(momentOf(change.since))],
    ...(to === email ? { button: { label: texts.button, url: `${siteUrl}/sign-in` } } : {}),
    last: [to === email ? texts.look : texts.operator],
    why: texts.why(hostOf(siteUrl)),
  });
}

/** A new way into an account. */
export interface AccountNotice {
  readonly kind: 'device' | 'passkey' | 'key' | 'program';
  /** What it is called; '': it has no name. */
  readonly name: string;
  /** Browser and system where it was made; '': not known. */
  readonly device: string;
}

export function noticeMail(
  to: string,
  language: Language,
  { kind, name, device }: AccountNotice,
  at: Date,
  siteUrl: string,
): Mail {
  const { notices: texts } = languages[language];
  const { subject, first } = texts.kinds[kind];
  return compose({
    to,
    language,
    subject,
    first: [first],
    rows: [
      ...(kind === 'device' || name === '' ? [] : [[texts.name, name] as const]),
      [texts.time, momentOf(at)],
      [texts.device, device === '' ? texts.unknown : device],
    ],
    button: { label: texts.button, url: `${siteUrl}${kind === 'key' ? '/keys' : '/account'}` },
    last: [texts.notYou],
    why: texts.why(hostOf(siteUrl)),
  });
}

/** @param endpoint its id and address */
export function webhookOffMail(
  to: string,
  language: Language,
  { id, url, reason }: { readonly id: string; readonly url: string; readonly reason: 'failing' | 'gone' },
  siteUrl: string,
): Mail {
  const texts = languages[language].webhookOff;
  return compose({
    to,
    language,
    subject: texts.subject,
    first: [texts.because[reason](url), texts.kept],
    button: { label: texts.button, url: `${siteUrl}/webhooks/${id}` },
    why: texts.why(hostOf(siteUrl)),
  });
}

const pageOf = (id: string): string =>
  id.startsWith('chain_') ? `/chains/${id}` : id.startsWith('hook_') ? `/webhooks/${id}` : '/jobs';

/** Of a job or chain that has ended, to an account that asked for that; or a test of that. */
export function endedMail(
  to: string,
  language: Language,
  ended: {
    readonly id: string;
    /** Its tool or recipe; null: a chain of its own. */
    readonly what: string | null;
    readonly ended: 'completed' | 'failed' | 'cancelled' | 'test';
    readonly errorCode: string | null;
    readonly orderedAt: Date;
    readonly at: Date;
    readonly siteUrl: string;
  },
): Mail {
  const texts = languages[language].ended;
  const { id, what, errorCode, orderedAt, at, siteUrl } = ended;
  return compose({
    to,
    language,
    subject: texts.subject[ended.ended](what ?? id),
    first: [texts.how[ended.ended]],
    rows:
      ended.ended === 'test'
        ? []
        : [
            [texts.which, what === null ? id : `${what}, ${id}`],
            [texts.ordered, momentOf(orderedAt)],
            [texts.over, momentOf(at)],
            ...(errorCode === null ? [] : [[texts.error, errorCode] as const]),
          ],
    button: { label: texts.button, url: siteUrl + pageOf(id) },
    why: texts.why(hostOf(siteUrl)),
  });
}

/** To an address that asked to sign in where only the operator makes accounts. */
export function noAccountMail(to: string, siteUrl: string, language: Language, at: Date, device: string): Mail {
  const { noAccount: texts, signIn } = languages[language];
  return compose({
    to,
    language,
    subject: texts.subject,
    first: [signIn.asked(timeOf(at), device), texts.none],
    last: [texts.notYou],
    why: signIn.why(hostOf(siteUrl)),
  });
}

export function newAddressMail(to: string, url: string, language: Language, minutes: number): Mail {
  const { newAddress: texts, signIn } = languages[language];
  return compose({
    to,
    language,
    subject: texts.subject,
    first: [texts.asked],
    button: { label: texts.button, url },
    copy: signIn.copy,
    last: [texts.once(minutes)],
    why: texts.why(hostOf(url)),
  });
}

/** @param creditsUrl the page where the person can act */
export function refillFailedMail(
  account: Account & { readonly email: string },
  payment: Payment,
  failure: RefillFailure,
  creditsUrl: string,
): Mail {
  const { email, language, balance, reserved, autoRefill } = account;
  const texts = languages[language].refillFailed;
  const amount = dollars(payment.amountCents);
  return compose({
    to: email,
    language,
    subject: texts.subject,
    first: [texts.cause[failure.cause](amount, autoRefill.card?.last4 ?? '', timeOf(new Date(failure.at)))],
    rows: [
      [texts.creditsLeft, String(balance - reserved)],
      [texts.running, texts.runningGoOn],
    ],
    button: { label: texts.button[failure.cause], url: creditsUrl },
    last: [texts.orElse],
    why: texts.why(email, hostOf(creditsUrl)),
  });
}

/** @param receiptUrl the page that prints */
export function receiptMail(
  { email, language, balance, reserved }: Account & { readonly email: string },
  payment: Payment,
  receiptUrl: string,
): Mail {
  const texts = languages[language].receipt;
  const amount = dollars(payment.paidCents);
  const credits = String(payment.paidCents);
  return compose({
    to: email,
    language,
    subject: texts.subject(credits, amount),
    first: [texts.thanks, ...(payment.automatic ? [texts.automatic] : [])],
    rows: [
      [
        texts.paid,
        `${(payment.paidAt ?? payment.createdAt).toISOString().slice(0, 10)}, ` +
          timeOf(payment.paidAt ?? payment.createdAt),
      ],
      [texts.credits(credits), texts.each(amount)],
      [texts.creditsNow, String(balance - reserved)],
    ],
    button: { label: texts.button, url: receiptUrl },
    why: texts.why(hostOf(receiptUrl)),
  });
}

export function deletedMail(to: string, language: Language, siteUrl: string): Mail {
  const texts = languages[language].deleted;
  return compose({ to, language, subject: texts.subject, first: [texts.gone], why: texts.why(hostOf(siteUrl)) });
}

function compose(parts: Parts): Mail {
  const { to, subject } = parts;
  return { to, subject, text: plainText(parts), html: renderDocument(mailPage(parts)) };
}

function plainText({ subject, first, rows = [], button, code, last = [], why }: Parts): string {
  const widest = Math.max(0, ...rows.map(([label]) => label.length));
  return [
    subject,
    ...first,
    rows.map(([label, value]) => `${label.padEnd(widest + 3)}${value}`).join('\n'),
    // On its own line, so that mail programs turn it into a link.
    button === undefined ? '' : button.url,
    code === undefined ? '' : `${code.label}\n\n    ${code.digits}`,
    ...last,
    `--\n${why}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

const font = "font-family:'Instrument Sans',Arial,Helvetica,sans-serif;";
const mono = 'font-family:Menlo,Consolas,monospace;';
const ink = `${font}color:#15181a;font-size:16px;line-height:24px;margin:0 0 16px`;
const soft = `${font}color:#4c5457;font-size:16px;line-height:24px;margin:0 0 16px`;

const darkStyle =
  '@media ' +
  '(prefers-color-scheme:dark){.p{background:#101314!important}.s{background:#181c1d!important;border-color:#ffd43b ' +
  '#2d3335 ' +
  '#2d3335!important}.t{color:#eceeeb!important}.q{color:#a9b1b1!important}.l{border-color:#2d3335!important}}@media ' +
  '(max-width:480px){.b{padding:24px 16px!important}}';

/** Mail programs ignore style sheets, so it uses tables and inline styles; dark colours work in some of them. */
function mailPage({ language, subject, first, rows = [], button, code, copy, last = [], why }: Parts): Html {
  return html`<html lang="${language}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${subject}</title>
      <style ...${trusted(darkStyle)} />
    </head>
    <body class="p" style="margin:0;padding:0;background:#f1f2ef">
      <table ...${layout} width="100%" class="p" style="background:#f1f2ef">
        <tr>
          <td align="center" style="padding:24px 8px">
            <table ...${layout} width="100%" style="max-width:560px">
              <tr>
                <td
                  class="t"
                  style="${font}font-size:20px;line-height:24px;font-weight:700;color:#15181a;padding:0 0 12px"
                >
                  Earshot
                </td>
              </tr>
              <tr>
                <td
                  class="s b"
                  style="background:#fbfbf9;border:1px solid #d3d6d1;border-top:4px solid #ffd43b;padding:32px"
                >
                  <h1 class="t" style="${font}margin:0 0 12px;font-size:24px;line-height:28px;color:#15181a">
                    ${subject}
                  </h1>
                  ${paragraphs(first, 't')}${rows.length > 0 && table(rows)}${button !== undefined && link(button)}
                  ${code !== undefined && digits(code)}
                  ${button !== undefined && copy !== undefined && asText(copy, button.url)}${paragraphs(last, 'q')}
                </td>
              </tr>
              <tr>
                <td class="q" style="${font}font-size:12px;line-height:16px;color:#4c5457;padding:16px 0 0">${why}</td>
              </tr>
            </table>
          </td>
        </tr>
      </table>
    </body>
  </html>`;
}

/** Of tables that are no tables. */
const layout = { role: 'presentation', cellpadding: 0, cellspacing: 0, border: 0 };

const paragraphs = (texts: readonly string[], kind: 't' | 'q'): readonly Html[] =>
  texts.map((text) => html`<p class="${kind}" style="${kind === 't' ? ink : soft}">${text}</p>`);

const cellStyle = `${font}font-size:14px;line-height:20px;border-bottom:1px solid #d3d6d1;`;

const table = (rows: readonly (readonly [string, string])[]): Html =>
  html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">
    ${rows.map(
      ([label, value]) =>
        html`<tr>
          <td class="q l" style="${cellStyle}color:#4c5457;padding:8px 16px 8px 0">${label}</td>
          <td class="t l" align="right" style="${cellStyle}color:#15181a;padding:8px 0">${value}</td>
        </tr>`,
    )}
  </table>`;

const link = ({ label, url }: NonNullable<Parts['button']>): Html =>
  html`<table ...${layout} style="margin:8px 0 24px">
    <tr>
      <td bgcolor="#ffd43b" style="background:#ffd43b;border:1px solid #836500;border-radius:2px">
        <a
          href="${url}"
          style="${font}display:inline-block;padding:12px 24px;font-size:16px;line-height:24px;font-weight:600;color:#15181a;text-decoration:none"
          >${label}</a
        >
      </td>
    </tr>
  </table>`;

const digits = (code: NonNullable<Parts['code']>): Html =>
  html`${paragraphs([code.label], 'q')}
    <p class="t" style="${ink}">
      <span style="${mono}font-size:28px;line-height:36px;font-weight:700;letter-spacing:2px">${code.digits}</span>
    </p>`;

/** The button's address, for mail programs that block buttons. */
const asText = (copy: string, url: string): Html =>
  html`${paragraphs([copy], 'q')}
    <p class="t" style="${ink}"><span style="${mono}word-break:break-all;font-size:13px">${url}</span></p>`;
