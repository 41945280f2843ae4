#include "row_ops.h"

#include <cmath>

#include "vector_exp.h"

namespace earshot {
namespace {

template <class V>
EARSHOT_INLINE void norm_all(const float* x, const float* weight, const float* bias, size_t count, size_t width,
                             float* out) {
  constexpr size_t W = lanes_of<V>;
  for (size_t row = 0; row < count; row++) {
    const float* from = x + row * width;
    V sums{};
    for (size_t i = 0; i < width; i += W) sums += load<V>(from + i);
    const V mean = splat<V>(float(hsum(sums) / double(width)));
    V squares{};
    for (size_t i = 0; i < width; i += W) {
      const V d = load<V>(from + i) - mean;
      squares += d * d;
    }
    const V by = splat<V>(float(1 / std::sqrt(hsum(squares) / double(width) + 1e-5)));
    for (size_t i = 0; i < width; i += W)
      store<V>(out + row * width + i, (load<V>(from + i) - mean) * by * load<V>(weight + i) + load<V>(bias + i));
  }
}
EARSHOT_AVX2 void norm_avx2(const float* x, const float* w, const float* b, size_t n, size_t width, float* out) {
  norm_all<f32x8>(x, w, b, n, width, out);
}
void norm_baseline(const float* x, const float* w, const float* b, size_t n, size_t width, float* out) {
  norm_all<f32x4>(x, w, b, n, width, out);
}

template <class V> EARSHOT_INLINE void gelu_all(float* x, size_t count) {
  for (size_t i = 0; i < count; i += lanes_of<V>) store<V>(x + i, gelu<V>(load<V>(x + i)));
}
EARSHOT_AVX2 void gelu_avx2(float* x, size_t n) { gelu_all<f32x8>(x, n); }
void gelu_baseline(float* x, size_t n) { gelu_all<f32x4>(x, n); }

}  // namespace

void norm_rows(Simd simd, const float* x, const float* weight, const float* bias, size_t count, size_t width,
               float* out) {
  (simd == Simd::avx2 ? norm_avx2 : norm_baseline)(x, weight, bias, count, width, out);
}

void gelu_rows(Simd simd, float* x, size_t count) { (simd == Simd::avx2 ? gelu_avx2 : gelu_baseline)(x, count); }

}  // namespace earshot
