import { EarshotError } from '../../library/core/errors/errors.ts';
import { badValue } from '../../library/core/checks/schema.ts';
import type { Config } from '../rules/settings/config.ts';
import type { Mail, Mailer } from '../rules/mails/mailer.ts';

/**
 * The configured mail server; null without one. Its library is loaded with the first mail.
 * @throws EarshotError bad_request when the sender is missing, or an address is invalid
 */
export function createMailer({ smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>): Mailer | null {
  if (smtpUrl === null) return null;
  if (!['smtp:', 'smtps:'].includes(URL.parse(smtpUrl)?.protocol ?? ''))
    throw badValue(
      'EARSHOT_SMTP_URL',
      'smtp:// or smtps:// address',
      'something else',
      'EARSHOT_SMTP_URL (--smtp-url)',
    );
  if (mailFrom === null)
    throw new EarshotError('bad_request', 'Expected EARSHOT_MAIL_FROM with EARSHOT_SMTP_URL but it is missing', {
      nextAction: 'Set it to the sender of mails, as Earshot <noreply@example.org>.',
    });
  let opening: Promise<Mailer> | undefined;
  const sending = new Set<Promise<void>>();
  const sent = async (mail: Mail): Promise<void> => {
    opening ??= import('../adapters/mail/smtp.ts').then(({ createSmtpMailer }) => createSmtpMailer(smtpUrl, mailFrom));
    await (await opening).send(mail);
  };
  return {
    async send(mail) {
      const one = sent(mail);
      sending.add(one);
      await one.finally(() => sending.delete(one));
    },
    async close() {
      await Promise.allSettled(sending);
      await (await opening)?.close();
    },
  };
}
