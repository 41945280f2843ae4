// Restores clipped samples, frame by frame: A-SPADE (Kitic, Bertin, Gribonval, "Sparsity and cosparsity for audio
// declipping", LVA/ICA 2015).
//
// Of all signals that agree with the samples that are known, and lie beyond the limit where they were clipped, it looks
// for one whose spectrum has few large bins: two at first, two more in every round, until a signal with that many is
// within a tenth of it. Eight frames are worked on side by side, as in Stft; a frame's result does not depend on the
// others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/simd.h"
#include "stft.h"

namespace earshot {

class Declip {
 public:
  static constexpr size_t kLeastFrame = 32, kMostFrame = 8192;

  /** Can frames of this length be restored? Twice as long ones must fit Stft. */
  static bool fits(size_t frame) { return frame >= kLeastFrame && frame <= kMostFrame && Stft::fits(2 * frame); }

  Declip(Simd simd, size_t frame);

  size_t frame() const { return frame_; }

  /**
   * samples: [count][frame], not windowed. Those at `highest` and above, and at `lowest` and below, were clipped.
   * out: [count][frame], each under the window sqrt(Hann). At most `most_rounds` for a frame.
   * Returns the number of rounds of all frames.
   */
  uint64_t restore(const float* samples, size_t count, float lowest, float highest, size_t most_rounds, float* out);

 private:
  static constexpr size_t kLanes = 8;
  /** Leaves a float's exponent and three bits of its fraction. */
  static constexpr uint32_t kClassShift = 20;

  struct Lane {
    size_t frame = 0;  // of the call
    size_t kept = 0;   // bins
    size_t rounds = 0;
    float enough = 0;  // square of the distance to stop at
    bool busy = false;
  };

  void begin(size_t lane, const float* samples, float lowest, float highest);
  /** The power of this rank: 1 is the greatest. */
  float largest(size_t rank);
  /** Keeps the largest bins of spectrum + dual; the rest of what the step adds goes to `sent_`. */
  void threshold(size_t lane);
  /** Returns the square of the distance between the spectrum and the sparse one. */
  float settle(size_t lane);

  size_t frame_, bins_;
  Stft stft_;
  std::vector<float> window_;
  std::vector<Lane> lanes_;
  // [lane][frame]: the windowed samples, and -1, 0 or 1 for those clipped down, known, clipped up.
  std::vector<float> known_;
  std::vector<int8_t> side_;
  std::vector<float> signal_;                       // [lane][2 frame]
  std::vector<float> re_, im_, dual_re_, dual_im_;  // [lane][bins]
  std::vector<float> sparse_re_, sparse_im_, sent_re_, sent_im_;
  std::vector<float> power_, order_;
  std::array<uint32_t, (1u << (32 - kClassShift)) / 2> counts_;
};

}  // namespace earshot
