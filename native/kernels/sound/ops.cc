#include "ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

// sin(pi/2 t) for 0 <= t <= 1; Taylor's series to the 13th power, error below 1e-9: vectorises, and gives every frame
// the same bits wherever its vector begins.
EARSHOT_INLINE double quarter_sine(double t) {
  const double x = 1.57079632679489661923 * t, y = x * x;
  return x * (1 + y * (-1.0 / 6 +
                       y * (1.0 / 120 + y * (-1.0 / 5040 +
                                             y * (1.0 / 362880 + y * (-1.0 / 39916800 + y * (1.0 / 6227020800.0)))))));
}

EARSHOT_INLINE void gain_body(float* x, size_t n, float gain) {
  for (size_t i = 0; i < n; i++) x[i] *= gain;
}
// In vectors of its own: both may be the same sound, where Clang would take one sample at a time.
template <class V> EARSHOT_INLINE void mix_body(float* target, const float* source, size_t n, float gain) {
  constexpr size_t W = lanes_of<V>;
  const V by = splat<V>(gain);
  size_t i = 0;
  for (const size_t whole = n - n % W; i < whole; i += W)
    store<V>(target + i, load<V>(target + i) + load<V>(source + i) * by);
  for (; i < n; i++) target[i] += source[i] * gain;
}
EARSHOT_INLINE void mix_two_body(const float* a, const float* ga, const float* b, const float* gb, float* out,
                                 size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = a[i] * ga[i] + b[i] * gb[i];
}
// Always the whole tile: a fixed trip count has no scalar remainder that could round otherwise.
EARSHOT_INLINE void fade_body(bool equal_power, double position, double total, float* __restrict falling,
                              float* __restrict rising) {
  for (int i = 0; i < int(kFadeTile); i++) {
    double t = (position + i + 0.5) / total;
    t = t < 1.0 ? t : 1.0;
    rising[i] = float(equal_power ? quarter_sine(t) : t);
    falling[i] = float(equal_power ? quarter_sine(1.0 - t) : 1.0 - t);
  }
}

// Least and greatest do not depend on order, so the last vector may overlap the one before it.
template <class V> EARSHOT_INLINE Range range_body(const float* x, size_t n, Range so_far) {
  constexpr size_t W = lanes_of<V>;
  if (n < W) {
    for (size_t i = 0; i < n; i++) {
      so_far.least = x[i] < so_far.least ? x[i] : so_far.least;
      so_far.greatest = x[i] > so_far.greatest ? x[i] : so_far.greatest;
    }
    return so_far;
  }
  V least = load<V>(x + n - W), greatest = least, least2 = least, greatest2 = least;
  size_t i = 0;
  for (const size_t whole = n - n % (2 * W); i < whole; i += 2 * W) {
    const V a = load<V>(x + i), b = load<V>(x + i + W);
    least = vmin(a, least);
    greatest = vmax(a, greatest);
    least2 = vmin(b, least2);
    greatest2 = vmax(b, greatest2);
  }
  if (i + W <= n) {
    const V a = load<V>(x + i);
    least = vmin(a, least);
    greatest = vmax(a, greatest);
  }
  const float lo = hmin(vmin(least, least2)), hi = hmax(vmax(greatest, greatest2));
  return {lo < so_far.least ? lo : so_far.least, hi > so_far.greatest ? hi : so_far.greatest};
}

EARSHOT_AVX2 Range range_avx2(const float* x, size_t n, Range r) { return range_body<f32x8>(x, n, r); }
Range range_baseline(const float* x, size_t n, Range r) { return range_body<f32x4>(x, n, r); }

EARSHOT_AVX2 void gain_avx2(float* x, size_t n, float g) { gain_body(x, n, g); }
void gain_baseline(float* x, size_t n, float g) { gain_body(x, n, g); }
EARSHOT_AVX2 void mix_avx2(float* t, const float* s, size_t n, float g) { mix_body<f32x8>(t, s, n, g); }
void mix_baseline(float* t, const float* s, size_t n, float g) { mix_body<f32x4>(t, s, n, g); }
EARSHOT_AVX2 void mix_two_avx2(const float* a, const float* ga, const float* b, const float* gb, float* o, size_t n) {
  mix_two_body(a, ga, b, gb, o, n);
}
void mix_two_baseline(const float* a, const float* ga, const float* b, const float* gb, float* o, size_t n) {
  mix_two_body(a, ga, b, gb, o, n);
}
EARSHOT_AVX2 void fade_avx2(bool e, double p, double t, float* f, float* r) { fade_body(e, p, t, f, r); }
void fade_baseline(bool e, double p, double t, float* f, float* r) { fade_body(e, p, t, f, r); }

}  // namespace

void apply_gain(Simd simd, float* x, size_t n, float gain) {
  simd == Simd::avx2 ? gain_avx2(x, n, gain) : gain_baseline(x, n, gain);
}

Range range_of(Simd simd, const float* x, size_t n, Range so_far) {
  return simd == Simd::avx2 ? range_avx2(x, n, so_far) : range_baseline(x, n, so_far);
}

void tile_ranges(Simd simd, const float* x, size_t n, size_t tile, float* out) {
  for (size_t at = 0; at < n; at += tile, out += 2) {
    const size_t length = std::min(tile, n - at);
    const bool usable = all_usable(simd, x + at, length);
    const Range range = usable ? range_of(simd, x + at, length, {x[at], x[at]}) : Range{-INFINITY, INFINITY};
    out[0] = range.least;
    out[1] = range.greatest;
  }
}

void mix_into(Simd simd, float* target, const float* source, size_t n, float gain) {
  simd == Simd::avx2 ? mix_avx2(target, source, n, gain) : mix_baseline(target, source, n, gain);
}

void mix_two(Simd simd, const float* a, const float* ga, const float* b, const float* gb, float* out, size_t n) {
  simd == Simd::avx2 ? mix_two_avx2(a, ga, b, gb, out, n) : mix_two_baseline(a, ga, b, gb, out, n);
}

void fade_gains(Simd simd, FadeShape shape, uint64_t position, uint64_t total, size_t n, float* falling,
                float* rising) {
  float all_falling[kFadeTile], all_rising[kFadeTile];
  const bool equal_power = shape == FadeShape::equal_power;
  if (simd == Simd::avx2)
    fade_avx2(equal_power, double(position), double(total), all_falling, all_rising);
  else
    fade_baseline(equal_power, double(position), double(total), all_falling, all_rising);
  std::memcpy(falling, all_falling, n * sizeof(float));
  std::memcpy(rising, all_rising, n * sizeof(float));
}

}  // namespace earshot
