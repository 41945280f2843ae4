import { createTransport } from 'nodemailer';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Mailer } from '../../rules/mails/mailer.ts';

/** Mail servers may delay answers on purpose (greylisting), but not for longer than this. */
const timeoutMs = 30_000;

/**
 * Mails by SMTP.
 * @param url smtp:// or smtps://, with the credentials
 * @param from the sender, as "Name <address>"
 */
export function createSmtpMailer(url: string, from: string): Mailer {
  const domain = from
    .slice(from.lastIndexOf('@') + 1)
    .replace('>', '')
    .trim();
  const transport = createTransport(
    // One connection for each mail: an idle one would keep the host process from exiting.
    { url, connectionTimeout: timeoutMs, socketTimeout: timeoutMs },
    { from, disableFileAccess: true, disableUrlAccess: true },
  );
  return {
    async send({ id, ...mail }) {
      try {
        await transport.sendMail({
          ...mail,
          headers: { 'Auto-Submitted': 'auto-generated' },
          ...(id === undefined ? {} : { messageId: `<${id}@${domain}>` }),
        });
      } catch (thrown) {
        throw new EarshotError('internal_error', 'The mail server cannot be reached or refused a mail', {
          retryable: true,
          cause: thrown,
        });
      }
    },
    close: async () => transport.close(),
  };
}
