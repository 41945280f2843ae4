// Level envelope: mean square of every hop, averaged over channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/frame_tiles.h"

namespace earshot {

class Envelope {
 public:
  Envelope(Simd simd, uint32_t sample_rate, size_t channels, double hop_seconds);

  size_t channels() const { return channels_; }
  void push(const float* const* planes, size_t frames);
  /** Closes the last, partial hop. Call once. */
  void finish();
  const std::vector<float>& mean_square() const { return hops_; }

 private:
  void add(const float* const* planes, size_t n);
  void close_hop();
  uint64_t start_of(uint64_t hop) const;

  Simd simd_;
  double hop_frames_;
  size_t channels_;
  FrameTiles tiles_;
  double open_ = 0;
  uint64_t position_ = 0, hop_ = 0, hop_start_ = 0, hop_end_;
  std::vector<float> hops_;
};

}  // namespace earshot
