import { Readable } from 'node:stream';
import { AbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { readBody } from '../../../library/core/outgoing-request.ts';
import type { WebhookSender } from '../../rules/webhooks/webhook-sender.ts';
import { hostOf, objection } from './check-link.ts';
import { describeWebhookFailure, webhookFailed } from './failures.ts';
import { createLinkRequests, type LinkAnswer, type LinkOptions } from './link-requests.ts';

/** A receiver answers before it works on the message. */
const webhookTimeouts = { connectMs: 5000, headersMs: 15_000, idleMs: 2000, totalMs: 20_000 };
/** Of an answer, for the log. */
const shownBytes = 300;

/** Sends webhooks, by the rules of imports: what was judged is what is connected to. */
export function createWebhookSender(options: LinkOptions = {}): WebhookSender {
  const { ports, timeouts, follow } = createLinkRequests({
    ...options,
    timeouts: { ...webhookTimeouts, ...options.timeouts },
  });

  return {
    async post(url, { headers, body }, callerSignal) {
      const host = hostOf(url);
      const timeout = AbortSignal.timeout(timeouts.totalMs);
      try {
        // Judged again: the rules may be stricter than when the address was given.
        const reason = objection(url, ports);
        if (reason !== null) throw webhookFailed(host, reason, false);
        const sent = Buffer.from(body);
        const answer = await follow(
          url,
          {
            method: 'POST',
            headers: { ...headers, 'content-length': String(sent.length) },
            body: () => Promise.resolve(Readable.from([sent])),
            redirects: [],
            failed: webhookFailed,
            describe: describeWebhookFailure,
          },
          AbortSignal.any([callerSignal, timeout]),
        );
        const { statusCode = 0 } = answer.response;
        if (statusCode >= 300 && statusCode <= 399) {
          answer.drop();
          return { status: statusCode, answer: 'Redirects are not followed; give the address that it leads to' };
        }
        return { status: statusCode, answer: await firstOf(answer, timeouts.idleMs, timeout) };
      } catch (thrown) {
        if (callerSignal.aborted) throw new AbortError();
        const error = timeout.aborted
          ? webhookFailed(host, `it took longer than ${timeouts.totalMs / 1000} s`, true, thrown)
          : describeWebhookFailure(host, thrown);
        return { status: null, answer: EarshotError.from(error).message };
      }
    },
  };
}

/** The beginning of an answer, which may be huge, never end, or break off: its status has arrived. */
async function firstOf({ response, drop }: LinkAnswer, idleMs: number, timeout: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  timeout.addEventListener('abort', drop, { once: true });
  try {
    for await (const piece of readBody(response, idleMs)) {
      pieces.push(piece.subarray(0, shownBytes - bytes));
      bytes += piece.length;
      if (bytes >= shownBytes) break;
    }
  } catch {
    // The log shows what has arrived.
  } finally {
    timeout.removeEventListener('abort', drop);
    drop();
  }
  return printable(Buffer.concat(pieces).toString('utf8'));
}

/** PostgreSQL keeps no NUL, and control characters are no text. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cs}\ufffd]+/gu, ' ').trim();
