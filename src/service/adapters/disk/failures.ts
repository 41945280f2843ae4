import { isDiskFull, noRoomToKeep } from '../../../library/core/errors/disk-full.ts';

export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;

/** A full disk, a quota and a file size limit become one error for clients; all other errors are unchanged. */
export const describeWriteFailure = (thrown: unknown): unknown => (isDiskFull(thrown) ? noRoomToKeep(thrown) : thrown);
