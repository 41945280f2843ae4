// Short-time Fourier transform and its overlap-add inverse, for frames whose length is a product of 2, 3 and 5.
//
// Eight frames are transformed side by side, one per vector lane: every frame sees the same operations in the same
// order, so a spectrum does not depend on how many frames a call is about.
#pragma once

#include <cstddef>
#include <vector>

#include "../base/simd.h"

namespace earshot {

class Stft {
 public:
  static constexpr size_t kLeastFrame = 32, kMostFrame = 16384;

  /** Can frames of this length be transformed? Even, within the limits, a product of 2, 3 and 5. */
  static bool fits(size_t frame);

  /** window: as long as a frame. 1 <= hop <= frame. */
  Stft(Simd simd, const std::vector<float>& window, size_t hop);

  size_t frame() const { return frame_; }
  size_t hop() const { return hop_; }
  size_t bins() const { return frame_ / 2 + 1; }
  /** Samples under `count` frames. */
  size_t span(size_t count) const { return count ? (count - 1) * hop_ + frame_ : 0; }

  /** Frame t: samples from t * hop on, windowed, scaled. re, im: [count][bins]. */
  void forward(const float* samples, size_t count, float scale, float* re, float* im);
  /** Adds each frame's signal, windowed and scaled, to out at t * hop. */
  void inverse(const float* re, const float* im, size_t count, float scale, float* out);

 private:
  struct Pass {
    size_t radix, length;       // length: of the transforms that this pass splits
    std::vector<float> re, im;  // twiddles [length / radix][radix - 1]
  };

  struct Split {
    float *re, *im;
  };
  template <class V> Split transform(Split x, Split y) const;
  template <class V> void forward_group(const float* samples, size_t count, float scale, float* re, float* im);
  template <class V> void inverse_group(const float* re, const float* im, size_t count, float scale, float* out);
  void forward_avx2(const float* samples, size_t count, float scale, float* re, float* im);
  void forward_baseline(const float* samples, size_t count, float scale, float* re, float* im);
  void inverse_avx2(const float* re, const float* im, size_t count, float scale, float* out);
  void inverse_baseline(const float* re, const float* im, size_t count, float scale, float* out);

  Simd simd_;
  size_t frame_, hop_;
  std::vector<float> window_;
  std::vector<Pass> passes_;                  // of the complex transform of frame / 2 points
  std::vector<float> unpack_re_, unpack_im_;  // exp(-2 pi i k / frame), k = 0 .. frame / 4
  std::vector<float> a_re_, a_im_, b_re_, b_im_;
};

}  // namespace earshot
