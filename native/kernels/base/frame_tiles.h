// Cuts a stream of planar blocks into tiles of a fixed length at absolute positions, so that what a kernel computes
// cannot depend on how the caller cut the stream. Unusable samples (NaN, infinite, or beyond 2^32, which is 190 dB over
// full scale and would overflow a sum of squares in float) come out as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simd.h"

namespace earshot {

/** True when every sample of x[0, n) is usable. */
bool all_usable(Simd simd, const float* x, size_t n);

/** Copies n samples, writing 0 for unusable ones. Answers how many those were. */
size_t copy_usable(Simd simd, const float* from, float* to, size_t n);

class FrameTiles {
 public:
  static constexpr size_t kTile = 1024;

  FrameTiles(Simd simd, size_t channels)
      : simd_(simd), channels_(channels), held_(channels * kTile), pointers_(channels) {}

  /** Calls use(planes, kTile) for each whole tile. */
  template <class Use> void push(const float* const* planes, size_t frames, Use&& use) {
    size_t at = 0;
    while (at < frames) {
      if (pending_ == 0 && frames - at >= kTile) {
        for (size_t c = 0; c < channels_; c++) pointers_[c] = clean(planes[c] + at, c);
        at += kTile;
        use(pointers_.data(), kTile);
        continue;
      }
      const size_t take = frames - at < kTile - pending_ ? frames - at : kTile - pending_;
      for (size_t c = 0; c < channels_; c++) {
        unusable_ += copy_usable(simd_, planes[c] + at, &held_[c * kTile + pending_], take);
      }
      at += take;
      pending_ += take;
      if (pending_ == kTile) flush(use);
    }
  }

  /** Calls use(planes, n) with the 0 < n <= kTile frames that wait for the rest of their tile. */
  template <class Use> void flush(Use&& use) {
    if (pending_ == 0) return;
    const size_t n = pending_;
    for (size_t c = 0; c < channels_; c++) pointers_[c] = &held_[c * kTile];
    pending_ = 0;
    use(pointers_.data(), n);
  }

  /** Unusable samples so far, over all channels. */
  uint64_t unusable() const { return unusable_; }

 private:
  const float* clean(const float* x, size_t channel) {
    if (all_usable(simd_, x, kTile)) return x;
    float* to = &held_[channel * kTile];
    unusable_ += copy_usable(simd_, x, to, kTile);
    return to;
  }

  Simd simd_;
  size_t channels_;
  size_t pending_ = 0;
  uint64_t unusable_ = 0;
  std::vector<float> held_;
  std::vector<const float*> pointers_;
};

}  // namespace earshot
