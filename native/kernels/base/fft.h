// Complex FFT of a power-of-two size in float32, on split real and imaginary arrays.
//
// N = rows * columns: FFTs down the columns (all columns of a row lie side by side, so every inner loop runs over
// neighbouring elements and vectorises), twiddle factors, a transposition, FFTs down the columns again. Each column FFT
// is Stockham's autosort (radix 4, then 2), so that the result comes out in natural order.
#pragma once

#include <cstddef>
#include <vector>

#include "simd.h"

namespace earshot {

class Fft {
 public:
  static constexpr size_t kLeast = 64, kMost = 65536;

  /** size: a power of two from kLeast to kMost. */
  Fft(Simd simd, size_t size);

  /** Transforms re + i im in place (forward, unscaled). */
  void transform(float* re, float* im);

  struct Twiddles {
    std::vector<float> re,
        im;  // of the passes of one column FFT: three factors a butterfly, passes one after the other
  };

 private:
  Simd simd_;
  size_t rows_, columns_;
  Twiddles down_rows_, down_columns_;
  std::vector<float> twiddle_re_, twiddle_im_;  // between the two halves, [row][column]
  std::vector<float> work_re_, work_im_;
};

}  // namespace earshot
