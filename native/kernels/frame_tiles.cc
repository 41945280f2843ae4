#include "frame_tiles.h"

namespace earshot {
namespace {

constexpr int32_t kMagnitude = 0x7fffffff;
constexpr int32_t kMost = 0x4f800000;  // 2^32: as bits, magnitudes order like whole numbers, and NaN comes above infinity

template <class V> EARSHOT_INLINE bool all_usable_body(const float* x, size_t n) {
  using I = typename IntOf<V>::type;
  constexpr size_t W = lanes_of<V>;
  const I magnitude = I{} + kMagnitude, most = I{} + kMost;
  I bad = I{};
  size_t i = 0;
  for (const size_t whole = n - n % W; i < whole; i += W) bad |= ((I)load<V>(x + i) & magnitude) > most;
  int32_t any = 0;
  for (size_t k = 0; k < W; k++) any |= bad[k];
  for (; i < n; i++) {
    int32_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    any |= (bits & kMagnitude) > kMost ? -1 : 0;
  }
  return any == 0;
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
