import type { CreatedFile, FileRecord } from './api-types.ts';
import { ApiError } from './errors.ts';
import type { Call, Requests } from './request.ts';

/** The service holds a request for at most 40 s; proxies often close silent connections after 60 s. */
export const waitSeconds = 30;

/**
 * Waits until a file has arrived and is checked.
 * @param to address of its record
 * @throws ApiError with the file's own code when it cannot be used
 */
export async function untilReady(
  requests: Requests,
  to: string,
  call: Pick<Call, 'signal' | 'retry'>,
): Promise<FileRecord> {
  for (;;) {
    const file = await requests.json<FileRecord>({ to, query: { wait: waitSeconds }, ...call });
    if (file.status === 'ready') return file;
    if (file.status === 'invalid' || file.status === 'deleted')
      throw new ApiError(
        file.error?.code ?? 'file_expired',
        file.error?.message ?? `Expected the file ${file.id} to arrive but it was deleted`,
      );
  }
}

/** Finds a file by its key. @returns null: what the key was for is gone, or is another file */
export async function found<Created extends Pick<CreatedFile, 'file'>>(
  create: () => Promise<Created>,
): Promise<Created | null> {
  try {
    const created = await create();
    return ['awaiting_upload', 'processing', 'ready'].includes(created.file.status) ? created : null;
  } catch (thrown) {
    if (['idempotency_key_reused', 'file_expired'].includes((thrown as ApiError).code)) return null;
    throw thrown;
  }
}
