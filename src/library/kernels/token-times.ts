import { nativeKernels } from './load.ts';

/**
 * When tokens were said, read from where a decoder's attention lay while it chose them: normalised over the tokens,
 * smoothed by a median of 7, averaged over the heads, and aligned by dynamic time warping (OpenAI's whisper/timing.py).
 * @param attention [tokens][heads][positions], not negative
 * @returns for each token the position at which it begins, never decreasing; the first begins at 0
 * @throws TypeError when the attention is too short
 */
export const tokenTimes = (
  attention: Float32Array,
  { tokens, heads, positions }: { readonly tokens: number; readonly heads: number; readonly positions: number },
): Float64Array => nativeKernels().tokenTimes(attention, tokens, heads, positions);
