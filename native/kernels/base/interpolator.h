// Band-limited interpolation between samples, for true-peak metering and limiting.
//
// The prototype is a sinc of 32 taps under a Kaiser window (beta 9): longer than the 12 taps a phase of BS.1770-5
// Annex 2, and the same curve that libswresample (and so FFmpeg's ebur128 meter) uses, so that readings agree.
#pragma once

#include <array>
#include <cstddef>

#include "simd.h"

namespace earshot {

class Interpolator {
 public:
  static constexpr size_t kTaps = 32;
  /** Samples of the past and of the future (beyond the interval's left sample) that an interval needs. */
  static constexpr size_t kBefore = 15, kAfter = 16;
  /** A plane must be readable this many samples past its last interval's needs: vectors run over. */
  static constexpr size_t kOverrun = 8;

  /** Points per sample: 1 (samples only), 2, 4 or 8. */
  Interpolator(Simd simd, size_t factor);

  /**
   * The greatest magnitude of `so_far` and of the interpolated curve in the n intervals [x[i], x[i + 1]], 0 <= i < n,
   * its height between the points estimated. Reads x[-kBefore .. n - 1 + kAfter]. n >= kOverrun.
   */
  float greatest(const float* x, size_t n, float so_far) const;

  /**
   * out[i] = max(out[i], greatest magnitude of the curve in interval i, both its samples included and its height
   * between the points estimated), for every interval where that
   * can exceed `threshold`; others may be left as they are. Writes up to kOverrun - 1 past n (values of no meaning).
   */
  void peaks_above(const float* x, size_t n, float threshold, float* out) const;

  size_t factor() const { return factor_; }

  // Coefficients of tap pairs from the middle outwards: pair j is x[-j] and x[1 + j]. The phases t and 1 - t mirror
  // each other, so both come from the same sums over (x[-j] + x[1 + j]) and (x[-j] - x[1 + j]).
  struct Table {
    float middle[kTaps / 2];   // phase 1/2
    float even[3][kTaps / 2];  // other phase pairs
    float odd[3][kTaps / 2];
    float whole_bound;  // |curve| <= whole_bound * greatest sample of the window
    float rest_bound;   // what the pairs from kCore on can add, per greatest sample
  };
  static constexpr size_t kCore = 4;  // pairs computed before the bound is looked at

 private:
  Simd simd_;
  size_t factor_;
  Table table_;
};

}  // namespace earshot
