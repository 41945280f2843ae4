// Programme loudness (ITU-R BS.1770-5), momentary and short-term loudness (EBU Tech 3341), loudness range (EBU Tech
// 3342).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/frame_tiles.h"
#include "k_weighting.h"

namespace earshot {

struct LoudnessResult {
  // -infinity where there is no value: too short, silent, or nothing passed the gate.
  double integrated, max_momentary, max_short_term, momentary, short_term;
  double range;  // NaN when no short-term value passed the gate
  uint64_t gated_blocks;
};

class Loudness {
 public:
  /** One weight per channel; a channel of weight 0 is not filtered at all. */
  Loudness(Simd simd, uint32_t sample_rate, std::vector<double> weights);

  size_t channels() const { return weights_.size(); }
  void push(const float* const* planes, size_t frames);
  LoudnessResult result() const;
  /** LUFS of the 3 s that end at each 100 ms from 3 s on; -infinity for silence. */
  std::vector<float> short_term_series() const;
  const KWeighting& filter() const { return filter_; }

 private:
  void filter_tile(const float* const* planes, size_t n);
  Loudness drained() const;
  void close_tick();
  /** First frame of tick k. Ticks are 10 ms, rounded to frames without drift; ten make a sub-block. */
  uint64_t tick_start(uint64_t k) const { return (k * sample_rate_ + 50) / 100; }
  uint64_t start_of(uint64_t sub_block) const { return tick_start(10 * sub_block); }
  /** Mean square of the last 400 ms. */
  double momentary() const;
  /** Mean square of the `count` sub-blocks that end with sub-block `last`. */
  double mean_square(size_t last, size_t count) const;

  uint64_t sample_rate_;
  std::vector<double> weights_;
  KWeighting filter_;
  FrameTiles tiles_;
  std::vector<KWeighting::State> states_;
  std::vector<size_t> heard_;       // channels of weight above 0
  std::vector<double> sub_blocks_;  // weighted energy sum of each whole 100 ms
  double open_ = 0;                 // the same of the one that is not yet whole
  double tick_ = 0;                 // the same of the tick that is not yet whole
  uint64_t ticks_ = 0;              // whole ones
  std::array<double, 40> last_ticks_{};
  double max_momentary_ = 0;
  uint64_t position_ = 0;
};

}  // namespace earshot
