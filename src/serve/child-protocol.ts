import type { ErrorJson } from '../core/errors.ts';
import type { Config } from '../service/config.ts';

/** What the launcher and its two children, the API and the supervisor of jobs, say to each other. */
export type ToChild =
  | { readonly type: 'start'; readonly config: Config; readonly databaseUrl: string }
  /** Finish what runs, within the grace time, and end. */
  | { readonly type: 'stop' };

export type FromChild =
  /** `address` is where the API listens. */
  | { readonly type: 'ready'; readonly address: string | null }
  /** It cannot start, and starting it again would not help. */
  | { readonly type: 'failed'; readonly error: ErrorJson };
