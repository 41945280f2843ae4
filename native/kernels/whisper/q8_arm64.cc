#include "q8_tile.h"

#if EARSHOT_ARM64

#include <arm_neon.h>

// Clang takes the names alone in all its versions; GCC inlines arm_neon.h's functions only where the version is theirs,
// too.
#ifdef __clang__
#define EARSHOT_DOTPROD __attribute__((target("dotprod")))
#define EARSHOT_I8MM __attribute__((target("dotprod,i8mm")))
#else
#define EARSHOT_DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))
#define EARSHOT_I8MM __attribute__((target("arch=armv8.2-a+dotprod+i8mm")))
#endif

namespace earshot {
namespace {

constexpr size_t kLanes = 4;                 // outputs whose sums one register holds
constexpr size_t kGroups = kPanel / kLanes;  // registers of a panel's sums

int8x16_t weights_at(const uint8_t* place) { return vreinterpretq_s8_u8(vld1q_u8(place)); }

/** A block's whole sums of four outputs, added to what the blocks before gave: rounded as in plain C++. */
float32x4_t with_block(float32x4_t total, int32x4_t whole, const uint8_t* block, size_t group, float scale) {
  const float32x4_t scales = vld1q_f32(reinterpret_cast<const float*>(block + kWeightBytes) + group * kLanes);
  return vfmaq_f32(total, vcvtq_f32_s32(whole), vmulq_n_f32(scales, scale));
}

/** Products with four inputs of each vector; kAt is their place among the 16 values in `a`. */
template <size_t kRows, int kAt>
EARSHOT_DOTPROD EARSHOT_INLINE void add_quad(const uint8_t* quad, const int8x16_t* a, int32x4_t (*acc)[kGroups]) {
  for (size_t g = 0; g < kGroups; g++) {
    const int8x16_t weights = weights_at(quad + (kAt * kPanel + g * kLanes) * kQuad);
    for (size_t r = 0; r < kRows; r++) acc[r][g] = vdotq_laneq_s32(acc[r][g], weights, a[r], kAt);
  }
}

template <size_t kRows> EARSHOT_DOTPROD void sum_dotprod(const Tile& tile, float* sums) {
  float32x4_t total[kRows][kGroups];
  for (size_t r = 0; r < kRows; r++)
    for (size_t g = 0; g < kGroups; g++) total[r][g] = vdupq_n_f32(0);
  for (size_t b = 0; b < tile.blocks; b++) {
    const uint8_t* block = tile.panel + b * kBlockBytes;
    int32x4_t acc[kRows][kGroups];
    for (size_t r = 0; r < kRows; r++)
      for (size_t g = 0; g < kGroups; g++) acc[r][g] = vdupq_n_s32(0);
    for (size_t i = 0; i < kQ8Block; i += 16) {
      int8x16_t values[kRows];
      for (size_t r = 0; r < kRows; r++) values[r] = vld1q_s8(tile.vectors->values(tile.first + r) + b * kQ8Block + i);
      const uint8_t* quads = block + i * kPanel;
      add_quad<kRows, 0>(quads, values, acc);
      add_quad<kRows, 1>(quads, values, acc);
      add_quad<kRows, 2>(quads, values, acc);
      add_quad<kRows, 3>(quads, values, acc);
    }
    for (size_t r = 0; r < kRows; r++)
      for (size_t g = 0; g < kGroups; g++)
        total[r][g] = with_block(total[r][g], acc[r][g], block, g, tile.vectors->scales(tile.first + r)[b]);
  }
  for (size_t r = 0; r < kRows; r++)
    for (size_t g = 0; g < kGroups; g++) vst1q_f32(sums + r * kPanel + g * kLanes, total[r][g]);
}

/**
 * Two outputs and two vectors at a time, eight inputs of each: twice the products of an instruction of sum_dotprod. A
 * vector alone serves as both.
 */
template <size_t kRows> EARSHOT_I8MM void sum_i8mm(const Tile& tile, float* sums) {
  static_assert(kRows <= 2);
  const int8_t *one = tile.vectors->values(tile.first), *other = tile.vectors->values(tile.first + kRows - 1);
  float32x4_t total[kRows][kGroups];
  for (size_t r = 0; r < kRows; r++)
    for (size_t g = 0; g < kGroups; g++) total[r][g] = vdupq_n_f32(0);
  for (size_t b = 0; b < tile.blocks; b++) {
    const uint8_t* block = tile.panel + b * kBlockBytes;
    // Of two outputs each: the first with both vectors, then the second.
    int32x4_t acc[2 * kGroups];
    for (int32x4_t& each : acc) each = vdupq_n_s32(0);
    for (size_t i = 0; i < kQ8Block; i += kRun) {
      const int8x16_t values = vcombine_s8(vld1_s8(one + b * kQ8Block + i), vld1_s8(other + b * kQ8Block + i));
      for (size_t g = 0; g < 2 * kGroups; g++)
        acc[g] = vmmlaq_s32(acc[g], weights_at(block + i * kPanel + 2 * g * kRun), values);
    }
    for (size_t r = 0; r < kRows; r++)
      for (size_t g = 0; g < kGroups; g++) {
        const int32x4_t low = acc[2 * g], high = acc[2 * g + 1];
        total[r][g] = with_block(total[r][g], r == 0 ? vuzp1q_s32(low, high) : vuzp2q_s32(low, high), block, g,
                                 tile.vectors->scales(tile.first + r)[b]);
      }
  }
  for (size_t r = 0; r < kRows; r++)
    for (size_t g = 0; g < kGroups; g++) vst1q_f32(sums + r * kPanel + g * kLanes, total[r][g]);
}

}  // namespace

// More vectors at a time would need more registers than there are.
Ways arm64_ways(Simd simd) {
  if (simd == Simd::i8mm) return {{sum_i8mm<1>, sum_i8mm<2>}};
  return {{sum_dotprod<1>, sum_dotprod<2>}};
}

}  // namespace earshot

#endif
