#include "true_peak.h"

#include <algorithm>

namespace earshot {
namespace {

template <class V> EARSHOT_INLINE float magnitude_body(const float* x, size_t n, float so_far) {
  constexpr size_t W = lanes_of<V>;
  V a = splat<V>(so_far), b = a;
  size_t i = 0;
  for (const size_t whole = n - n % (2 * W); i < whole; i += 2 * W) {
    a = vmax(vabs(load<V>(x + i)), a);
    b = vmax(vabs(load<V>(x + i + W)), b);
  }
  float best = hmax(vmax(a, b));
  for (; i < n; i++) {
    const float m = x[i] < 0 ? -x[i] : x[i];
    best = m > best ? m : best;
  }
  return best;
}

EARSHOT_AVX2 float magnitude_avx2(const float* x, size_t n, float m) { return magnitude_body<f32x8>(x, n, m); }
float magnitude_baseline(const float* x, size_t n, float m) { return magnitude_body<f32x4>(x, n, m); }

}  // namespace

size_t true_peak_factor(uint32_t sample_rate) { return sample_rate < 96000 ? 8 : sample_rate < 192000 ? 4 : 2; }

TruePeak::TruePeak(Simd simd, uint32_t sample_rate, size_t channels)
    : simd_(simd),
      interpolator_(simd, true_peak_factor(sample_rate)),
      tiles_(simd, channels),
      peaks_(channels),
      buffers_(channels * kBuffer) {}

void TruePeak::measure(const float* const* planes, size_t n, size_t tail) {
  for (size_t c = 0; c < peaks_.size(); c++) {
    Channel& peak = peaks_[c];
    peak.sample_peak = simd_ == Simd::avx2 ? magnitude_avx2(planes[c], n, peak.sample_peak)
                                           : magnitude_baseline(planes[c], n, peak.sample_peak);
    peak.true_peak = std::max(peak.true_peak, peak.sample_peak);
    float* buffer = &buffers_[c * kBuffer];
    std::copy(planes[c], planes[c] + n, buffer + kHistory);
    std::fill(buffer + kHistory + n, buffer + kHistory + n + tail, 0.0f);
    peak.true_peak = interpolator_.greatest(buffer + Interpolator::kBefore, n + tail, peak.true_peak);
    std::copy(buffer + n + tail, buffer + n + tail + kHistory, buffer);
  }
}

void TruePeak::push(const float* const* planes, size_t frames) {
  tiles_.push(planes, frames, [this](const float* const* p, size_t n) { measure(p, n, 0); });
}

void TruePeak::finish() {
  bool flushed = false;
  tiles_.flush([&](const float* const* p, size_t n) {
    measure(p, n, Interpolator::kAfter);
    flushed = true;
  });
  if (flushed) return;
  const std::vector<const float*> none(peaks_.size(), buffers_.data());
  measure(none.data(), 0, Interpolator::kAfter);
}

}  // namespace earshot
