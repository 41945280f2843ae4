// RNNoise 0.2 (Valin 2018; the network of 2024): suppresses noise in a voice at 48 kHz. Bands get gains from a network;
// between the harmonics of a voice a comb filter at its pitch takes more away.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "rnnoise_bands.h"
#include "rnnoise_network.h"
#include "rnnoise_pitch.h"
#include "../base/simd.h"
#include "../sound/stft.h"

namespace earshot {

/** One recording. */
class Rnnoise {
 public:
  static constexpr size_t kFrame = 480;

  /** @param network complete */
  Rnnoise(Simd simd, std::shared_ptr<const RnnoiseNetwork> network);

  /**
   * `count` frames of sound, full scale 1. The output is two frames behind, and so is voice[count]: the probability of
   * a voice in each frame, 0 to 1. NaN, infinite and absurd samples count as 0.
   */
  void process(const float* samples, size_t count, float* out, float* voice);

 private:
  static constexpr size_t kAtOnce = 8;  // frames, as many as Stft transforms side by side
  static constexpr size_t kBins = RnnoiseBands::kBins, kBands = RnnoiseBands::kBands;
  static constexpr size_t kWindow = 2 * kFrame, kBefore = RnnoisePitch::kSpan - kFrame;
  using Bands = std::array<float, kBands>;

  /** Spectra of the sound and of the sound one period earlier, and what is known of their bands. */
  struct Frames {
    std::vector<float> re, im, earlier_re, earlier_im;  // [1 + kAtOnce][kBins], the first from the call before
    std::array<Bands, 1 + kAtOnce> energy{}, earlier_energy{}, likeness{};
  };

  void some(const float* samples, size_t count, float* out, float* voice);
  void high_pass(const float* samples, size_t count);
  template <class V> float frame(size_t at, size_t period);
  template <class V> bool features(size_t at, size_t period, float* out);
  template <class V> void comb(size_t at, const Bands& gains);
  template <class V> void scale(size_t at, const Bands& gains);
  float frame_avx2(size_t at, size_t period);
  float frame_baseline(size_t at, size_t period);

  Simd simd_;
  std::shared_ptr<const RnnoiseNetwork> network_;
  RnnoiseNetwork::State state_;
  RnnoisePitch pitch_;
  RnnoiseBands bands_;
  Stft stft_, apart_;  // with overlap, and window by window
  Frames frames_;
  std::array<float, kBefore + kAtOnce * kFrame> sound_{};  // after the high-pass, with what a search looks back at
  std::vector<float> earlier_, mixed_;
  std::array<float, 2> high_pass_{};
  Bands last_gains_{};
};

}  // namespace earshot
