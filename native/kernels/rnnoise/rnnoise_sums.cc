#include "rnnoise_sums.h"

#include <cstring>

#if EARSHOT_X86
#include <immintrin.h>
#elif EARSHOT_ARM64
#include <arm_neon.h>
#elif EARSHOT_WASM
#include <wasm_simd128.h>
#endif

namespace earshot {
namespace {

#if EARSHOT_X86
// Multiplies unsigned inputs, 128 too large, with signed weights. Four sums side by side: each step waits for the last.
__attribute__((target("avx512f,avx512vl,avx512vnni"))) void sum_vnni(const RnnoiseLayer& layer, const int16_t* x,
                                                                     float* out) {
  constexpr size_t kSums = 4;
  uint8_t in[RnnoiseNetwork::kWidth];
  for (size_t i = 0; i < layer.inputs; i++) in[i] = uint8_t(x[i] + 128);
  const int8_t* weights = layer.bytes.data();
  const int32_t* block = layer.blocks.data();
  const auto four = [&](size_t k) {
    int32_t inputs;
    std::memcpy(&inputs, in + block[k], sizeof inputs);
    return inputs;
  };
  const auto of_block = [&](size_t k) { return reinterpret_cast<const __m256i*>(weights + k * kRnnoiseBlock); };
  for (size_t row = 0; row < layer.outputs; row += kRnnoiseRows) {
    __m256i sums[kSums] = {};
    size_t left = size_t(*block++);
    for (; left >= kSums; left -= kSums, block += kSums, weights += kSums * kRnnoiseBlock)
      for (size_t k = 0; k < kSums; k++)
        sums[k] = _mm256_dpbusd_epi32(sums[k], _mm256_set1_epi32(four(k)), _mm256_loadu_si256(of_block(k)));
    for (; left > 0; left--, block++, weights += kRnnoiseBlock)
      sums[0] = _mm256_dpbusd_epi32(sums[0], _mm256_set1_epi32(four(0)), _mm256_loadu_si256(of_block(0)));
    const __m256i all = _mm256_add_epi32(_mm256_add_epi32(sums[0], sums[1]), _mm256_add_epi32(sums[2], sums[3]));
    const auto* offsets = reinterpret_cast<const __m256i*>(layer.offsets.data() + row);
    _mm256_storeu_ps(out + row, _mm256_cvtepi32_ps(_mm256_sub_epi32(all, _mm256_loadu_si256(offsets))));
  }
}

EARSHOT_AVX2 void sum_avx2(const RnnoiseLayer& layer, const int16_t* x, float* out) {
  const int8_t* weights = layer.bytes.data();
  const int32_t* block = layer.blocks.data();
  for (size_t row = 0; row < layer.outputs; row += kRnnoiseRows) {
    __m256i first = _mm256_setzero_si256(), second = first;
    for (int32_t left = *block++; left > 0; left--, weights += kRnnoiseBlock) {
      int64_t four;
      std::memcpy(&four, x + *block++, sizeof four);
      const __m256i in = _mm256_set1_epi64x(four);
      const auto* from = reinterpret_cast<const __m128i*>(weights);
      first = _mm256_add_epi32(first, _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm_loadu_si128(from)), in));
      second = _mm256_add_epi32(second, _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm_loadu_si128(from + 1)), in));
    }
    // Pairs of sums of the outputs 0 1 4 5 2 3 6 7.
    const __m256i sums = _mm256_permute4x64_epi64(_mm256_hadd_epi32(first, second), 0xd8);
    _mm256_storeu_ps(out + row, _mm256_cvtepi32_ps(sums));
  }
}
// SSE2, which every x64 processor has.
void sum_baseline(const RnnoiseLayer& layer, const int16_t* x, float* out) {
  const int8_t* weights = layer.bytes.data();
  const int32_t* block = layer.blocks.data();
  for (size_t row = 0; row < layer.outputs; row += kRnnoiseRows) {
    __m128i pairs[4] = {};  // of two outputs each
    for (int32_t left = *block++; left > 0; left--, weights += kRnnoiseBlock) {
      const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + *block++));
      const __m128i in = _mm_unpacklo_epi64(four, four);
      const auto* from = reinterpret_cast<const __m128i*>(weights);
      for (size_t half = 0; half < 2; half++) {
        const __m128i bytes = _mm_loadu_si128(from + half);
        const __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
        const __m128i high = _mm_srai_epi16(_mm_unpackhi_epi8(bytes, bytes), 8);
        pairs[2 * half] = _mm_add_epi32(pairs[2 * half], _mm_madd_epi16(low, in));
        pairs[2 * half + 1] = _mm_add_epi32(pairs[2 * half + 1], _mm_madd_epi16(high, in));
      }
    }
    for (size_t k = 0; k < 4; k++) {
      int32_t sums[4];
      _mm_storeu_si128(reinterpret_cast<__m128i*>(sums), pairs[k]);
      out[row + 2 * k] = float(sums[0] + sums[1]);
      out[row + 2 * k + 1] = float(sums[2] + sums[3]);
    }
  }
}
#elif EARSHOT_ARM64
void sum_baseline(const RnnoiseLayer& layer, const int16_t* x, float* out) {
  const int8_t* weights = layer.bytes.data();
  const int32_t* block = layer.blocks.data();
  for (size_t row = 0; row < layer.outputs; row += kRnnoiseRows) {
    int32x4_t sums[kRnnoiseRows] = {};
    for (int32_t left = *block++; left > 0; left--, weights += kRnnoiseBlock) {
      const int16x4_t in = vld1_s16(x + *block++);
      for (size_t two = 0; two < kRnnoiseRows; two += 2) {
        const int16x8_t of_two = vmovl_s8(vld1_s8(weights + two * kRnnoiseColumns));
        sums[two] = vmlal_s16(sums[two], vget_low_s16(of_two), in);
        sums[two + 1] = vmlal_s16(sums[two + 1], vget_high_s16(of_two), in);
      }
    }
    for (size_t i = 0; i < kRnnoiseRows; i++) out[row + i] = float(vaddvq_s32(sums[i]));
  }
}
#elif EARSHOT_WASM
void sum_baseline(const RnnoiseLayer& layer, const int16_t* x, float* out) {
  const int8_t* weights = layer.bytes.data();
  const int32_t* block = layer.blocks.data();
  for (size_t row = 0; row < layer.outputs; row += kRnnoiseRows) {
    v128_t pairs[4] = {};  // of two outputs each
    for (int32_t left = *block++; left > 0; left--, weights += kRnnoiseBlock) {
      const v128_t in = wasm_v128_load64_splat(x + *block++);
      for (size_t k = 0; k < 4; k++)
        pairs[k] = wasm_i32x4_add(pairs[k], wasm_i32x4_dot_i16x8(wasm_i16x8_load8x8(weights + 8 * k), in));
    }
    for (size_t k = 0; k < 4; k += 2) {
      const v128_t even = wasm_i32x4_shuffle(pairs[k], pairs[k + 1], 0, 2, 4, 6);
      const v128_t odd = wasm_i32x4_shuffle(pairs[k], pairs[k + 1], 1, 3, 5, 7);
      wasm_v128_store(out + row + 2 * k, wasm_f32x4_convert_i32x4(wasm_i32x4_add(even, odd)));
    }
  }
}
#else
void sum_baseline(const RnnoiseLayer& layer, const int16_t* x, float* out) {
  const int8_t* weights = layer.bytes.data();
  const int32_t* block = layer.blocks.data();
  for (size_t row = 0; row < layer.outputs; row += kRnnoiseRows) {
    int32_t sums[kRnnoiseRows] = {};
    for (int32_t left = *block++; left > 0; left--, weights += kRnnoiseBlock) {
      const int16_t* in = x + *block++;
      for (size_t i = 0; i < kRnnoiseRows; i++)
        for (size_t k = 0; k < kRnnoiseColumns; k++) sums[i] += int32_t(weights[i * kRnnoiseColumns + k]) * in[k];
    }
    for (size_t i = 0; i < kRnnoiseRows; i++) out[row + i] = float(sums[i]);
  }
}
#endif

}  // namespace

std::vector<int32_t> rnnoise_offsets(const RnnoiseLayer& layer) {
  std::vector<int32_t> offsets(layer.outputs);
  const int8_t* weights = layer.bytes.data();
  const int32_t* block = layer.blocks.data();
  if (layer.blocks.empty()) return {};
  for (size_t row = 0; row < layer.outputs; row += kRnnoiseRows) {
    const size_t count = size_t(*block++);
    for (size_t k = 0; k < count; k++, weights += kRnnoiseBlock)
      for (size_t i = 0; i < kRnnoiseBlock; i++) offsets[row + i / kRnnoiseColumns] += 128 * weights[i];
    block += count;
  }
  return offsets;
}

void rnnoise_sums(bool avx2, const RnnoiseLayer& layer, const int16_t* inputs, float* out) {
#if EARSHOT_X86
  if (avx2 && has_avx512_vnni()) return sum_vnni(layer, inputs, out);
  if (avx2) return sum_avx2(layer, inputs, out);
#else
  (void)avx2;
#endif
  sum_baseline(layer, inputs, out);
}

}  // namespace earshot
