// Level statistics in one pass: mean, root mean square, peak, clipped samples, correlation of the first two channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/frame_tiles.h"

namespace earshot {

class Stats {
 public:
  struct Channel {
    // Sums are of (x - shift): with the first tile's mean taken off, an offset does not swamp the variance.
    float shift = 0;
    double sum = 0, sum_of_squares = 0;
    float peak = 0;
    uint64_t clipped = 0;
  };

  Stats(Simd simd, size_t channels) : simd_(simd), tiles_(simd, channels), channels_(channels) {}

  void push(const float* const* planes, size_t frames);
  /** A copy that has also counted the frames that wait for their tile to fill. */
  Stats drained() const;

  uint64_t frames() const { return frames_; }
  uint64_t unusable() const { return tiles_.unusable(); }
  const std::vector<Channel>& channels() const { return channels_; }
  double mean(size_t channel) const;
  double mean_square(size_t channel) const;
  /** Pearson's coefficient of the first two channels; NaN when there are not two or one of them does not vary. */
  double correlation() const;

 private:
  void count(const float* const* planes, size_t n);

  Simd simd_;
  FrameTiles tiles_;
  std::vector<Channel> channels_;
  double product_ = 0;  // sum of first channel * second channel, both shifted
  uint64_t frames_ = 0;
};

}  // namespace earshot
