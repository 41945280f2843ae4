#include "stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace earshot {
namespace {

constexpr float kClipped = 32767.0f / 32768.0f;

// Sums run in float over one tile (at most 1024 frames, spread over the lanes) and in double over the tiles: the
// relative error stays near 1e-7, at half the cost of double lanes.
template <class V> EARSHOT_INLINE void channel_body(const float* x, size_t n, Stats::Channel& into) {
  using I = typename IntOf<V>::type;
  constexpr size_t W = lanes_of<V>;
  V sum[2] = {}, squares[2] = {}, peak[2] = {};
  I clipped[2] = {};
  const V limit = splat<V>(kClipped), shift = splat<V>(into.shift);
  size_t i = 0;
  for (const size_t whole = n - n % (2 * W); i < whole; i += 2 * W) {
    for (size_t k = 0; k < 2; k++) {
      const V raw = load<V>(x + i + k * W), v = raw - shift, m = vabs(raw);
      sum[k] += v;
      squares[k] += v * v;
      peak[k] = vmax(m, peak[k]);
      clipped[k] -= m >= limit;
    }
  }
  double s = hsum(sum[0] + sum[1]), q = hsum(squares[0] + squares[1]);
  float p = hmax(vmax(peak[0], peak[1]));
  const I c = clipped[0] + clipped[1];
  uint64_t count = 0;
  for (size_t k = 0; k < W; k++) count += uint64_t(c[k]);
  for (; i < n; i++) {
    const float m = std::fabs(x[i]);
    const double v = x[i] - into.shift;
    s += v;
    q += v * v;
    p = m > p ? m : p;
    count += m >= kClipped;
  }
  into.sum += s;
  into.sum_of_squares += q;
  into.peak = std::max(into.peak, p);
  into.clipped += count;
}

template <class V>
EARSHOT_INLINE double product_body(const float* a, float shift_a, const float* b, float shift_b, size_t n) {
  constexpr size_t W = lanes_of<V>;
  const V sa = splat<V>(shift_a), sb = splat<V>(shift_b);
  V sum[2] = {};
  size_t i = 0;
  for (const size_t whole = n - n % (2 * W); i < whole; i += 2 * W) {
    for (size_t k = 0; k < 2; k++) sum[k] += (load<V>(a + i + k * W) - sa) * (load<V>(b + i + k * W) - sb);
  }
  double s = hsum(sum[0] + sum[1]);
  for (; i < n; i++) s += double(a[i] - shift_a) * (b[i] - shift_b);
  return s;
}

EARSHOT_AVX2 void channel_avx2(const float* x, size_t n, Stats::Channel& c) { channel_body<f32x8>(x, n, c); }
void channel_baseline(const float* x, size_t n, Stats::Channel& c) { channel_body<f32x4>(x, n, c); }
EARSHOT_AVX2 double product_avx2(const float* a, float sa, const float* b, float sb, size_t n) {
  return product_body<f32x8>(a, sa, b, sb, n);
}
double product_baseline(const float* a, float sa, const float* b, float sb, size_t n) {
  return product_body<f32x4>(a, sa, b, sb, n);
}

}  // namespace

void Stats::count(const float* const* planes, size_t n) {
  const bool wide = simd_ == Simd::avx2;
  if (frames_ == 0) {
    for (size_t c = 0; c < channels_.size(); c++)
      channels_[c].shift = float(std::accumulate(planes[c], planes[c] + n, 0.0) / double(n));
  }
  for (size_t c = 0; c < channels_.size(); c++)
    wide ? channel_avx2(planes[c], n, channels_[c]) : channel_baseline(planes[c], n, channels_[c]);
  if (channels_.size() == 2) {
    const float sa = channels_[0].shift, sb = channels_[1].shift;
    product_ +=
        wide ? product_avx2(planes[0], sa, planes[1], sb, n) : product_baseline(planes[0], sa, planes[1], sb, n);
  }
  frames_ += n;
}

void Stats::push(const float* const* planes, size_t frames) {
  tiles_.push(planes, frames, [this](const float* const* p, size_t n) { count(p, n); });
}

Stats Stats::drained() const {
  Stats copy = *this;
  copy.tiles_.flush([&copy](const float* const* p, size_t n) { copy.count(p, n); });
  return copy;
}

double Stats::correlation() const {
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (channels_.size() != 2 || frames_ == 0) return none;
  const Channel &a = channels_[0], &b = channels_[1];
  const double n = double(frames_), mean_a = a.sum / n, mean_b = b.sum / n;
  const double var_a = a.sum_of_squares / n - mean_a * mean_a, var_b = b.sum_of_squares / n - mean_b * mean_b;
  // Below this share of the power (-120 dB) what varies is float32 rounding.
  const double floor = 1e-12;
  if (!(var_a > floor * mean_square(0)) || !(var_b > floor * mean_square(1))) return none;
  return std::max(-1.0, std::min(1.0, (product_ / n - mean_a * mean_b) / std::sqrt(var_a * var_b)));
}

double Stats::mean(size_t channel) const {
  const Channel& c = channels_[channel];
  return frames_ ? c.shift + c.sum / double(frames_) : 0.0;
}

double Stats::mean_square(size_t channel) const {
  const Channel& c = channels_[channel];
  if (frames_ == 0) return 0.0;
  const double n = double(frames_), shift = c.shift;
  return std::max(0.0, c.sum_of_squares / n + 2.0 * shift * (c.sum / n) + shift * shift);
}

}  // namespace earshot
