// Long-term average power spectrum: Welch's method with a Hann window, frames at fixed positions, mean over channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/fft.h"
#include "../base/simd.h"

namespace earshot {

class Spectrum {
 public:
  Spectrum(Simd simd, uint32_t sample_rate, size_t channels, size_t size, double every_seconds);

  size_t channels() const { return channels_; }
  void push(const float* const* planes, size_t frames);
  /** A copy in which a stream shorter than one frame, if nothing else, has been measured with zeros after its end. */
  Spectrum drained() const;

  uint64_t frames() const { return frames_; }
  /** size / 2 + 1 bins; power in full-scale squares, so that the bins of one frame add up to its mean square. */
  std::vector<double> mean_power() const;
  const std::vector<double>& max_power() const { return greatest_; }

 private:
  void measure();
  uint64_t start_of(uint64_t frame) const;

  Simd simd_;
  size_t channels_, size_;
  double every_frames_;
  Fft fft_;
  std::vector<float> window_;
  double scale_;
  std::vector<float> held_;  // [channel][size]: what has come of the frame that is being filled
  size_t filled_ = 0;
  uint64_t start_ = 0, position_ = 0, frames_ = 0;
  std::vector<float> re_, im_, power_;
  std::vector<double> sum_, greatest_;
};

}  // namespace earshot
