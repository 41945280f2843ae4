import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A secret of the Standard Webhooks scheme: 256 random bits. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

/**
 * The headers of the Standard Webhooks scheme (standardwebhooks.com, 1.0): a signature for each secret, so that a
 * receiver accepts the old one and the new one while they change.
 * @param at of this try: receivers refuse old ones
 */
export function webhookHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  at: Date,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signed.join(' ') };
}
