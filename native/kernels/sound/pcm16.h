// Floats to 16 bits, with or without dither.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../base/simd.h"

namespace earshot {

enum class Rounding {
  /** To the nearest step, halves to even. */
  nearest,
  /**
   * With noise of a triangular distribution (TPDF) of one step to either side, different in each channel: the error's
   * mean and power do not depend on the sound (S. P. Lipshitz, R. A. Wannamaker, J. Vanderkooy, "Quantization and
   * dither", 1992). Digital silence, frames with nothing above -120 dBFS in any channel, stays silent.
   */
  dithered,
};

/**
 * out[frame * frame_step + c * channel_step] = planes[c][frame] in steps of 1 / 32768, clipped. Samples that are not
 * numbers count as 0. The noise is a function of channel and of `first_frame` + frame alone, so that sound that is
 * converted in parts is the same as whole, on every machine.
 */
void to_pcm16(Simd simd, const float* const* planes, size_t channels, size_t frames, Rounding rounding,
              uint64_t first_frame, int16_t* out, size_t frame_step, size_t channel_step);

}  // namespace earshot
