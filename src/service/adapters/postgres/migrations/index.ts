import type { Migration } from 'kysely/migration';
import { leader } from './0026-leader.ts';
import { runners } from './0001-0020/0014-runners.ts';
import { accountGuards } from './0025-account-guards.ts';
import { first } from './0001-0020/0001-first.ts';
import { jobContents } from './0001-0020/0002-job-contents.ts';
import { uploadReceipts } from './0001-0020/0003-upload-receipts.ts';
import { freeRuns } from './0001-0020/0005-free-runs.ts';
import { legacyJobs } from './0001-0020/0006-legacy-jobs.ts';
import { sameWaitingFile } from './0001-0020/0007-same-waiting-file.ts';
import { tokenKeys } from './0001-0020/0008-token-keys.ts';
import { oldRows } from './0001-0020/0009-old-rows.ts';
import { workerDeaths } from './0001-0020/0010-worker-deaths.ts';
import { paymentDisputes } from './0001-0020/0011-payment-disputes.ts';
import { signIn } from './0001-0020/0012-sign-in.ts';
import { programs } from './0001-0020/0020-programs.ts';
import { pools } from './0001-0020/0017-pools.ts';
import { workers } from './0001-0020/0013-workers.ts';
import { sharedLimits } from './0001-0020/0015-shared-limits.ts';
import { sharedUploads } from './0021-shared-uploads.ts';
import { jobClasses } from './0022-job-classes.ts';
import { lostAttempts } from './0023-lost-attempts.ts';
import { unfit } from './0024-unfit.ts';
import { chains } from './0030-chains.ts';
import { jobsAhead } from './0029-jobs-ahead.ts';
import { disputes } from './0028-disputes.ts';
import { edits } from './0001-0020/0016-edits.ts';
import { tallies } from './0027-tallies.ts';
import { finishedParts } from './0001-0020/0019-finished-parts.ts';
import { editVersions } from './0033-edit-versions.ts';
import { webhooks } from './0031-webhooks.ts';
import { chainWebhooks } from './0032-chain-webhooks.ts';
import { chainPresets } from './0034-chain-presets.ts';
import { accountNotes } from './0036-account-notes.ts';
import { editShares } from './0037-edit-shares.ts';
import { blockedAccounts } from './0038-blocked-accounts.ts';
import { voices } from './0039-voices.ts';
import { voiceReferences } from './0040-voice-references.ts';
import { trueLengths } from './0001-0020/0004-true-lengths.ts';

/** Run in the order of their names. Released migrations must never be changed. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-job-contents': jobContents,
  '0003-upload-receipts': uploadReceipts,
  '0004-true-lengths': trueLengths,
  '0005-free-runs': freeRuns,
  '0006-legacy-jobs': legacyJobs,
  '0007-same-waiting-file': sameWaitingFile,
  '0008-token-keys': tokenKeys,
  '0009-old-rows': oldRows,
  '0010-worker-deaths': workerDeaths,
  '0011-payment-disputes': paymentDisputes,
  '0012-sign-in': signIn,
  '0013-workers': workers,
  '0014-runners': runners,
  '0015-shared-limits': sharedLimits,
  '0016-edits': edits,
  '0027-tallies': tallies,
  '0017-pools': pools,
  '0019-finished-parts': finishedParts,
  '0020-programs': programs,
  '0021-shared-uploads': sharedUploads,
  '0022-job-classes': jobClasses,
  '0023-lost-attempts': lostAttempts,
  '0024-unfit': unfit,
  '0025-account-guards': accountGuards,
  '0026-leader': leader,
  '0028-disputes': disputes,
  '0029-jobs-ahead': jobsAhead,
  '0030-chains': chains,
  '0031-webhooks': webhooks,
  '0032-chain-webhooks': chainWebhooks,
  '0033-edit-versions': editVersions,
  '0034-chain-presets': chainPresets,
  '0036-account-notes': accountNotes,
  '0037-edit-shares': editShares,
  '0038-blocked-accounts': blockedAccounts,
  '0039-voices': voices,
  '0040-voice-references': voiceReferences,
};
