#include "frame_tiles.h"

namespace earshot {
namespace {

constexpr int32_t kMagnitude = 0x7fffffff;
constexpr int32_t kMost =
    0x4f800000;  // 2^32: as bits, magnitudes order like whole numbers, and NaN comes above infinity

// Every kernel runs this over everything it is given: the greatest magnitude as bits, four vectors at a time.
template <class V> EARSHOT_INLINE bool all_usable_body(const float* x, size_t n) {
  using I = typename IntOf<V>::type;
  constexpr size_t W = lanes_of<V>;
  const I magnitude = I{} + kMagnitude;
  I a = I{}, b = I{}, c = I{}, d = I{};
  auto greater = [&](I so_far, size_t at) __attribute__((always_inline)) {
    const I bits = (I)load<V>(x + at) & magnitude;
    return bits > so_far ? bits : so_far;
  };
  size_t i = 0;
  for (const size_t whole = n - n % (4 * W); i < whole; i += 4 * W) {
    a = greater(a, i);
    b = greater(b, i + W);
    c = greater(c, i + 2 * W);
    d = greater(d, i + 3 * W);
  }
  a = a > b ? a : b;
  c = c > d ? c : d;
  a = a > c ? a : c;
  int32_t most = 0;
  for (size_t k = 0; k < W; k++) most = a[k] > most ? a[k] : most;
  for (; i < n; i++) {
    int32_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    bits &= kMagnitude;
    most = bits > most ? bits : most;
  }
  return most <= kMost;
}

EARSHOT_AVX2 bool all_usable_avx2(const float* x, size_t n) { return all_usable_body<f32x8>(x, n); }
bool all_usable_baseline(const float* x, size_t n) { return all_usable_body<f32x4>(x, n); }

}  // namespace

bool all_usable(Simd simd, const float* x, size_t n) {
  return simd == Simd::avx2 ? all_usable_avx2(x, n) : all_usable_baseline(x, n);
}

size_t copy_usable(Simd simd, const float* from, float* to, size_t n) {
  if (all_usable(simd, from, n)) {
    std::memcpy(to, from, n * sizeof(float));
    return 0;
  }
  size_t bad = 0;
  for (size_t i = 0; i < n; i++) {
    int32_t bits;
    std::memcpy(&bits, from + i, sizeof bits);
    const bool usable = (bits & kMagnitude) <= kMost;
    to[i] = usable ? from[i] : 0.0f;
    bad += usable ? 0 : 1;
  }
  return bad;
}

}  // namespace earshot
