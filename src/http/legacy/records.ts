import type { LegacyStatus } from '../../service/legacy-job-cases.ts';

/** A status message, the same in polling and over a websocket. */
export type StatusMessage =
  | { readonly state: 'downloading' }
  | { readonly state: 'queued'; readonly jobsAhead: number }
  | { readonly state: 'in_progress'; readonly percent: number }
  | { readonly state: 'succeeded'; readonly downloadPath: string }
  | { readonly state: 'failed'; readonly reason: string };

export function statusMessage(status: LegacyStatus): StatusMessage {
  if (status.state !== 'succeeded') return status;
  return { state: 'succeeded', downloadPath: downloadPath(status.output) };
}

/** With the extension of the result: clients go by it. */
const downloadPath = ({ fileId, filename }: { readonly fileId: string; readonly filename: string }): string =>
  `/download/${fileId}${/\.[A-Za-z0-9]+$/.exec(filename)?.[0].toLowerCase() ?? ''}`;

/** The file id in a name that `downloadPath` made. */
export const fileIdOf = (name: string): string => name.replace(/\.[A-Za-z0-9]+$/, '');
