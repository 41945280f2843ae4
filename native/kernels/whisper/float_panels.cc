#include "float_panels.h"

#include <algorithm>
#include <cstring>

namespace earshot {
namespace {

/** As many rows as AVX2's sixteen registers hold sums of a panel; of WebAssembly's, which are half as wide, fewer. */
constexpr size_t kTileRows = EARSHOT_WASM ? 2 : 6;

template <class V, size_t kRows>
EARSHOT_INLINE void multiply_tile(const FloatRows& left, size_t row, const float* panel, float* out, size_t stride) {
  constexpr size_t W = lanes_of<V>, kVectors = kFloatPanel / W;
  const float* a[kRows];
  for (size_t r = 0; r < kRows; r++) a[r] = left.data + (row + r) * left.stride;
  V sums[kRows][kVectors] = {};
  for (size_t k = 0; k < left.length; k++) {
    V b[kVectors];
    for (size_t v = 0; v < kVectors; v++) b[v] = load<V>(panel + k * kFloatPanel + v * W);
    for (size_t r = 0; r < kRows; r++)
      for (size_t v = 0; v < kVectors; v++) sums[r][v] += b[v] * a[r][k];
  }
  for (size_t r = 0; r < kRows; r++)
    for (size_t v = 0; v < kVectors; v++) store<V>(out + (row + r) * stride + v * W, sums[r][v]);
}

template <class V>
EARSHOT_INLINE void multiply_all(const FloatRows& left, const float* packed, size_t columns, float* out,
                                 size_t stride) {
  for (size_t p = 0; p < float_panels(columns); p++) {
    const float* panel = packed + p * left.length * kFloatPanel;
    float* to = out + p * kFloatPanel;
    size_t row = 0;
    for (; row + kTileRows <= left.count; row += kTileRows) multiply_tile<V, kTileRows>(left, row, panel, to, stride);
    for (; row < left.count; row++) multiply_tile<V, 1>(left, row, panel, to, stride);
  }
}
EARSHOT_AVX2 void multiply_avx2(const FloatRows& left, const float* packed, size_t columns, float* out, size_t stride) {
  multiply_all<f32x8>(left, packed, columns, out, stride);
}
void multiply_baseline(const FloatRows& left, const float* packed, size_t columns, float* out, size_t stride) {
  multiply_all<f32x4>(left, packed, columns, out, stride);
}

}  // namespace

void pack_rows(const float* from, size_t stride, size_t rows, size_t columns, float* packed) {
  for (size_t p = 0; p < float_panels(columns); p++) {
    const size_t here = std::min(kFloatPanel, columns - p * kFloatPanel);
    for (size_t row = 0; row < rows; row++, packed += kFloatPanel) {
      std::memcpy(packed, from + row * stride + p * kFloatPanel, here * sizeof(float));
      std::fill(packed + here, packed + kFloatPanel, 0.0f);
    }
  }
}

void pack_columns(const float* from, size_t stride, size_t rows, size_t columns, float* packed) {
  std::fill(packed, packed + packed_floats(rows, columns), 0.0f);
  for (size_t column = 0; column < columns; column++) {
    float* to = packed + column / kFloatPanel * rows * kFloatPanel + column % kFloatPanel;
    for (size_t row = 0; row < rows; row++) to[row * kFloatPanel] = from[column * stride + row];
  }
}

void multiply_panels(Simd simd, const FloatRows& left, const float* packed, size_t columns, float* out, size_t stride) {
  (simd == Simd::avx2 ? multiply_avx2 : multiply_baseline)(left, packed, columns, out, stride);
}

}  // namespace earshot
