#include "limiter.h"

#include <algorithm>
#include <cmath>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

constexpr double kOne = double(int64_t(1) << 40);
constexpr int64_t kInaudible = int64_t(1) << 16;  // below this a gain is 1 in float32
// Frames around a peak that keep its gain: the taps by which another meter's interpolation would see the gain move.
constexpr size_t kHold = 16;

constexpr size_t kDetectorPoints = 8;  // a sample

EARSHOT_INLINE void scale_body(float* x, float gain, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] *= gain;
}
EARSHOT_AVX2 void scale_avx2(float* x, float gain, size_t n) { scale_body(x, gain, n); }
void scale_baseline(float* x, float gain, size_t n) { scale_body(x, gain, n); }

EARSHOT_INLINE void multiply_body(const float* __restrict x, const float* __restrict gains, float* __restrict to,
                                  size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = x[i] * gains[i];
}
EARSHOT_AVX2 void multiply_avx2(const float* x, const float* g, float* to, size_t n) { multiply_body(x, g, to, n); }
void multiply_baseline(const float* x, const float* g, float* to, size_t n) { multiply_body(x, g, to, n); }

}  // namespace

Limiter::Limiter(Simd simd, const Options& o)
    : simd_(simd),
      interpolator_(simd, kDetectorPoints),
      channels_(o.channels),
      gain_(o.gain),
      threshold_(float(o.ceiling)),
      look_(std::max<size_t>(1, size_t(std::floor(o.lookahead_seconds * o.sample_rate + 0.5)))) {
  // An interval is known kAfter frames after its left sample. The boxes' span, the hold and that delay add up.
  latency_ = look_ + kHold + Interpolator::kAfter - 1;
  window_ = look_ + 2 * kHold + 1;
  stride_ = latency_ + kTile + Interpolator::kOverrun;
  release_ = std::exp(-1.0 / (o.release_seconds * o.sample_rate));
  lines_.resize(channels_ * stride_);
  peaks_.resize(kTile + Interpolator::kOverrun);
  gains_.resize(kTile);
  queue_.resize(window_ + 1);
  const size_t first = (look_ + 1) / 2;
  first_.resize(first);
  second_.resize(look_ + 1 - first);
}

float Limiter::next_gain(int64_t reduction) {
  auto at = [this](size_t i) -> Entry& { return queue_[(queue_head_ + i) % queue_.size()]; };
  if (queue_size_ && at(0).frame + window_ <= frame_) {
    queue_head_ = (queue_head_ + 1) % queue_.size();
    queue_size_--;
  }
  if (reduction > 0) {
    while (queue_size_ && at(queue_size_ - 1).reduction <= reduction) queue_size_--;
    at(queue_size_++) = {reduction, frame_};
  }
  const int64_t wanted = queue_size_ ? at(0).reduction : 0;
  int64_t recovering = int64_t(double(released_) * release_);
  if (recovering < kInaudible) recovering = 0;
  released_ = std::max(wanted, recovering);

  const int64_t n1 = int64_t(first_.size()), n2 = int64_t(second_.size());
  int64_t& slot1 = first_[frame_ % first_.size()];
  first_sum_ += released_ - slot1;
  slot1 = released_;
  const int64_t smooth = (first_sum_ + n1 - 1) / n1;
  int64_t& slot2 = second_[frame_ % second_.size()];
  second_sum_ += smooth - slot2;
  slot2 = smooth;
  frame_++;
  const int64_t applied = (second_sum_ + n2 - 1) / n2;
  deepest_ = std::max(deepest_, applied);
  return float(1.0 - double(applied) / kOne);
}

void Limiter::process_tile(const float* const* in, float* const* out, size_t n) {
  std::fill(peaks_.begin(), peaks_.end(), 0.0f);
  for (size_t c = 0; c < channels_; c++) {
    float* fresh = &lines_[c * stride_] + latency_;
    copy_usable(simd_, in[c], fresh, n);
    if (gain_ != 1.0f) {
      simd_ == Simd::avx2 ? scale_avx2(fresh, gain_, n) : scale_baseline(fresh, gain_, n);
      if (!all_usable(simd_, fresh, n)) copy_usable(simd_, fresh, fresh, n);
    }
    interpolator_.peaks_above(fresh - Interpolator::kAfter, n, threshold_, peaks_.data());
  }
  bool over = false;
  for (size_t i = 0; i < n; i++) over |= peaks_[i] > threshold_;

  const bool through = !over && idle();
  if (through) {
    frame_ += n;
  } else {
    for (size_t i = 0; i < n; i++) {
      const double peak = peaks_[i];
      gains_[i] = next_gain(peak > threshold_ ? int64_t(std::ceil((1.0 - threshold_ / peak) * kOne)) : 0);
    }
  }
  for (size_t c = 0; c < channels_; c++) {
    float* line = &lines_[c * stride_];
    if (through)
      std::memcpy(out[c], line, n * sizeof(float));
    else
      simd_ == Simd::avx2 ? multiply_avx2(line, gains_.data(), out[c], n)
                          : multiply_baseline(line, gains_.data(), out[c], n);
    std::memmove(line, line + n, latency_ * sizeof(float));
  }
}

void Limiter::process(const float* const* in, float* const* out, size_t frames) {
  std::vector<const float*> from(channels_);
  std::vector<float*> to(channels_);
  for (size_t at = 0; at < frames; at += kTile) {
    for (size_t c = 0; c < channels_; c++) {
      from[c] = in[c] + at;
      to[c] = out[c] + at;
    }
    process_tile(from.data(), to.data(), std::min(kTile, frames - at));
  }
}

double Limiter::max_reduction_db() const {
  const double gain = 1.0 - double(deepest_) / kOne;
  return gain > 0 ? -20.0 * std::log10(gain) + 0.0 : 1000.0;
}

}  // namespace earshot
