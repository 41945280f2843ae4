// Log-mel spectra as Whisper hears them: 16 kHz, frames of 400 samples under a periodic Hann window every 160, power,
// Slaney's mel bands up to 8 kHz with equal areas, decimal logarithm, the range cut to 80 dB and brought to about -1 to
// 1 (Radford et al. 2022, whisper/audio.py; Slaney's Auditory Toolbox 1998, as librosa computes it).
#pragma once

#include <cstddef>
#include <vector>

#include "../base/simd.h"
#include "../sound/stft.h"

namespace earshot {

class LogMel {
 public:
  static constexpr size_t kFrame = 400, kHop = 160, kBins = kFrame / 2 + 1, kMostBands = 256;

  /** bands: 1 to kMostBands. */
  LogMel(Simd simd, size_t bands);

  size_t bands() const { return bands_; }

  /**
   * out: [bands][frames]. Frame t is centred at t * kHop; before the first sample the sound is mirrored (the first one
   * is not repeated), behind the last one it is silence up to frames * kHop, where it is mirrored again. More samples
   * than that are not looked at.
   */
  void process(const float* samples, size_t count, size_t frames, float* out);

 private:
  struct Band {
    size_t first;
    std::vector<float> weights;  // of the bins from `first` on
  };

  size_t bands_;
  Stft stft_;
  std::vector<Band> filters_;
};

}  // namespace earshot
