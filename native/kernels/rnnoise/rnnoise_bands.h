// RNNoise's 32 bands over the bins of a transform of 960 samples at 48 kHz: triangles that overlap by half, about as
// wide as the ear's critical bands, from 0 to 20 kHz.
#pragma once

#include <cstddef>

#include "../base/simd.h"

namespace earshot {

class RnnoiseBands {
 public:
  static constexpr size_t kBands = 32, kBins = 481;
  /** From here on, 20 kHz, all gains are 0. */
  static constexpr size_t kEnd = 400;

  RnnoiseBands();

  /** out[kBands] = the sums of values[kEnd] under each triangle. */
  template <class V> EARSHOT_INLINE void sum(const float* values, float* out) const;
  /** out[kEnd] = the value of each bin, drawn between those of the bands. */
  template <class V> EARSHOT_INLINE void spread(const float* bands, float* out) const;
  /** The cosine transform, with the factor that RNNoise was trained with. */
  template <class V> EARSHOT_INLINE void cepstrum(const float* bands, float* out) const;

 private:
  static constexpr size_t kEdges[kBands + 2] = {0,   2,   4,   6,   8,   10,  12,  15,  18,  21, 24,  28,
                                                32,  36,  41,  47,  53,  60,  68,  77,  87,  98, 110, 124,
                                                140, 157, 176, 198, 223, 251, 282, 317, 356, 400};
  float rise_[kEnd];                // 0 at a band's centre to 1 at the next one's
  float cosines_[kBands * kBands];  // [band][coefficient]
};

template <class V> EARSHOT_INLINE void RnnoiseBands::sum(const float* values, float* out) const {
  constexpr size_t W = lanes_of<V>;
  float sums[kBands + 2] = {};
  for (size_t band = 0; band <= kBands; band++) {
    V all{}, rising{};
    size_t i = kEdges[band];
    const size_t end = kEdges[band + 1];
    for (; i + W <= end; i += W) {
      const V x = load<V>(values + i);
      all += x;
      rising += x * load<V>(rise_ + i);
    }
    float rest = float(hsum<V>(all)), up = float(hsum<V>(rising));
    for (; i < end; i++) {
      rest += values[i];
      up += values[i] * rise_[i];
    }
    sums[band] += rest - up;
    sums[band + 1] += up;
  }
  // Half a triangle each.
  sums[1] = (sums[0] + sums[1]) * 2 / 3;
  sums[kBands] = (sums[kBands] + sums[kBands + 1]) * 2 / 3;
  for (size_t band = 0; band < kBands; band++) out[band] = sums[band + 1];
}

template <class V> EARSHOT_INLINE void RnnoiseBands::spread(const float* bands, float* out) const {
  for (size_t i = 0; i < kEdges[1]; i++) out[i] = bands[0];
  for (size_t band = 1; band < kBands; band++) {
    const float from = bands[band - 1], step = bands[band] - from;
    for (size_t i = kEdges[band]; i < kEdges[band + 1]; i++) out[i] = from + step * rise_[i];
  }
  for (size_t i = kEdges[kBands]; i < kEnd; i++) out[i] = bands[kBands - 1];
}

template <class V> EARSHOT_INLINE void RnnoiseBands::cepstrum(const float* bands, float* out) const {
  constexpr size_t W = lanes_of<V>, kAtOnce = kBands / W;
  V sums[kAtOnce] = {};
  for (size_t band = 0; band < kBands; band++) {
    const V by = splat<V>(bands[band]);
    for (size_t k = 0; k < kAtOnce; k++) sums[k] += by * load<V>(cosines_ + band * kBands + k * W);
  }
  for (size_t k = 0; k < kAtOnce; k++) store<V>(out + k * W, sums[k]);
}

}  // namespace earshot
