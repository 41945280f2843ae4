import type { ErrorJson } from '../../library/core/errors.ts';
import type { Config } from '../rules/config.ts';

/** Addresses that a child listens on; null: none. */
export interface Addresses {
  readonly address: string | null;
  /** Of the older API's separate port. */
  readonly legacyAddress: string | null;
}

/** Messages between the launcher and its children, the API and the supervisor of jobs. */
export type ToChild =
  | { readonly type: 'start'; readonly config: Config; readonly databaseUrl: string }
  /** Finish running work within the grace time, then exit. */
  | { readonly type: 'stop' };

export type FromChild =
  /** The child is ready. */
  | ({ readonly type: 'ready' } & Addresses)
  /** It cannot start, and a restart would not help. */
  | { readonly type: 'failed'; readonly error: ErrorJson };
