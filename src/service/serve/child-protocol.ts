import type { ErrorJson } from '../../library/core/errors.ts';
import type { Config } from '../rules/config.ts';

/** Where a child listens; null: nowhere. */
export interface Addresses {
  readonly address: string | null;
  /** Of the older API, where it has a port of its own. */
  readonly legacyAddress: string | null;
}

/** What the launcher and its two children, the API and the supervisor of jobs, say to each other. */
export type ToChild =
  | { readonly type: 'start'; readonly config: Config; readonly databaseUrl: string }
  /** Finish what runs, within the grace time, and end. */
  | { readonly type: 'stop' };

export type FromChild =
  /** Where the API listens, and the older API alone. */
  | ({ readonly type: 'ready' } & Addresses)
  /** It cannot start, and starting it again would not help. */
  | { readonly type: 'failed'; readonly error: ErrorJson };
