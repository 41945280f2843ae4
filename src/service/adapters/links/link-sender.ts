import { AbortError } from '../../../library/core/abort.ts';
import type { LinkSender } from '../../rules/ports.ts';
import { hostOf, objection, parseLink } from './check-link.ts';
import { describeSendFailure, mayPassStatus, sendFailed } from './failures.ts';
import { createLinkRequests, type LinkOptions } from './link-requests.ts';

/** Puts bytes at public HTTPS links, such as presigned addresses of a storage. */
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
          // With its length, because storages take no body in chunks.
          headers: {
            'content-type': contentType,
            'content-length': String(sizeBytes),
            'user-agent': 'Earshot result',
          },
          body: read,
          // 303 would ask for something else with GET.
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
        throw sendFailed(hostOf(answer.url), `it answered ${statusCode}`, mayPassStatus(statusCode));
    },
  };
}
