// Products of q8_matrix with WebAssembly's vectors: words of 16 bits, two inputs at a time, as AVX2 has them. Relaxed
// products of 8 bits would give other sums on other machines.
#include "q8_tile.h"

#if EARSHOT_WASM

#include <wasm_simd128.h>

namespace earshot {
namespace {

constexpr size_t kLanes = 4, kGroups = kPanel / kLanes;

template <size_t kRows> void sum_words(const Tile& tile, float* sums) {
  const int16_t* a[kRows];
  const float* scales[kRows];
  const int32_t* offsets[kRows];
  v128_t total[kRows][kGroups];
  for (size_t r = 0; r < kRows; r++) {
    a[r] = tile.vectors->words(tile.first + r);
    scales[r] = tile.vectors->scales(tile.first + r);
    offsets[r] = tile.vectors->offsets(tile.first + r);
    for (size_t g = 0; g < kGroups; g++) total[r][g] = wasm_f32x4_splat(0);
  }
  for (size_t b = 0; b < tile.blocks; b++) {
    const uint8_t* w = tile.panel + b * kBlockBytes;
    v128_t acc[kRows][kGroups];
    for (size_t r = 0; r < kRows; r++)
      for (size_t g = 0; g < kGroups; g++) acc[r][g] = wasm_i32x4_splat(offsets[r][b]);
    EARSHOT_SHORT_LOOP
    for (size_t k = 0; k < kQ8Block; k += kPair) {
      v128_t weights[kGroups];
      for (size_t g = 0; g < kGroups; g++) weights[g] = wasm_u16x8_load8x8(w + k * kPanel + g * kLanes * kPair);
      for (size_t r = 0; r < kRows; r++) {
        const v128_t in = wasm_v128_load32_splat(a[r] + b * kQ8Block + k);
        for (size_t g = 0; g < kGroups; g++)
          acc[r][g] = wasm_i32x4_add(acc[r][g], wasm_i32x4_dot_i16x8(weights[g], in));
      }
    }
    for (size_t r = 0; r < kRows; r++) {
      for (size_t g = 0; g < kGroups; g++) {
        const v128_t of_weights = wasm_v128_load(w + kWeightBytes + g * kLanes * sizeof(float));
        const v128_t scale = wasm_f32x4_mul(of_weights, wasm_f32x4_splat(scales[r][b]));
        total[r][g] = wasm_f32x4_add(total[r][g], wasm_f32x4_mul(wasm_f32x4_convert_i32x4(acc[r][g]), scale));
      }
    }
  }
  for (size_t r = 0; r < kRows; r++)
    for (size_t g = 0; g < kGroups; g++) wasm_v128_store(sums + r * kPanel + g * kLanes, total[r][g]);
}

}  // namespace

Ways wasm_ways() { return {{sum_words<1>, sum_words<2>, sum_words<3>, sum_words<4>}}; }

}  // namespace earshot

#endif
