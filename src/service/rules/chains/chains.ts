import { createHash } from 'node:crypto';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Account } from '../accounts/account.ts';
import { decideTerms, nextUtcMidnight, type TermsRequest } from '../accounts/free.ts';
import { type Quotas, requireRoomForJob } from '../accounts/quotas.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { JobStore } from '../jobs/job-store.ts';
import { type Following, withOutputs } from '../jobs/jobs.ts';
import { createJobWatch } from '../jobs/watch.ts';
import { canonicalJson } from '../jobs/request-hash.ts';
import { newId } from '../shared/ids.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { Changes } from '../shared/wait-for.ts';
import type { ChainPresetStore, ChainStore, ChainWithJobs } from './chain-store.ts';
import type { StepPrice } from './estimate.ts';
import { createPreparation, type ForetoldOrder, type PreparationDeps } from './prepare.ts';
import type { ChainOrder, ShownRecipe } from './planner.ts';
import { createPresets, type Presets } from './presets.ts';
import type { Settling } from './stored-chain.ts';

/** A chain of an account's files. */
export interface ChainRequest extends ChainOrder {
  /** In order. */
  readonly fileIds: readonly string[];
  readonly settling: Settling;
  readonly idempotencyKey: string | null;
  readonly maxCredits: number | null;
}

export interface ChainView extends ChainWithJobs {
  /** Its results; none before its end. */
  readonly outputs: readonly StoredFile[];
}

/** The most that a chain costs, by step. */
export interface ChainQuote {
  readonly name: string;
  readonly credits: number;
  readonly steps: readonly StepPrice[];
}

/** Several tools one after the other on an account's files, as one: one price, one reservation, one progress. */
export interface Chains extends Presets {
  /** Those that come with Earshot. */
  readonly recipes: readonly ShownRecipe[];
  /** What it would cost at most. @throws EarshotError as `create`, but for want of credits */
  quote(
    account: Account,
    request: Omit<ChainRequest, 'idempotencyKey' | 'maxCredits' | 'settling'>,
  ): Promise<ChainQuote>;
  /** The same for files that are not here yet, by their lengths. @throws EarshotError as `quote`, but for files */
  foretell(order: ForetoldOrder): Promise<ChainQuote>;
  /**
   * Checks the chain and its price, reserves the credits and enqueues its first step.
   * @throws EarshotError insufficient_balance, over_spending_cap, and errors of tools, which name the step
   */
  create(account: Account, request: ChainRequest): Promise<ChainView>;
  /** The account's chains, newest first. */
  list(account: Account, page: PageRequest): Promise<Page<ChainView>>;
  /** The chain with its steps and results. @throws EarshotError not_found */
  get(account: Account, id: string): Promise<ChainView>;
  /**
   * Calls the listener with the chain's state, and again at every change until it has ended, as `Jobs.follow`.
   * @throws EarshotError not_found
   */
  follow(account: Account, id: string, listener: Following<ChainView>): Promise<{ readonly stop: () => void }>;
  /** Cancels a waiting chain at once, a running one soon. @throws EarshotError not_found, job_not_cancellable */
  cancel(account: Account, id: string): Promise<ChainView>;
}

export interface ChainsDeps extends PreparationDeps {
  readonly chains: ChainStore;
  readonly jobs: Pick<JobStore, 'requestCancel'>;
  readonly presets: ChainPresetStore;
  readonly changes: Changes;
  readonly config: PreparationDeps['config'] & Quotas;
  /** The page where an account buys credits; null: none. */
  readonly buyUrl: (accountId: string) => string | null;
}

/** The use cases of chains. */
export function createChains(deps: ChainsDeps): Chains {
  const { chains, presets, jobs, files, planner, config, buyUrl, now } = deps;
  const { prepare, foretell } = createPreparation(deps);
  const total = (steps: readonly StepPrice[]): number => steps.reduce((sum, { credits }) => sum + credits, 0);
  const { known, ...shownPresets } = createPresets(presets, planner);

  async function views(found: readonly ChainWithJobs[]): Promise<ChainView[]> {
    const shown = await withOutputs(
      files,
      found.map(({ chain }) => chain),
      now(),
    );
    return found.map((one, index) => ({ ...one, outputs: shown[index]?.outputs ?? [] }));
  }

  async function load(id: string): Promise<ChainView | null> {
    const found = await chains.get(id);
    return found === null ? null : ((await views([found]))[0] ?? null);
  }

  async function view(id: string): Promise<ChainView> {
    const only = await load(id);
    if (only === null) throw noChain(id);
    return only;
  }

  const watch = createJobWatch(deps.changes, load, ({ chain }) => ({ status: chain.status, progress: 0 }));

  async function owned(account: Account, id: string): Promise<ChainView> {
    const found = await view(id);
    // Another account's is reported as missing, so that ids cannot be probed.
    if (found.chain.accountId !== account.id) throw noChain(id);
    return found;
  }

  return {
    recipes: planner.recipes,
    ...shownPresets,
    async quote(account, request) {
      const { name, steps } = await prepare(account, await known(account, request));
      return { name, steps, credits: total(steps) };
    },
    async foretell(order) {
      const { name, steps } = await foretell(order);
      return { name, steps, credits: total(steps) };
    },
    async create(account, request) {
      const { idempotencyKey: key, settling, maxCredits, fileIds } = request;
      const idempotency = key === null ? null : { key, requestHash: hashChain(request) };
      try {
        const order = await known(account, request);
        const { name, plan, steps } = await prepare(account, order);
        const price = total(steps);
        const { id } = await chains.create({
          id: newId('chain'),
          accountId: account.id,
          name,
          // A preset's name is the account's own text, which no event tells.
          recipe: order.recipe,
          plan,
          fileIds,
          settling,
          price,
          idempotency,
          decide({ availableCredits, usage }) {
            if (usage !== undefined) requireRoomForJob(usage, config);
            const buy = (): string | null => buyUrl(account.id);
            decideTerms(termsOf(name, price, maxCredits, buy, now()), {
              availableCredits,
              freeUsesTaken: 0,
              freeSecondsTaken: 0,
            });
          },
        });
        return await view(id);
      } catch (thrown) {
        // A repeated request gets its chain even if it would be refused now: its files may be deleted.
        const earlier = idempotency === null ? null : await chains.findByIdempotency(account.id, idempotency);
        if (earlier === null) throw thrown;
        return await view(earlier);
      }
    },
    async list(account, page) {
      const { items, nextCursor } = await chains.list(account.id, page);
      return { items: await views(items), nextCursor };
    },
    get: owned,
    async follow(account, id, listener) {
      const first = await owned(account, id);
      listener(first, watch.isFinal(first));
      if (watch.isFinal(first)) return { stop: () => undefined };
      return watch.follow(id, first, (next) => listener(next, watch.isFinal(next)));
    },
    async cancel(account, id) {
      await owned(account, id);
      await cancelChain({ chains, jobs }, id);
      return view(id);
    },
  };
}

/** A chain is paid as a whole: it has no free part. */
const termsOf = (
  name: string,
  price: number,
  maxCredits: number | null,
  buyUrl: () => string | null,
  at: Date,
): TermsRequest => ({
  tool: name,
  price,
  maxCredits,
  buyUrl,
  free: false,
  alwaysFree: false,
  visitor: false,
  lengthSeconds: 0,
  offer: { enabled: false, seconds: null, dailyUses: 0 },
  resetsAt: nextUtcMidnight(at),
  budgetSeconds: null,
});

/** @throws EarshotError not_found, job_not_cancellable */
export async function cancelChain(
  {
    chains,
    jobs,
  }: { readonly chains: Pick<ChainStore, 'requestCancel'>; readonly jobs: Pick<JobStore, 'requestCancel'> },
  id: string,
): Promise<void> {
  for (const jobId of await chains.requestCancel(id))
    await jobs.requestCancel(jobId).catch((thrown: unknown) => {
      // It has ended meanwhile, and no further step begins.
      if (EarshotError.from(thrown).code !== 'job_not_cancellable') throw thrown;
    });
}

/** Exactly one of a recipe and a chain. @throws EarshotError bad_request */
export function requireOne({ recipe, chain }: Pick<ChainOrder, 'recipe' | 'chain'>): void {
  const hasChain = chain !== undefined && chain !== null;
  if ((recipe !== null) !== hasChain) return;
  throw new EarshotError(
    'bad_request',
    `Expected either recipe or chain but received ${hasChain ? 'both' : 'neither'}`,
    {
      details: { field: 'recipe', expected: 'either recipe or chain' },
    },
  );
}

const noChain = (id: string): EarshotError =>
  new EarshotError('not_found', `There is no chain ${id}`, { details: { id } });

/** SHA-256, hex, of a request without its idempotency key, unlike that of any job. */
function hashChain({ idempotencyKey: _key, ...request }: ChainRequest): string {
  return createHash('sha256')
    .update(canonicalJson({ chains: request }))
    .digest('hex');
}
