import { toolIds, type ToolId } from '../../../library/contract/tool-ids.ts';
import type { Config } from '../settings/config.ts';
import { usesLeft, utcDay, type FreeUses } from './free.ts';
import type { AccountStore } from './account-store.ts';
import type { Prices } from '../tools/prices.ts';
import { forEachTool, freeOffer, type FactsByTool } from '../tools/tool-facts.ts';
import type { Account } from './account.ts';
import type { PageRequest, Page } from '../shared/page.ts';
import type { LedgerEntry, Ledger } from '../money/ledger.ts';

export interface AccountView {
  readonly account: Account;
  /** By tool, for today (UTC). */
  readonly freeUsesLeft: Readonly<Record<ToolId, number>>;
  readonly prices: Readonly<Record<ToolId, number>>;
  readonly limits: Readonly<Record<string, number>>;
}

/** The account's view of itself. */
export interface Accounts {
  /** Free uses left today, prices and limits. */
  view(account: Account): Promise<AccountView>;
  /** All changes of the balance, newest first. */
  ledger(account: Account, page: PageRequest): Promise<Page<LedgerEntry>>;
  /** What a payment moved: its purchase, refunds and disputes; oldest first. */
  ledgerOf(account: Account, paymentId: string): Promise<readonly LedgerEntry[]>;
}

export interface AccountsDeps {
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly ledger: Ledger;
  readonly freeUses: FreeUses;
  readonly tools: FactsByTool;
  readonly prices: Prices;
  readonly config: Config;
  readonly now?: () => Date;
}

/** The account's view of itself. */
export function createAccounts({
  accounts,
  ledger,
  freeUses,
  tools,
  prices,
  config,
  now = () => new Date(),
}: AccountsDeps): Accounts {
  /** The limits of one account, from the configuration. */
  const limits = Object.freeze({
    maxFileBytes: config.maxFileBytes,
    maxFileSeconds: config.maxSeconds,
    singlePutBytes: config.singlePutBytes,
    uploadsAtOnce: config.accountUploads,
    requestsPerMinute: config.rateLimitAccount,
    maxKeptBytes: config.accountBytes,
    maxFiles: config.accountFiles,
    maxUnfinishedJobs: config.accountJobs,
    fileRetentionSeconds: config.retentionSeconds,
  });

  return {
    async view(account) {
      // The balance may have changed since the request was authenticated.
      const [current, taken, reasons] = await Promise.all([
        accounts.get(account.id),
        freeUses.taken({ id: account.id, day: utcDay(now()) }),
        Promise.all(toolIds.map(async (id) => [id, await tools[id].unavailable()] as const)),
      ]);
      const missing = new Set(reasons.flatMap(([id, reason]) => (reason === null ? [] : [id])));
      return {
        account: current ?? account,
        freeUsesLeft: forEachTool((id) => usesLeft(freeOffer(tools[id], config, !missing.has(id)), taken[id] ?? 0)),
        prices: forEachTool((id) => prices.creditsPerMinute(id)),
        limits,
      };
    },
    ledger: (account, page) => ledger.list(account.id, page, true),
    ledgerOf: (account, paymentId) => ledger.ofPayment(account.id, paymentId),
  };
}
