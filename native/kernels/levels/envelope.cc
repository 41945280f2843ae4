#include "envelope.h"

#include <algorithm>
#include <cmath>

namespace earshot {
namespace {

template <class V> EARSHOT_INLINE double squares_body(const float* x, size_t n) {
  constexpr size_t W = lanes_of<V>;
  V sum[4] = {};
  size_t i = 0;
  for (const size_t whole = n - n % (4 * W); i < whole; i += 4 * W) {
    for (size_t k = 0; k < 4; k++) {
      const V v = load<V>(x + i + k * W);
      sum[k] += v * v;
    }
  }
  EARSHOT_SHORT_LOOP
  for (const size_t whole = n - n % W; i < whole; i += W) {
    const V v = load<V>(x + i);
    sum[0] += v * v;
  }
  double s = hsum((sum[0] + sum[1]) + (sum[2] + sum[3]));
  EARSHOT_SHORT_LOOP
  for (; i < n; i++) s += double(x[i]) * x[i];
  return s;
}

EARSHOT_AVX2 double squares_avx2(const float* x, size_t n) { return squares_body<f32x8>(x, n); }
double squares_baseline(const float* x, size_t n) { return squares_body<f32x4>(x, n); }

}  // namespace

Envelope::Envelope(Simd simd, uint32_t sample_rate, size_t channels, double hop_seconds)
    : simd_(simd),
      hop_frames_(hop_seconds * sample_rate),
      channels_(channels),
      tiles_(simd, channels),
      hop_end_(start_of(1)) {}

uint64_t Envelope::start_of(uint64_t hop) const { return uint64_t(std::floor(double(hop) * hop_frames_ + 0.5)); }

void Envelope::close_hop() {
  const double samples = double((position_ - hop_start_) * channels_);
  hops_.push_back(samples > 0 ? float(open_ / samples) : 0.0f);
  open_ = 0;
  hop_++;
  hop_start_ = hop_end_;
  hop_end_ = start_of(hop_ + 1);
}

void Envelope::add(const float* const* planes, size_t n) {
  for (size_t at = 0; at < n;) {
    const size_t length = size_t(std::min<uint64_t>(n - at, hop_end_ - position_));
    for (size_t c = 0; c < channels_; c++) {
      open_ += simd_ == Simd::avx2 ? squares_avx2(planes[c] + at, length) : squares_baseline(planes[c] + at, length);
    }
    at += length;
    position_ += length;
    if (position_ == hop_end_) close_hop();
  }
}

void Envelope::push(const float* const* planes, size_t frames) {
  tiles_.push(planes, frames, [this](const float* const* p, size_t n) { add(p, n); });
}

void Envelope::finish() {
  tiles_.flush([this](const float* const* p, size_t n) { add(p, n); });
  if (position_ > hop_start_) close_hop();
}

}  // namespace earshot
