#include "q8_tile.h"

#if EARSHOT_X86

#include <immintrin.h>

#include <cstring>

namespace earshot {
namespace {

constexpr size_t kCacheLine = 64;
/** How far ahead weights are asked for: 3.5 kB, which takes as long to come as six blocks to be multiplied. */
constexpr size_t kBlocksAhead = 6;

/**
 * Words of 16 bits, two inputs at a time: each lane of a product is an output's own, and nothing has to be gathered
 * from other lanes. One load widens the weights of eight outputs, for all vectors of the tile.
 */
template <size_t kRows> EARSHOT_AVX2 void sum_avx2(const Tile& tile, float* sums) {
  constexpr size_t kLanes = 8, kHalves = kPanel / kLanes;
  const int16_t* a[kRows];
  const float* scales[kRows];
  const int32_t* offsets[kRows];
  __m256 total[kRows][kHalves];
  for (size_t r = 0; r < kRows; r++) {
    a[r] = tile.vectors->words(tile.first + r);
    scales[r] = tile.vectors->scales(tile.first + r);
    offsets[r] = tile.vectors->offsets(tile.first + r);
    for (size_t h = 0; h < kHalves; h++) total[r][h] = _mm256_setzero_ps();
  }
  for (size_t b = 0; b < tile.blocks; b++) {
    const uint8_t* w = tile.panel + b * kBlockBytes;
    if (tile.is_first)
      for (size_t at = 0; at < kBlockBytes; at += kCacheLine)
        _mm_prefetch(reinterpret_cast<const char*>(w + kBlocksAhead * kBlockBytes + at), _MM_HINT_T0);
    __m256i acc[kRows][kHalves];
    for (size_t r = 0; r < kRows; r++)
      for (size_t h = 0; h < kHalves; h++) acc[r][h] = _mm256_set1_epi32(offsets[r][b]);
    EARSHOT_UNROLLED
    for (size_t k = 0; k < kQ8Block; k += kPair) {
      __m256i weights[kHalves];
      for (size_t h = 0; h < kHalves; h++)
        weights[h] = _mm256_cvtepu8_epi16(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(w + k * kPanel + h * kLanes * kPair)));
      for (size_t r = 0; r < kRows; r++) {
        int32_t pair;
        std::memcpy(&pair, a[r] + b * kQ8Block + k, sizeof pair);
        const __m256i inputs = _mm256_set1_epi32(pair);
        for (size_t h = 0; h < kHalves; h++)
          acc[r][h] = _mm256_add_epi32(acc[r][h], _mm256_madd_epi16(weights[h], inputs));
        // One row after the other: GCC would load the inputs of all first, and keep a sum in memory for it.
        for (size_t h = 0; h < kHalves; h++) __asm__ volatile("" : "+x"(acc[r][h]));
      }
    }
    for (size_t h = 0; h < kHalves; h++) {
      const __m256 weight_scales = _mm256_loadu_ps(reinterpret_cast<const float*>(w + kWeightBytes) + kLanes * h);
      for (size_t r = 0; r < kRows; r++)
        total[r][h] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(acc[r][h]),
                                      _mm256_mul_ps(weight_scales, _mm256_set1_ps(scales[r][b])), total[r][h]);
    }
  }
  for (size_t r = 0; r < kRows; r++)
    for (size_t h = 0; h < kHalves; h++) _mm256_storeu_ps(sums + r * kPanel + h * kLanes, total[r][h]);
}

// Clang 18 to 21 count the 512-bit registers as a feature of their own, which zig's driver switches off by name.
#if defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ >= 18 && __clang_major__ < 22
#define EARSHOT_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni,evex512")))
#else
#define EARSHOT_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))
#endif

// The same sums in the same order, bit for bit.
template <size_t kRows> EARSHOT_VNNI void sum_vnni(const Tile& tile, float* sums) {
  const int8_t* a[kRows];
  const float* scales[kRows];
  const int32_t* offsets[kRows];
  __m512 total[kRows];
  for (size_t r = 0; r < kRows; r++) {
    a[r] = tile.vectors->values(tile.first + r);
    scales[r] = tile.vectors->scales(tile.first + r);
    offsets[r] = tile.vectors->offsets(tile.first + r);
    total[r] = _mm512_setzero_ps();
  }
  for (size_t b = 0; b < tile.blocks; b++) {
    const uint8_t* w = tile.panel + b * kBlockBytes;
    __m512i weights[kQ8Block / kQuad];
    for (size_t q = 0; q < kQ8Block / kQuad; q++) weights[q] = _mm512_loadu_si512(w + q * kPanel * kQuad);
    const __m512 weight_scales = _mm512_loadu_ps(w + kWeightBytes);
    for (size_t r = 0; r < kRows; r++) {
      __m512i acc = _mm512_set1_epi32(offsets[r][b]);
      for (size_t q = 0; q < kQ8Block / kQuad; q++) {
        int32_t quad;
        std::memcpy(&quad, a[r] + b * kQ8Block + q * kQuad, sizeof quad);
        acc = _mm512_dpbusd_epi32(acc, weights[q], _mm512_set1_epi32(quad));
      }
      total[r] = _mm512_fmadd_ps(_mm512_maskz_cvtepi32_ps(0xffff, acc),
                                 _mm512_mul_ps(weight_scales, _mm512_set1_ps(scales[r][b])), total[r]);
    }
  }
  for (size_t r = 0; r < kRows; r++) _mm512_storeu_ps(sums + r * kPanel, total[r]);
}

}  // namespace

Ways x64_ways() {
  if (has_avx512_vnni())
    return {{sum_vnni<1>, sum_vnni<2>, sum_vnni<3>, sum_vnni<4>, sum_vnni<5>, sum_vnni<6>, sum_vnni<7>, sum_vnni<8>}};
  // More vectors would need more registers than there are.
  return {{sum_avx2<1>, sum_avx2<2>, sum_avx2<3>, sum_avx2<4>}};
}

}  // namespace earshot

#endif
