// Softmax over what is attended to.
#pragma once

#include "vector_exp.h"

namespace earshot {

/** @param scores memory up to a multiple of 8 */
template <class V> EARSHOT_INLINE void softmax(float* scores, size_t count) {
  constexpr size_t W = lanes_of<V>;
  const size_t whole = count / W * W;
  V peaks = splat<V>(-3e38f);
  for (size_t i = 0; i < whole; i += W) peaks = vmax(load<V>(scores + i), peaks);
  float peak = hmax(peaks);
  for (size_t i = whole; i < count; i++) peak = scores[i] > peak ? scores[i] : peak;
  const V base = splat<V>(peak);
  V sums{};
  for (size_t i = 0; i < whole; i += W) {
    const V e = exp_negative<V>(load<V>(scores + i) - base);
    store<V>(scores + i, e);
    sums += e;
  }
  double sum = hsum(sums);
  if (whole < count) {
    V rest = splat<V>(-1000.0f);
    for (size_t i = whole; i < count; i++) rest[i - whole] = scores[i] - peak;
    const V e = exp_negative<V>(rest);
    for (size_t i = whole; i < count; i++) {
      scores[i] = e[i - whole];
      sum += scores[i];
    }
  }
  const V by = splat<V>(float(1 / sum));
  for (size_t i = 0; i < whole; i += W) store<V>(scores + i, load<V>(scores + i) * by);
  for (size_t i = whole; i < count; i++) scores[i] *= by[0];
}

}  // namespace earshot
