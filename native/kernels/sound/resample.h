// Samples at any steady step: what a recorder with another clock would have written.
#pragma once

#include <cstddef>

#include "../base/simd.h"

namespace earshot {

constexpr size_t kResampleTaps = 32;
/** Samples that an output needs before and after the one at or before its place. */
constexpr size_t kResampleBefore = 15, kResampleAfter = 16;

/**
 * out[i] = the band-limited curve of `samples` at start + step i: a sinc of 32 taps under a Kaiser window (beta 9), 512
 * phases with straight lines between. Everything from floor(start) - kResampleBefore to floor(start + step (count - 1))
 * + kResampleAfter must be there. Samples that are not usable count as 0.
 */
void resample(Simd simd, const float* samples, double start, double step, float* out, size_t count);

}  // namespace earshot
