import type { Chain, ChainQuote, ChainRequest, Recipe } from './chain-types.ts';
import { ChainError } from './errors.ts';
import type { CallOptions, StartOptions } from './jobs.ts';
import { poll } from './poll.ts';
import type { Requests } from './request.ts';

/** Options for waiting for a chain. */
export interface ChainWaitOptions extends CallOptions {
  /** Called with each record that is asked for before the last. Default: none */
  readonly onProgress?: (chain: Chain) => void;
}

/** Several tools as one. All throw `ApiError` when refused and `ConnectionError` without an answer. */
export interface ChainCalls {
  /** The chains that come with the service. */
  recipes(options?: CallOptions): Promise<readonly Recipe[]>;
  /** What a chain costs at most, by step; starts nothing. */
  quoteChain(request: ChainRequest, options?: CallOptions): Promise<ChainQuote>;
  /** Starts a chain and returns at once. */
  startChain(request: ChainRequest, options?: StartOptions): Promise<Chain>;
  /** The current record. */
  chain(chainId: string, options?: CallOptions): Promise<Chain>;
  /** Chains, newest first, fetched page by page. */
  chains(options?: CallOptions): AsyncIterable<Chain>;
  /**
   * Waits until the chain has succeeded. Aborting the wait does not affect the chain.
   * @throws ChainError when it has failed or was cancelled
   */
  waitForChain(chainId: string, options?: ChainWaitOptions): Promise<Chain>;
  /**
   * Starts a chain and waits until it has succeeded. The signal also cancels the chain.
   * @throws ChainError when it has failed or was cancelled
   */
  runChain(request: ChainRequest, options?: StartOptions & ChainWaitOptions): Promise<Chain>;
  /** Cancels a chain that has not finished. */
  cancelChain(chainId: string, options?: CallOptions): Promise<Chain>;
}

const path = '/api/v1/chains';
const hasEnded = ({ status }: Chain): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

/** @param pages all items of a list */
export function createChains(
  { requests, newKey }: { readonly requests: Requests; newKey(): string },
  pages: <Item>(to: string, signal: AbortSignal | undefined) => AsyncIterable<Item>,
): ChainCalls {
  /** A quote refuses what only an order has. */
  const quoted = ({ settle: _settle, max_credits: _most, ...what }: ChainRequest) => what;
  const calls: ChainCalls = {
    recipes: async ({ signal } = {}) =>
      (await requests.json<{ data: Recipe[] }>({ to: `${path}/recipes`, signal })).data,
    quoteChain: (request, { signal } = {}) =>
      requests.json({ method: 'POST', to: `${path}/quote`, json: quoted(request), signal }),
    startChain: (request, { idempotencyKey = newKey(), signal } = {}) =>
      requests.json({
        method: 'POST',
        to: path,
        json: request,
        headers: { 'idempotency-key': idempotencyKey },
        signal,
      }),
    chain: (chainId, { signal } = {}) => requests.json({ to: `${path}/${encodeURIComponent(chainId)}`, signal }),
    chains: ({ signal } = {}) => pages(path, signal),
    async waitForChain(chainId, { onProgress, signal } = {}) {
      const chain = await poll<Chain>({
        look: (now) => calls.chain(chainId, now === undefined ? {} : { signal: now }),
        hasEnded,
        ...(onProgress === undefined ? {} : { onLook: onProgress }),
        signal,
      });
      if (chain.status !== 'succeeded') throw new ChainError(chain);
      return chain;
    },
    async runChain(request, options = {}) {
      const { id } = await calls.startChain(request, options);
      try {
        return await calls.waitForChain(id, options);
      } catch (thrown) {
        // It may have ended meanwhile; the caller gets the signal's reason.
        if (options.signal?.aborted)
          await calls.cancelChain(id, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
        throw thrown;
      }
    },
    cancelChain: (chainId, { signal } = {}) =>
      requests.json({
        method: 'POST',
        to: `${path}/${encodeURIComponent(chainId)}/cancel`,
        signal,
        repeatable: false,
      }),
  };
  return calls;
}
