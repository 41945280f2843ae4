#include "q8_matrix.h"

#include <algorithm>
#include <cstring>

#include "../base/packed_vectors.h"
#include "q8_tile.h"

namespace earshot {
namespace {

/** Vectors that a whole matrix is multiplied by before the next ones. */
constexpr size_t kGroup = 32;

size_t panels_of(size_t rows) { return (rows + kPanel - 1) / kPanel; }

/** In a block of a panel; `run` inputs of an output lie side by side. */
size_t place_of(size_t run, size_t row, size_t in_block) {
  return in_block / run * (kPanel * run) + row % kPanel * run + in_block % run;
}

/** AVX2 without products of 8 bits multiplies words of 16, and so does WebAssembly. */
bool by_words(Simd simd) { return EARSHOT_WASM || (simd == Simd::avx2 && !has_avx512_vnni()); }

size_t run_of(Simd simd) {
  if (simd == Simd::i8mm) return kRun;
  return by_words(simd) ? kPair : kQuad;
}

void sum_baseline(const Tile& tile, float* sums) {
  const int8_t* a = tile.vectors->values(tile.first);
  const float* scales = tile.vectors->scales(tile.first);
  const int32_t* offsets = tile.vectors->offsets(tile.first);
  for (size_t n = 0; n < kPanel; n++) sums[n] = 0;
  for (size_t b = 0; b < tile.blocks; b++) {
    const uint8_t* w = tile.panel + b * kBlockBytes;
    int32_t acc[kPanel];
    for (size_t n = 0; n < kPanel; n++) acc[n] = offsets[b];
    for (size_t q = 0; q < kQ8Block / kQuad; q++) {
      for (size_t n = 0; n < kPanel; n++) {
        for (size_t k = 0; k < kQuad; k++)
          acc[n] += int32_t(w[(q * kPanel + n) * kQuad + k] ^ kFlip) * int32_t(a[b * kQ8Block + q * kQuad + k]);
      }
    }
    float weight_scales[kPanel];
    std::memcpy(weight_scales, w + kWeightBytes, sizeof weight_scales);
    for (size_t n = 0; n < kPanel; n++) sums[n] += float(acc[n]) * (weight_scales[n] * scales[b]);
  }
}

Ways ways_of(Simd simd) {
#if EARSHOT_X86
  if (simd == Simd::avx2) return x64_ways();
#elif EARSHOT_WASM
  return wasm_ways();
#elif EARSHOT_ARM64
  if (simd != Simd::baseline) return arm64_ways(simd);
#endif
  (void)simd;
  return {{sum_baseline}};
}

template <class V> EARSHOT_INLINE float peak_of(const float* values) {
  V most{};
  for (size_t i = 0; i < kQ8Block; i += lanes_of<V>) most = vmax(most, vabs(load<V>(values + i)));
  return hmax(most);
}

template <class V> EARSHOT_INLINE void store_whole(int8_t* to, typename IntOf<V>::type whole) {
  store_bytes<V>(to, whole);
}
template <class V> EARSHOT_INLINE void store_whole(int16_t* to, typename IntOf<V>::type whole) {
  store_words<V>(to, whole);
}

template <class V, class Out>
EARSHOT_INLINE void quantise_blocks(const float* values, size_t blocks, Out* out, float* scales, int32_t* offsets) {
  using I = typename IntOf<V>::type;
  for (size_t b = 0; b < blocks; b++) {
    const float* from = values + b * kQ8Block;
    const float peak = peak_of<V>(from);
    // What is no number, or infinite, has no peak to be measured by; nor has silence.
    const bool sounds = peak > 1e-30f && peak < 1e30f;
    scales[b] = sounds ? peak / 127 : 0;
    const V by = splat<V>(sounds ? 127 / peak : 0);
    I sums{};
    for (size_t i = 0; i < kQ8Block; i += lanes_of<V>) {
      const I whole = nearest_whole<V>(load<V>(from + i) * by);
      store_whole<V>(out + b * kQ8Block + i, whole);
      sums += whole;
    }
    int32_t sum = 0;
    for (size_t lane = 0; lane < lanes_of<V>; lane++) sum += sums[lane];
    offsets[b] = -128 * sum;
  }
}

template <class Out>
EARSHOT_AVX2 void quantise_avx2(const float* x, size_t n, Out* out, float* scales, int32_t* offsets) {
  quantise_blocks<f32x8>(x, n, out, scales, offsets);
}
template <class Out> void quantise_baseline(const float* x, size_t n, Out* out, float* scales, int32_t* offsets) {
  quantise_blocks<f32x4>(x, n, out, scales, offsets);
}

void add_bias(const float* sums, const float* bias, size_t count, float* out) {
  // Whole panels in vectors: compilers do not know that nothing overlaps.
  size_t n = 0;
  for (; count == kPanel && n < kPanel; n += 4)
    store<f32x4>(out + n, load<f32x4>(sums + n) + (bias ? load<f32x4>(bias + n) : f32x4{}));
  for (; n < count; n++) out[n] = sums[n] + (bias ? bias[n] : 0);
}

}  // namespace

size_t q8_bytes(size_t rows, size_t columns) { return panels_of(rows) * (columns / kQ8Block) * kBlockBytes; }

void pack_q8(Simd simd, const uint8_t* table, const float* scales, size_t rows, size_t columns, uint8_t* packed) {
  const size_t blocks = columns / kQ8Block, run = run_of(simd);
  for (size_t panel = 0; panel < panels_of(rows); panel++) {
    for (size_t b = 0; b < blocks; b++) {
      uint8_t* out = packed + (panel * blocks + b) * kBlockBytes;
      float out_scales[kPanel] = {};
      std::memset(out, 128 ^ kFlip, kWeightBytes);
      for (size_t row = panel * kPanel; row < std::min(rows, (panel + 1) * kPanel); row++) {
        const uint8_t* from = table + row * columns + b * kQ8Block;
        for (size_t k = 0; k < kQ8Block; k++) out[place_of(run, row, k)] = from[k] ^ kFlip;
        out_scales[row % kPanel] = scales[row * blocks + b];
      }
      std::memcpy(out + kWeightBytes, out_scales, sizeof out_scales);
    }
  }
}

void unpack_q8_row(Simd simd, const uint8_t* packed, size_t columns, size_t row, float* out) {
  const size_t blocks = columns / kQ8Block, run = run_of(simd);
  for (size_t b = 0; b < blocks; b++) {
    const uint8_t* from = packed + (row / kPanel * blocks + b) * kBlockBytes;
    float scale;
    std::memcpy(&scale, from + kWeightBytes + row % kPanel * sizeof scale, sizeof scale);
    for (size_t k = 0; k < kQ8Block; k++)
      out[b * kQ8Block + k] = scale * float(int32_t(from[place_of(run, row, k)] ^ kFlip) - 128);
  }
}

void Q8Vectors::quantise(Simd simd, const float* values, size_t count, size_t columns) {
  count_ = count;
  columns_ = columns;
  const size_t blocks = columns / kQ8Block;
  scales_.resize(count * blocks);
  offsets_.resize(scales_.size());
  const auto each = [&](auto quantise, auto& out) {
    out.resize(count * stride());
    for (size_t at = 0; at < count; at++)
      quantise(values + at * columns, blocks, out.data() + at * stride(), scales_.data() + at * blocks,
               offsets_.data() + at * blocks);
  };
  if (by_words(simd))
    each(simd == Simd::avx2 ? quantise_avx2<int16_t> : quantise_baseline<int16_t>, words_);
  else
    each(simd == Simd::avx2 ? quantise_avx2<int8_t> : quantise_baseline<int8_t>, values_);
}

void multiply_q8(Simd simd, const uint8_t* packed, size_t rows, const Q8Vectors& vectors, const float* bias,
                 float* out) {
  const Ways ways = ways_of(simd);
  const size_t blocks = vectors.columns() / kQ8Block;
  float sums[kMostVectors * kPanel];
  // A group of vectors stays in the cache while the whole matrix goes by.
  for (size_t first = 0; first < vectors.count(); first += kGroup) {
    const size_t end = std::min(vectors.count(), first + kGroup);
    for (size_t panel = 0; panel < panels_of(rows); panel++) {
      const size_t from = panel * kPanel, here = std::min(kPanel, rows - from);
      for (size_t v = first; v < end;) {
        size_t together = std::min(kMostVectors, end - v);
        while (!ways.of[together - 1]) together--;
        ways.of[together - 1]({packed + panel * blocks * kBlockBytes, blocks, &vectors, v, v == first}, sums);
        for (size_t r = 0; r < together; r++) {
          float* to = out + (v + r) * rows + from;
          add_bias(sums + r * kPanel, bias ? bias + from : nullptr, here, to);
        }
        v += together;
      }
    }
  }
}

}  // namespace earshot
