import type { JsonObject } from '../../../library/core/json.ts';
import type { Funds } from '../accounts/free.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { StepJob, StoredChain } from './stored-chain.ts';

/** A requested chain, before its terms are decided. */
export interface NewChain extends Pick<
  StoredChain,
  'id' | 'accountId' | 'name' | 'recipe' | 'plan' | 'fileIds' | 'settling' | 'price'
> {
  /** null when the client sent no key. */
  readonly idempotency: Idempotency | null;
  /** Pure. Throws the error for the client (insufficient_balance, over_spending_cap); then nothing changes. */
  decide(funds: Pick<Funds, 'availableCredits' | 'usage'>): void;
}

/** A chain with its jobs, in order. */
export interface ChainWithJobs {
  readonly chain: StoredChain;
  /** Of a list: without long results. */
  readonly jobs: readonly StepJob[];
}

/** A chain that an account saved. */
export interface ChainPreset {
  /** By which it is run. */
  readonly name: string;
  /** As data (docs/chains.md). */
  readonly chain: JsonObject;
  readonly createdAt: Date;
}

/** Chains that accounts saved with a name. */
export interface ChainPresetStore {
  /** All of an account, in the order of their names. */
  list(accountId: string): Promise<readonly ChainPreset[]>;
  /** null: it has none of this name. */
  get(accountId: string, name: string): Promise<ChainPreset | null>;
  /** Replaces one of this name. @throws EarshotError limit_exceeded, for more than `most` */
  save(accountId: string, name: string, chain: JsonObject, most: number): Promise<ChainPreset>;
  /** false: it had none of this name. */
  remove(accountId: string, name: string): Promise<boolean>;
}

/** Chains. Their steps are jobs of the store of jobs, which ends chains with them in one transaction. */
export interface ChainStore {
  /**
   * Idempotency, reservation, ledger entry, the chain and the jobs of its first step in one transaction. `created` is
   * false for a repeated request.
   */
  create(chain: NewChain): Promise<{ readonly id: string; readonly created: boolean }>;
  /**
   * The chain that an earlier request with this key created; null when the key is new.
   * @throws EarshotError idempotency_key_reused
   */
  findByIdempotency(accountId: string, idempotency: Idempotency): Promise<string | null>;
  /** null when it does not exist. */
  get(id: string): Promise<ChainWithJobs | null>;
  /** The account's chains, newest first. */
  list(accountId: string, page: PageRequest): Promise<Page<ChainWithJobs>>;
  /**
   * No further step begins.
   * @returns ids of its jobs that have not ended, for the caller to cancel
   * @throws EarshotError job_not_cancellable, not_found
   */
  requestCancel(id: string): Promise<readonly string[]>;
  /**
   * Goes on with chains whose jobs have all ended and that no one went on with: those of processes of the release
   * before. Call regularly.
   * @returns their number
   */
  goOn(): Promise<number>;
}
