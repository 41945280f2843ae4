#include "nearest_row.h"

namespace earshot {
namespace {

template <class V> EARSHOT_INLINE float product(const float* a, const float* b, size_t length) {
  constexpr size_t W = lanes_of<V>;
  V sums[4] = {};
  size_t i = 0;
  for (; i + 4 * W <= length; i += 4 * W) {
    for (size_t k = 0; k < 4; k++) sums[k] += load<V>(a + i + k * W) * load<V>(b + i + k * W);
  }
  float rest = 0;
  for (; i < length; i++) rest += a[i] * b[i];
  const V sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (size_t k = 0; k < W; k++) rest += sum[k];
  return rest;
}

template <class V>
EARSHOT_INLINE size_t nearest(const float* rows, size_t length, size_t count, size_t item, size_t preferred) {
  const float* x = rows + item * length;
  size_t best = preferred < count && preferred != item ? preferred : (item == 0 ? 1 : 0);
  float most = product<V>(x, rows + best * length, length);
  for (size_t other = 0; other < count; other++) {
    if (other == item) continue;
    const float p = product<V>(x, rows + other * length, length);
    if (p > most) {
      most = p;
      best = other;
    }
  }
  return best;
}

EARSHOT_AVX2 size_t nearest_avx2(const float* r, size_t l, size_t n, size_t i, size_t p) {
  return nearest<f32x8>(r, l, n, i, p);
}
size_t nearest_baseline(const float* r, size_t l, size_t n, size_t i, size_t p) {
  return nearest<f32x4>(r, l, n, i, p);
}

}  // namespace

size_t nearest_row(Simd simd, const float* rows, size_t length, size_t count, size_t item, size_t preferred) {
  return simd == Simd::avx2 ? nearest_avx2(rows, length, count, item, preferred)
                            : nearest_baseline(rows, length, count, item, preferred);
}

}  // namespace earshot
