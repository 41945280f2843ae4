// The K-weighting filter of ITU-R BS.1770-5 (Annex 1): a high shelf and a high-pass, at any sample rate, by the
// bilinear transform of the analogue prototypes that libebur128 found for the tables at 48 kHz.
#pragma once

#include <array>
#include <cstddef>

#include "../base/simd.h"

namespace earshot {

/** A second-order section: (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2). */
struct Biquad {
  double b0, b1, b2, a1, a2;
};

class KWeighting {
 public:
  /** One channel's memory; zero is silence. */
  using State = std::array<double, 4>;

  KWeighting(Simd simd, double sample_rate);

  const Biquad& shelf() const { return shelf_; }
  const Biquad& high_pass() const { return high_pass_; }

  /** Filters n frames and answers the sum of the squared output. */
  double energy(State& state, const float* x, size_t n) const;
  /** The same for two channels at once: hides the latency of the recursion. */
  void energy2(State& a, const float* xa, double& ea, State& b, const float* xb, double& eb, size_t n) const;

  /** Zeroes memory that has decayed below audibility, so that silence never reaches (slow) denormal numbers. */
  static void settle(State& state);

  /**
   * The same filter in state space, eight frames a step. The states of the two sections are decoupled by a change of
   * basis, so that a step of the recursion is one swap and two multiply-adds instead of a full matrix product. The
   * recursion is double; an output is a sum of twelve products of float, none of which feeds back.
   */
  struct EightFrames {
    alignas(32) double state_input[8][4];  // [frame of input] -> four states
    alignas(32) double state_same[4];      // state -> same state
    alignas(32) double state_pair[4];      // state -> the other one of its section
    alignas(32) float from_input[8][8];    // [frame of input] -> eight outputs (lower triangular)
    alignas(32) float from_state[4][8];    // [state] -> eight outputs
    double step_output[4], step_input[4], step_same[4], step_pair[4], step_direct;  // one frame at a time
  };

 private:
  [[maybe_unused]] Simd simd_;  // of processors that are not x64's
  Biquad shelf_, high_pass_;
  EightFrames eight_;
};

}  // namespace earshot
