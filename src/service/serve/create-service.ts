import type { PostgresStores } from '../adapters/postgres/stores.ts';
import { createAccess, type AccessTokenVerifier } from '../rules/accounts/access.ts';
import { createAccounts } from '../rules/accounts/accounts.ts';
import type { AuthorizationServer } from '../rules/accounts/authorization-server.ts';
import type { Config } from '../rules/settings/config.ts';
import { type Arrivals, createArrivals } from '../rules/files/arrivals.ts';
import { type Chains, type ChainsDeps, createChains } from '../rules/chains/chains.ts';
import { createEdits } from '../rules/edits/edits.ts';
import { createShares } from '../rules/edits/shares.ts';
import { createFiles } from '../rules/files/files.ts';
import { createFreeRuns } from '../rules/free-runs/create-free-runs.ts';
import type { Visitors } from '../rules/free-runs/visitors.ts';
import { createLegacyJobs } from '../rules/legacy-jobs/create-legacy-jobs.ts';
import { createJobs } from '../rules/jobs/jobs.ts';
import { createOrigins } from '../rules/jobs/origins.ts';
import { createOrder, type OrderJob } from '../rules/jobs/order.ts';
import { createPeaks } from '../rules/files/peaks.ts';
import type { OfferedFacts } from '../rules/tools/offer.ts';
import type { LinkFetcher } from '../rules/files/links.ts';
import type { ObjectStore } from '../rules/files/object-store.ts';
import type { PaymentProvider } from '../rules/money/payment-provider.ts';
import { createPayments } from '../rules/payments/payments.ts';
import { createPrograms } from '../rules/sign-in/programs.ts';
import { createPrices } from '../rules/tools/prices.ts';
import type { Log } from '../rules/shared/log.ts';
import { createKeys } from '../rules/sign-in/keys.ts';
import type { Mailer } from '../rules/mails/mailer.ts';
import { createOverview } from '../rules/operator/overview.ts';
import type { Service } from '../rules/service.ts';
import { createAccountNotes } from '../rules/accounts/account-notes.ts';
import type { Refills } from '../rules/payments/payment-use-cases.ts';
import type { PasskeyChecks } from '../rules/sign-in/passkey-checks.ts';
import { createFreshSignIn } from '../rules/sign-in/fresh-sign-in.ts';
import { createAccountNotices } from '../rules/sign-in/notices.ts';
import { createSignIn } from '../rules/sign-in/sign-in.ts';
import type { Tokens } from '../rules/shared/tokens.ts';
import { createChainPlanner } from './chain-planner.ts';
import { createPasskeyChecks } from './passkey-checks.ts';
import { rememberAvailability } from '../rules/tools/availability.ts';
import { indexTools } from '../rules/tools/tool-facts.ts';
import { createTools } from '../rules/jobs/tools.ts';
import { createWebhooks } from '../rules/webhooks/webhooks.ts';
import { createVoices } from '../rules/voices/voices.ts';
import { createTranscripts } from '../rules/files/transcripts.ts';

/** Dependencies of the service: settings, stores and adapters. */
export interface ServiceDeps {
  readonly config: Config;
  /**
   * The public address, without a trailing slash. Called for every link: it may only be known once the service listens.
   */
  readonly baseUrl: () => string;
  readonly stores: Omit<
    PostgresStores,
    'runners' | 'settings' | 'tokenKeys' | 'programKeys' | 'fleet' | 'reconciliation' | 'close'
  >;
  readonly objects: ObjectStore;
  readonly links: LinkFetcher;
  readonly tokens: Tokens;
  readonly visitors: Visitors;
  /** null: payments are switched off. */
  readonly provider: PaymentProvider | null;
  /** null: no mails are sent. Default: null. */
  readonly mailer?: Mailer | null;
  /** WebAuthn. Default: by @simplewebauthn/server, loaded with the first passkey. */
  readonly passkeyChecks?: PasskeyChecks;
  /** Default: nothing is logged. */
  readonly log?: Pick<Log, 'warn'>;
  /** null: access tokens are not accepted. */
  readonly verifier: AccessTokenVerifier | null;
  /** null: none are issued. Default: null. */
  readonly authorizationServer?: AuthorizationServer | null;
  /** The facts of every public tool. */
  readonly tools: readonly OfferedFacts[];
  /** Default: counts the uploads of this service alone. */
  readonly arrivals?: Arrivals;
  /** The clock of all rules. Default: the system's. */
  readonly now?: () => Date;
}

/** Creates all use cases. */
export function createService({
  config,
  baseUrl,
  stores,
  objects,
  links,
  tokens,
  visitors,
  provider,
  mailer = null,
  passkeyChecks = createPasskeyChecks(),
  log = { warn: () => undefined },
  verifier,
  authorizationServer: server = null,
  tools: declared,
  arrivals = createArrivals(config.accountUploads),
  now = () => new Date(),
}: ServiceDeps): Service {
  const { accounts, signIn, ledger, freeUses, freeRuns, payments, legacyJobs, jobs, files, changes } = stores;
  const tools = rememberAvailability(indexTools(declared));
  const prices = createPrices(tools, config.prices);
  const fresh = createFreshSignIn(config, now);
  const mails = { mailer, log, baseUrl, now };
  const notices = createAccountNotices(mails);
  const shownPayments = createPayments({ ...stores, provider, tokens, config, ...mails });
  const ordering = {
    jobs,
    files,
    objects,
    voices: stores.voices,
    tools,
    prices,
    config,
    buyUrl: shownPayments.buyUrl,
    now,
  };
  const order = thenRefill(createOrder(ordering), shownPayments.refills);
  const shownJobs = createJobs({ ...ordering, changes }, order);
  const shownFiles = createFiles({ files, objects, links, changes, tokens, config, baseUrl, now }, arrivals);
  const editing = { create: shownJobs.create, remove: shownFiles.remove };
  const edits = createEdits({ edits: stores.edits, files, jobs, ...editing, objects, config, now });
  return {
    access: createAccess(accounts, verifier, now, stores.programs),
    accounts: createAccounts({ accounts, ledger, freeUses, tools, prices, config, now }),
    tools: createTools({ tools, prices, files, freeUses, config, now }),
    files: shownFiles,
    jobs: shownJobs,
    origins: createOrigins({ files, jobs, now }),
    chains: createPaidChains({ ...ordering, ...stores, presets: stores.chainPresets }, shownPayments.refills),
    notes: createAccountNotes(stores.accountNotes),
    voices: createVoices({ voices: stores.voices, files, now }),
    peaks: createPeaks({ files, objects, changes, now }),
    transcripts: createTranscripts({ files, objects }),
    edits,
    shares: createShares({ shares: stores.shares, edits, files, accounts, objects, signIn, tokens, baseUrl, now }),
    payments: shownPayments,
    webhooks: createWebhooks({ webhooks: stores.webhooks, links, sendsMails: mailer !== null }),
    signIn: createSignIn({
      accounts,
      signIn,
      jobs,
      chains: stores.chains,
      files: shownFiles,
      passkeyChecks,
      fresh,
      notices,
      config,
      ...mails,
    }),
    said: stores.said,
    keys: createKeys({ accounts, fresh, notices, now }),
    programs: server === null ? null : createPrograms({ server, programs: stores.programs, fresh, notices }),
    overview: createOverview({ jobs, files, freeRuns, payments, load: stores.load, config, now }),
    legacyJobs: createLegacyJobs({ ...ordering, legacyJobs, links, changes, order, arrivals, tokens }),
    freeRuns: createFreeRuns({
      freeRuns,
      freeUses,
      files,
      jobs,
      objects,
      links,
      changes,
      tokens,
      visitors,
      tools,
      prices,
      order,
      arrivals,
      config,
      baseUrl,
      now,
    }),
  };
}

/** An order spends credits or finds too few: either may make a refill due. */
function thenRefill(order: OrderJob, refills: Refills): OrderJob {
  if (!refills.possible) return order;
  return async (owner, ...rest) => {
    try {
      return await order(owner, ...rest);
    } finally {
      if (owner.accountId !== null) void refills.check(owner.accountId);
    }
  };
}

/** As `thenRefill`, for chains. */
function createPaidChains(deps: Omit<ChainsDeps, 'planner'>, refills: Refills): Chains {
  const chains = createChains({ ...deps, planner: createChainPlanner() });
  if (!refills.possible) return chains;
  return {
    ...chains,
    async create(account, request) {
      try {
        return await chains.create(account, request);
      } finally {
        void refills.check(account.id);
      }
    },
  };
}
