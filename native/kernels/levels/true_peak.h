// True peak (ITU-R BS.1770-5 Annex 2) and sample peak, per channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/frame_tiles.h"
#include "../base/interpolator.h"

namespace earshot {

/**
 * Points per sample: twice and more of what BS.1770-5 asks for (192000 a second), and the height between them is
 * estimated. At four points a sample a tone of 11 kHz reads up to 0.17 dB low, and a limiter that trusts it lets it
 * over.
 */
size_t true_peak_factor(uint32_t sample_rate);

class TruePeak {
 public:
  struct Channel {
    float true_peak = 0, sample_peak = 0;
  };

  TruePeak(Simd simd, uint32_t sample_rate, size_t channels);

  void push(const float* const* planes, size_t frames);
  /** Measures the filter's tail: the end of the stream is followed by silence. Call once. */
  void finish();
  const std::vector<Channel>& channels() const { return peaks_; }

 private:
  static constexpr size_t kHistory = Interpolator::kTaps - 1;
  static constexpr size_t kBuffer = kHistory + FrameTiles::kTile + Interpolator::kAfter + Interpolator::kOverrun;

  void measure(const float* const* planes, size_t n, size_t tail);

  Simd simd_;
  Interpolator interpolator_;
  FrameTiles tiles_;
  std::vector<Channel> peaks_;
  std::vector<float> buffers_;  // per channel: the last 31 samples, then the tile
};

}  // namespace earshot
