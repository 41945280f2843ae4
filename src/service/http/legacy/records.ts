import type { LegacyJobs, LegacyStatus } from '../../rules/legacy-jobs/legacy-job-use-cases.ts';

/** A status message, the same in polling and over a websocket. */
export type StatusMessage =
  | { readonly state: 'downloading' }
  | { readonly state: 'queued'; readonly jobsAhead: number }
  | { readonly state: 'in_progress'; readonly percent: number }
  | { readonly state: 'succeeded'; readonly downloadPath: string }
  | { readonly state: 'failed'; readonly reason: string };

/** @param nameOf returns the last segment of a result's path */
export function statusMessage(status: LegacyStatus, nameOf: LegacyJobs['nameOf']): StatusMessage {
  if (status.state !== 'succeeded') return status;
  // With the result's extension, which clients use.
  const extension = ending.exec(status.output.filename)?.[0].toLowerCase() ?? '';
  return { state: 'succeeded', downloadPath: `/download/${nameOf(status.output)}${extension}` };
}

/** At most 10 characters: a token's signature must not look like an extension. */
const ending = /\.[A-Za-z0-9]{1,10}$/;

/** The segment without its extension. */
export const withoutEnding = (name: string): string => name.replace(ending, '');
