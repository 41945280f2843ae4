import { isDiskFull, noRoomToKeep } from '../../../library/core/disk-full.ts';

export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;

/** A full disk, a quota and a file size limit look alike to a client: try later. All else is answered as it came. */
export const describeWriteFailure = (thrown: unknown): unknown => (isDiskFull(thrown) ? noRoomToKeep(thrown) : thrown);
