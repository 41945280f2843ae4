// Stateless sample arithmetic. Every frame's result depends only on its own index, never on how a call is cut.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../base/simd.h"

namespace earshot {

enum class FadeShape { linear, equal_power };

void apply_gain(Simd simd, float* x, size_t n, float gain);
void mix_into(Simd simd, float* target, const float* source, size_t n, float gain);
/** Gains of frames [position, position + n) of a fade of `total` frames; n <= kFadeTile. */
constexpr size_t kFadeTile = 512;
void fade_gains(Simd simd, FadeShape shape, uint64_t position, uint64_t total, size_t n, float* falling, float* rising);
void mix_two(Simd simd, const float* a, const float* gain_a, const float* b, const float* gain_b, float* out, size_t n);
struct Range {
  float least, greatest;
};
/** Of x and what came before: all of it usable. */
Range range_of(Simd simd, const float* x, size_t n, Range so_far);
/** Of every `tile` samples, least and greatest in turn; infinite where a sample is not usable. */
void tile_ranges(Simd simd, const float* x, size_t n, size_t tile, float* out);

}  // namespace earshot
