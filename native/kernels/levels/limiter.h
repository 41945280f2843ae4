// Look-ahead true-peak limiter.
//
// Detection: the signal is interpolated (8 points a sample) and each interval's peak says how much gain
// its frames may have. Gain: the greatest reduction within the look-ahead, held, released exponentially, then smoothed
// by two box filters (a triangle) whose whole span lies inside the window of that maximum, so that the smoothed gain
// has reached its value when the peak comes out. Reductions are whole numbers (2^-40 units): the running sums of the
// boxes are exact, never drift, and return to exactly none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/interpolator.h"

namespace earshot {

class Limiter {
 public:
  struct Options {
    uint32_t sample_rate;
    size_t channels;
    double ceiling;  // linear
    float gain;      // linear, applied before
    double lookahead_seconds;
    double release_seconds;  // time constant of the recovery
  };

  Limiter(Simd simd, const Options& options);

  size_t channels() const { return channels_; }
  size_t latency_frames() const { return latency_; }
  /** out[c][i] is the frame `latency_frames` before in[c][i]. out may be in. */
  void process(const float* const* in, float* const* out, size_t frames);
  /** The deepest gain reduction applied so far, in dB, 0 or more. */
  double max_reduction_db() const;

 private:
  static constexpr size_t kTile = 512;

  void process_tile(const float* const* in, float* const* out, size_t n);
  bool idle() const { return released_ == 0 && queue_size_ == 0 && first_sum_ == 0 && second_sum_ == 0; }
  float next_gain(int64_t reduction);

  Simd simd_;
  Interpolator interpolator_;
  size_t channels_;
  float gain_;
  float threshold_;
  size_t look_, latency_, window_, stride_;
  double release_;
  std::vector<float> lines_;  // per channel: `latency_` past frames, the tile, room to overrun
  std::vector<float> peaks_, gains_;

  // Sliding maximum: a queue of falling reductions with the frame each came at.
  struct Entry {
    int64_t reduction;
    uint64_t frame;
  };
  std::vector<Entry> queue_;
  size_t queue_head_ = 0, queue_size_ = 0;
  int64_t released_ = 0;
  std::vector<int64_t> first_, second_;  // the two boxes' rings
  int64_t first_sum_ = 0, second_sum_ = 0, deepest_ = 0;
  uint64_t frame_ = 0;
};

}  // namespace earshot
