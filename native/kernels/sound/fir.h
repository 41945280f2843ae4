// Convolution of a stream with a long filter: overlap-save, so that the cost per sample grows with the logarithm of the
// filter's length.
#pragma once

#include <cstddef>
#include <vector>

#include "../base/fft.h"
#include "../base/simd.h"

namespace earshot {

class Fir {
 public:
  static constexpr size_t kMostTaps = 16384;

  /** taps: 1 to kMostTaps. */
  Fir(Simd simd, size_t channels, const std::vector<float>& taps);

  size_t channels() const { return channels_; }
  /** Frames by which the output lags the convolution's. */
  size_t latency_frames() const { return hop_; }
  /** out may be in. */
  void process(const float* const* in, float* const* out, size_t frames);

 private:
  void convolve();

  Simd simd_;
  size_t channels_, taps_, size_, hop_;
  Fft fft_;
  std::vector<float> response_re_, response_im_;  // divided by size, for the way back
  std::vector<float> held_;   // [channel][size]: the last taps - 1 samples and what has come of the next hop
  std::vector<float> ready_;  // [channel][hop]
  std::vector<float> re_, im_;
  size_t filled_ = 0;
};

}  // namespace earshot
