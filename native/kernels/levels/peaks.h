// Waveform peaks: least and greatest sample of every 1/500 s, quantised to 8 bits, and two coarser levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/simd.h"

namespace earshot {

class Peaks {
 public:
  static constexpr uint64_t kBinsPerSecond = 500;

  /** expected_frames reserves memory; 0 when unknown. */
  Peaks(Simd simd, uint32_t sample_rate, size_t channels, uint64_t expected_frames);

  size_t channels() const { return channels_; }
  void push(const float* const* planes, size_t frames);

  /** Closes the last, partial bin. Later pushes continue as if the stream had ended on a bin's border. */
  void finish();

  /** Pairs least, greatest of level 500, then of the levels merged from it by 10 and by 100. Valid after finish. */
  const std::vector<int8_t>& finest() const { return finest_; }
  std::vector<int8_t> merged(size_t bins) const;

  /** Loudest magnitude over all channels, at most 1. */
  double peak() const { return peak_ > 1.0f ? 1.0 : double(peak_); }

 private:
  void close_bin();

  Simd simd_;
  uint64_t sample_rate_;
  size_t channels_;
  uint64_t position_ = 0;  // frames seen
  uint64_t bin_ = 0;       // the bin that is open
  uint64_t bin_end_;       // first frame of the next bin
  bool open_ = false;      // has the open bin any frame?
  float least_ = 0, greatest_ = 0, peak_ = 0;
  std::vector<int8_t> finest_;
  std::vector<float> cleaned_;
  std::vector<const float*> pointers_;
};

}  // namespace earshot
