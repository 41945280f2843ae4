import { AbortError } from '../../../library/core/abort.ts';
import type { LinkSender } from '../../rules/files/links.ts';
import { hostOf, objection, parseLink } from './check-link.ts';
import { describeSendFailure, isTemporaryStatus, sendFailed } from './failures.ts';
import { createLinkRequests, type LinkOptions } from './link-requests.ts';

/** Sends bytes to public HTTPS links, such as presigned storage URLs. */
export function createLinkSender(options: LinkOptions = {}): LinkSender {
  const { ports, timeouts, follow } = createLinkRequests(options);

  return {
    check: (text, field) => parseLink(text, ports, field),

    async put(link, { contentType, sizeBytes, read }, callerSignal) {
      const reason = objection(link, ports);
      if (reason !== null) throw sendFailed(hostOf(link), reason, false);
      const timeout = AbortSignal.timeout(timeouts.totalMs);
      const signal = AbortSignal.any([callerSignal, timeout]);
      const answer = await follow(
        link,
        {
          method: 'PUT',
          // With Content-Length, because object stores refuse chunked bodies.
          headers: {
            'content-type': contentType,
            'content-length': String(sizeBytes),
            'user-agent': 'Earshot result',
          },
          body: read,
          // Not 303, which means GET.
          redirects: [301, 302, 307, 308],
          failed: sendFailed,
          describe: describeSendFailure,
        },
        signal,
      ).catch((thrown: unknown) => {
        if (callerSignal.aborted) throw new AbortError();
        if (timeout.aborted)
          throw sendFailed(hostOf(link), `it took longer than ${timeouts.totalMs / 1000} s`, true, thrown);
        throw describeSendFailure(hostOf(link), thrown);
      });
      const { statusCode = 0 } = answer.response;
      answer.drop();
      if (statusCode < 200 || statusCode > 299)
        throw sendFailed(hostOf(answer.url), `it responded with status ${statusCode}`, isTemporaryStatus(statusCode));
    },
  };
}
