// Vectors of numbers in 8 and 16 bits. With generic vectors alone compilers make dozens of instructions of these.
#pragma once

#include "simd.h"

#if EARSHOT_X86
#include <immintrin.h>
#endif

namespace earshot {

template <class V> EARSHOT_INLINE V widened(const int8_t* from) {
  V v;
  for (size_t i = 0; i < lanes_of<V>; i++) v[i] = from[i];
  return v;
}

template <class V> EARSHOT_INLINE V spread(float x) { return splat<V>(x); }

/** Whole numbers that fit into 8 bits. */
template <class V> EARSHOT_INLINE void store_bytes(int8_t* to, typename IntOf<V>::type whole) {
  for (size_t i = 0; i < lanes_of<V>; i++) to[i] = int8_t(whole[i]);
}

/** Whole numbers that fit into 16 bits. */
template <class V> EARSHOT_INLINE void store_words(int16_t* to, typename IntOf<V>::type whole) {
  for (size_t i = 0; i < lanes_of<V>; i++) to[i] = int16_t(whole[i]);
}

/** The nearest whole numbers, for |x| < 2^22; 0 for what is no number. */
template <class V> EARSHOT_INLINE typename IntOf<V>::type nearest_whole(V x) {
  using I = typename IntOf<V>::type;
  const V round = V{} + 12582912.0f;  // 1.5 * 2^23: adding it rounds to whole numbers
  return (I)((x == x ? x : V{}) + round) - (I)round;
}

// GCC takes generic vectors apart before it knows that their function will be part of one for AVX2. Clang does not, and
// refuses to inline these into a body that says nothing of AVX2 itself.
#if EARSHOT_X86 && !defined(__clang__)
template <> EARSHOT_AVX2 inline f32x8 widened<f32x8>(const int8_t* from) {
  return (f32x8)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}
template <> EARSHOT_AVX2 inline f32x8 spread<f32x8>(float x) { return (f32x8)_mm256_set1_ps(x); }
template <> EARSHOT_AVX2 inline void store_bytes<f32x8>(int8_t* to, i32x8 whole) {
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128((__m256i)whole), _mm256_extracti128_si256((__m256i)whole, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packs_epi16(words, words));
}
template <> EARSHOT_AVX2 inline void store_words<f32x8>(int16_t* to, i32x8 whole) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_packs_epi32(_mm256_castsi256_si128((__m256i)whole),
                                                                   _mm256_extracti128_si256((__m256i)whole, 1)));
}
#endif

}  // namespace earshot
