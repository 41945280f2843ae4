// RNNoise's pitch: the period at which the last 20 ms of a sound repeat best (Valin, "A Hybrid DSP/Deep Learning
// Approach to Real-Time Full-Band Speech Enhancement", 2018; the search is that of the Opus codec, RFC 6716).
#pragma once

#include <array>
#include <cstddef>

#include "../base/simd.h"

namespace earshot {

class RnnoisePitch {
 public:
  static constexpr size_t kLeast = 60, kMost = 768;  // periods, in samples at 48 kHz
  static constexpr size_t kFrame = 960;
  /** Samples that a search looks at: a frame, and the longest period before it. */
  static constexpr size_t kSpan = kMost + kFrame;

  explicit RnnoisePitch(Simd simd) : simd_(simd) {}

  /** The period of the last kFrame of kSpan samples, kLeast to kMost. Frames come one after the other. */
  size_t next(const float* samples);

 private:
  static constexpr size_t kHalf = kSpan / 2;

  template <class V> size_t search(const float* samples);
  template <class V> size_t without_multiples(size_t period);
  size_t search_avx2(const float* samples);
  size_t search_baseline(const float* samples);

  Simd simd_;
  std::array<float, kHalf> flat_{};  // at half the rate, its spectrum flattened
  int last_period_ = 0;
  float last_gain_ = 0;
};

}  // namespace earshot
