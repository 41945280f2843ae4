import type { LegacyJobs, LegacyStatus } from '../../rules/legacy-jobs/legacy-jobs.ts';

/** A status message, the same in polling and over a websocket. */
export type StatusMessage =
  | { readonly state: 'downloading' }
  | { readonly state: 'queued'; readonly jobsAhead: number }
  | { readonly state: 'in_progress'; readonly percent: number }
  | { readonly state: 'succeeded'; readonly downloadPath: string }
  | { readonly state: 'failed'; readonly reason: string };

/** @param nameOf what names a result in its path */
export function statusMessage(status: LegacyStatus, nameOf: LegacyJobs['nameOf']): StatusMessage {
  if (status.state !== 'succeeded') return status;
  // With the extension of the result: clients go by the end of the address.
  const extension = ending.exec(status.output.filename)?.[0].toLowerCase() ?? '';
  return { state: 'succeeded', downloadPath: `/download/${nameOf(status.output)}${extension}` };
}

/** Shorter than a token's signature, which may look like an extension, too. */
const ending = /\.[A-Za-z0-9]{1,10}$/;

/** What `nameOf` made, without the extension behind it. */
export const withoutEnding = (name: string): string => name.replace(ending, '');
