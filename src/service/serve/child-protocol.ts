import type { ErrorJson } from '../../library/core/errors/errors.ts';
import type { Config } from '../rules/settings/config.ts';

/** Addresses that a child listens on; null: none. */
export interface Addresses {
  readonly address: string | null;
  /** Of the older API's separate port. */
  readonly legacyAddress: string | null;
}

/** Messages between the launcher and its children, the API and the supervisor of jobs. */
export type ToChild =
  | { readonly type: 'start'; readonly config: Config; readonly databaseUrl: string }
  /** Answer `alive`: a process that does not is ended. */
  | { readonly type: 'ask' }
  /** Finish running work within the grace time, then exit. */
  | { readonly type: 'stop' };

export type FromChild =
  /** The child is ready. */
  | ({ readonly type: 'ready' } & Addresses)
  /** The answer to `ask`, with the longest delay of the event loop since the last one. */
  | { readonly type: 'alive'; readonly delaySeconds: number }
  /** It cannot start, and a restart would not help. */
  | { readonly type: 'failed'; readonly error: ErrorJson };
