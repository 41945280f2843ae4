// Logarithmic mel filter-bank features of 16 kHz, frames of 25 ms every 10 ms, spectra of 512 points, triangles that
// are equally wide in mel. A row does not depend on the rows beside it.
//
// As Kaldi computes them (compute-fbank-feats without dither, energy or partial frames), which is what speaker networks
// are trained on: of each frame the mean is taken away, then pre-emphasis, the Povey window, the power. As YAMNet's
// authors do (research/audioset/yamnet/features.py): a periodic Hann window, the magnitude, and .001 before the
// logarithm.
#pragma once

#include <cstddef>
#include <vector>

#include "../base/simd.h"
#include "../sound/stft.h"

namespace earshot {

class Fbank {
 public:
  static constexpr double kSampleRate = 16000;
  static constexpr size_t kFrame = 400, kHop = 160, kTransform = 512;
  static constexpr size_t kMostBands = 128;

  enum class Form { kKaldi, kYamnet };

  /** 1 <= bands <= kMostBands, 0 <= low_hz < high_hz <= kSampleRate / 2. */
  Fbank(Simd simd, Form form, size_t bands, double low_hz, double high_hz);

  size_t bands() const { return bands_.size(); }
  /** Samples under `count` frames. */
  size_t span(size_t count) const { return count ? (count - 1) * kHop + kFrame : 0; }

  /** Row t is made of the samples from t * kHop on. rows: [count][bands]. */
  void rows(const float* samples, size_t count, float* rows);

 private:
  struct Band {
    size_t first;  // bin of the first weight
    std::vector<float> weights;
  };

  Simd simd_;
  Form form_;
  Stft transform_;  // of frames that lie side by side, windowed before
  std::vector<float> window_;
  std::vector<Band> bands_;
  std::vector<float> usable_, frames_, re_, im_;
};

}  // namespace earshot
