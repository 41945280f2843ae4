import { toolIds } from '../../library/contract/tool-ids.ts';
import type { Config } from './config.ts';
import { usesLeft, utcDay } from './free.ts';
import type { AccountStore, FreeUses, Ledger } from './ports.ts';
import type { Prices } from './prices.ts';
import type { Accounts } from './service.ts';
import { forEachTool, freeOffer, type FactsByTool } from './tool-facts.ts';

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
