#include "peaks.h"

#include <algorithm>
#include <cmath>

#include "../base/frame_tiles.h"
#include "../sound/ops.h"

namespace earshot {
namespace {

constexpr size_t kStretch = 8192;  // frames cleaned and scanned at a time: stays in the first-level cache

int8_t quantise(float x) {
  const double scaled = std::round(double(x) * 127.0);  // half away from zero
  return int8_t(scaled < -127.0 ? -127.0 : scaled > 127.0 ? 127.0 : scaled);
}

}  // namespace

Peaks::Peaks(Simd simd, uint32_t sample_rate, size_t channels, uint64_t expected_frames)
    : simd_(simd),
      sample_rate_(sample_rate),
      channels_(channels),
      bin_end_((sample_rate + kBinsPerSecond - 1) / kBinsPerSecond),
      pointers_(channels) {
  // A hint only: an absurd one must not take the machine's memory.
  finest_.reserve(size_t(std::min<uint64_t>(2 * (expected_frames / sample_rate_ + 1) * kBinsPerSecond, 64 << 20)));
}

void Peaks::close_bin() {
  finest_.push_back(open_ ? quantise(least_) : int8_t(0));
  finest_.push_back(open_ ? quantise(greatest_) : int8_t(0));
  peak_ = std::max(peak_, std::max(-least_, greatest_));
  open_ = false;
  least_ = greatest_ = 0;
  bin_++;
  // First frame f with floor(f * 500 / rate) > bin.
  bin_end_ = ((bin_ + 1) * sample_rate_ + kBinsPerSecond - 1) / kBinsPerSecond;
}

void Peaks::push(const float* const* planes, size_t frames) {
  for (size_t at = 0; at < frames;) {
    const size_t n = std::min(frames - at, kStretch);
    for (size_t c = 0; c < channels_; c++) {
      pointers_[c] = planes[c] + at;
      if (all_usable(simd_, pointers_[c], n)) continue;
      cleaned_.resize(channels_ * kStretch);
      float* clean = &cleaned_[c * kStretch];
      copy_usable(simd_, pointers_[c], clean, n);
      pointers_[c] = clean;
    }
    for (size_t i = 0; i < n;) {
      while (position_ >= bin_end_) close_bin();  // more than one at rates below 500 Hz
      const size_t length = size_t(std::min<uint64_t>(n - i, bin_end_ - position_));
      Range range = open_ ? Range{least_, greatest_} : Range{pointers_[0][i], pointers_[0][i]};
      for (size_t c = 0; c < channels_; c++) {
        range = range_of(simd_, pointers_[c] + i, length, range);
      }
      least_ = range.least;
      greatest_ = range.greatest;
      open_ = true;
      i += length;
      position_ += length;
    }
    at += n;
  }
}

void Peaks::finish() {
  if (open_) close_bin();
}

std::vector<int8_t> Peaks::merged(size_t bins) const {
  const size_t count = finest_.size() / 2;
  std::vector<int8_t> out;
  out.reserve(2 * ((count + bins - 1) / bins));
  for (size_t at = 0; at < count; at += bins) {
    int8_t least = finest_[2 * at], greatest = finest_[2 * at + 1];
    for (size_t b = at + 1; b < std::min(at + bins, count); b++) {
      least = std::min(least, finest_[2 * b]);
      greatest = std::max(greatest, finest_[2 * b + 1]);
    }
    out.push_back(least);
    out.push_back(greatest);
  }
  return out;
}

}  // namespace earshot
