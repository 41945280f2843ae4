// exp and erf over vectors, for hot loops.
#pragma once

#include "../base/simd.h"

namespace earshot {

// exp(x) for x <= 0, relative error under 1e-6: 2^n times a polynomial over [-0.5, 0.5] of x / ln 2 - n; 0 below -87.
template <class V> EARSHOT_INLINE V exp_negative(V x) {
  using I = typename IntOf<V>::type;
  const V low = V{} - 87.0f, round = V{} + 12582912.0f;  // 1.5 * 2^23: adding it rounds to whole numbers
  const V kept = vmax(x, low);
  const V scaled = kept * 1.44269504f;
  const V shifted = scaled + round;
  const V n = shifted - round;
  const V f = (kept - n * 0.693145752f) - n * 1.42860677e-6f;
  // Numbers beside vectors: of a splat in a loop GCC makes a dozen instructions.
  V p = f * (1.0f / 720) + 1.0f / 120;
  p = p * f + 1.0f / 24;
  p = p * f + 1.0f / 6;
  p = p * f + 0.5f;
  p = p * f + 1.0f;
  p = p * f + 1.0f;
  const I power = ((I)shifted << 23) + ((I)(V{} + 1.0f));
  const V value = p * (V)power;
  return (V)((I)value & (I)(x > low));
}

// GELU, x times the normal distribution's probability of less than x; erf by Abramowitz and Stegun 7.1.26, absolute
// error under 2e-7.
template <class V> EARSHOT_INLINE V gelu(V x) {
  const V a = vabs(x) * 0.70710678f;
  const V t = 1.0f / (1.0f + 0.3275911f * a);
  V p = t * 1.061405429f - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  const V tail = p * t * exp_negative<V>(-a * a);  // 1 - erf(a)
  const V half = 0.5f * tail;
  return x * (x < V{} ? half : 1.0f - half);
}

}  // namespace earshot
