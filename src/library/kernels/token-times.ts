import { nativeKernels } from './load.ts';

/**
 * Start times of tokens from a decoder's attention at each token: normalised over the tokens, smoothed by a median of
 * 7, averaged over the heads, and aligned by dynamic time warping (OpenAI's whisper/timing.py).
 * @param attention [tokens][heads][positions], not negative
 * @returns for each token its start position, never decreasing; the first starts at 0
 * @throws TypeError when the attention is too short
 */
export const tokenTimes = (
  attention: Float32Array,
  { tokens, heads, positions }: { readonly tokens: number; readonly heads: number; readonly positions: number },
): Float64Array => nativeKernels().tokenTimes(attention, tokens, heads, positions);
