// A host with an account of 1000 credits and a file of each kind that tools take.
import type { JobRequest } from '../../../src/library/contract/job-request.ts';
import type { Account } from '../../../src/service/rules/accounts/account.ts';
import type { StoredFile } from '../../../src/service/rules/files/stored-file.ts';
import type { TestStores } from '../../fixtures/service/database.ts';
import { createHost, type Host } from './host.ts';

export interface StockedHost {
  readonly host: Host;
  readonly account: Account;
  /** A minute. */
  readonly audio: StoredFile;
  /** 600.6 s. */
  readonly long: StoredFile;
  readonly text: StoredFile;
  readonly transcript: StoredFile;
}

/** What makes a file one of text. */
export const textual = { contentType: 'text/plain', durationSeconds: null, hasAudio: false, media: null } as const;

/** @param env settings over the defaults */
export async function createStockedHost(
  stores: TestStores,
  env: Readonly<Record<string, string>> = {},
): Promise<StockedHost> {
  const host = await createHost(stores, env);
  const account = await host.account(1000);
  return {
    host,
    account,
    audio: await host.file(account),
    long: await host.file(account, { durationSeconds: 600.6 }),
    text: await host.file(account, { ...textual, filename: 'script.srt', format: 'srt' }),
    transcript: await host.file(account, { ...textual, filename: 'words.json', format: 'json' }),
  };
}

/** remove_noise on one file, paid, unless told otherwise. */
export const requestFor = (file: StoredFile, changes: Partial<JobRequest> = {}): JobRequest => ({
  tool: 'remove_noise',
  inputs: { file_id: [file.id] },
  options: {},
  idempotencyKey: null,
  maxCredits: null,
  free: undefined,
  ...changes,
});
