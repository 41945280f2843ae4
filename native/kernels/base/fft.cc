#include "fft.h"

#include <cmath>
#include <utility>

namespace earshot {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;

struct Split {
  float *re, *im;
};

// FFT of length n down the columns of x[n][lanes]; y is scratch of the same size. Answers where the result lies.
template <class V> EARSHOT_INLINE Split columns_fft(size_t n, size_t lanes, const Fft::Twiddles& t, Split x, Split y) {
  constexpr size_t W = lanes_of<V>;
  const float *wr = t.re.data(), *wi = t.im.data();
  size_t s = lanes;
  while (n > 1) {
    if (n % 4 == 0) {
      const size_t m = n / 4, step = s * m;
      for (size_t p = 0; p < m; p++, wr += 3, wi += 3) {
        const V w1r = splat<V>(wr[0]), w1i = splat<V>(wi[0]), w2r = splat<V>(wr[1]), w2i = splat<V>(wi[1]),
                w3r = splat<V>(wr[2]), w3i = splat<V>(wi[2]);
        const float *ar = x.re + s * p, *ai = x.im + s * p;
        float *br = y.re + 4 * s * p, *bi = y.im + 4 * s * p;
        for (size_t q = 0; q < s; q += W) {
          const V x0r = load<V>(ar + q), x1r = load<V>(ar + q + step), x2r = load<V>(ar + q + 2 * step),
                  x3r = load<V>(ar + q + 3 * step);
          const V x0i = load<V>(ai + q), x1i = load<V>(ai + q + step), x2i = load<V>(ai + q + 2 * step),
                  x3i = load<V>(ai + q + 3 * step);
          const V s02r = x0r + x2r, s02i = x0i + x2i, d02r = x0r - x2r, d02i = x0i - x2i;
          const V s13r = x1r + x3r, s13i = x1i + x3i, d13r = x1r - x3r, d13i = x1i - x3i;
          const V u1r = d02r + d13i, u1i = d02i - d13r;  // d02 - i d13
          const V u2r = s02r - s13r, u2i = s02i - s13i;
          const V u3r = d02r - d13i, u3i = d02i + d13r;  // d02 + i d13
          store(br + q, s02r + s13r);
          store(bi + q, s02i + s13i);
          store(br + q + s, u1r * w1r - u1i * w1i);
          store(bi + q + s, u1r * w1i + u1i * w1r);
          store(br + q + 2 * s, u2r * w2r - u2i * w2i);
          store(bi + q + 2 * s, u2r * w2i + u2i * w2r);
          store(br + q + 3 * s, u3r * w3r - u3i * w3i);
          store(bi + q + 3 * s, u3r * w3i + u3i * w3r);
        }
      }
      n /= 4;
      s *= 4;
    } else {
      // Only ever the last pass (n = 2): its twiddle factor is 1.
      for (size_t q = 0; q < s; q += W) {
        const V ar = load<V>(x.re + q), ai = load<V>(x.im + q), br = load<V>(x.re + q + s), bi = load<V>(x.im + q + s);
        store(y.re + q, ar + br);
        store(y.im + q, ai + bi);
        store(y.re + q + s, ar - br);
        store(y.im + q + s, ai - bi);
      }
      n /= 2;
      s *= 2;
    }
    std::swap(x, y);
  }
  return x;
}

// to[c][r] = from[r][c], in squares of four.
EARSHOT_INLINE void transpose(const float* from, float* to, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r += 4) {
    for (size_t c = 0; c < columns; c += 4) {
      const f32x4 a = load<f32x4>(from + r * columns + c), b = load<f32x4>(from + (r + 1) * columns + c);
      const f32x4 d = load<f32x4>(from + (r + 2) * columns + c), e = load<f32x4>(from + (r + 3) * columns + c);
      const f32x4 ab_lo = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_hi = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const f32x4 de_lo = __builtin_shufflevector(d, e, 0, 4, 1, 5), de_hi = __builtin_shufflevector(d, e, 2, 6, 3, 7);
      store(to + c * rows + r, __builtin_shufflevector(ab_lo, de_lo, 0, 1, 4, 5));
      store(to + (c + 1) * rows + r, __builtin_shufflevector(ab_lo, de_lo, 2, 3, 6, 7));
      store(to + (c + 2) * rows + r, __builtin_shufflevector(ab_hi, de_hi, 0, 1, 4, 5));
      store(to + (c + 3) * rows + r, __builtin_shufflevector(ab_hi, de_hi, 2, 3, 6, 7));
    }
  }
}

struct Plan {
  size_t rows, columns;
  const Fft::Twiddles &down_rows, &down_columns;
  const float *twiddle_re, *twiddle_im;
};

template <class V> EARSHOT_INLINE void transform_body(const Plan& plan, Split data, Split work) {
  const size_t size = plan.rows * plan.columns;
  const Split a = columns_fft<V>(plan.rows, plan.columns, plan.down_rows, data, work);
  const Split b = a.re == data.re ? work : data;
  for (size_t i = 0; i < size; i += lanes_of<V>) {
    const V xr = load<V>(a.re + i), xi = load<V>(a.im + i), wr = load<V>(plan.twiddle_re + i),
            wi = load<V>(plan.twiddle_im + i);
    store(a.re + i, xr * wr - xi * wi);
    store(a.im + i, xr * wi + xi * wr);
  }
  transpose(a.re, b.re, plan.rows, plan.columns);
  transpose(a.im, b.im, plan.rows, plan.columns);
  const Split result = columns_fft<V>(plan.columns, plan.rows, plan.down_columns, b, a);
  if (result.re != data.re) {
    std::memcpy(data.re, result.re, size * sizeof(float));
    std::memcpy(data.im, result.im, size * sizeof(float));
  }
}

EARSHOT_AVX2 void transform_avx2(const Plan& p, Split d, Split w) { transform_body<f32x8>(p, d, w); }
void transform_baseline(const Plan& p, Split d, Split w) { transform_body<f32x4>(p, d, w); }

Fft::Twiddles design(size_t n) {
  Fft::Twiddles t;
  for (; n % 4 == 0; n /= 4) {
    for (size_t p = 0; p < n / 4; p++) {
      for (size_t k = 1; k <= 3; k++) {
        const double angle = -kTwoPi * double(p * k) / double(n);
        t.re.push_back(float(std::cos(angle)));
        t.im.push_back(float(std::sin(angle)));
      }
    }
  }
  return t;
}

}  // namespace

Fft::Fft(Simd simd, size_t size) : simd_(simd), rows_(1), columns_(1) {
  while (rows_ * columns_ < size) (columns_ <= rows_ ? columns_ : rows_) *= 2;
  down_rows_ = design(rows_);
  down_columns_ = design(columns_);
  twiddle_re_.resize(size);
  twiddle_im_.resize(size);
  work_re_.resize(size);
  work_im_.resize(size);
  for (size_t r = 0; r < rows_; r++) {
    for (size_t c = 0; c < columns_; c++) {
      const double angle = -kTwoPi * double(r * c) / double(size);
      twiddle_re_[r * columns_ + c] = float(std::cos(angle));
      twiddle_im_[r * columns_ + c] = float(std::sin(angle));
    }
  }
}

void Fft::transform(float* re, float* im) {
  const Plan plan = {rows_, columns_, down_rows_, down_columns_, twiddle_re_.data(), twiddle_im_.data()};
  const Split data = {re, im}, work = {work_re_.data(), work_im_.data()};
  if (simd_ == Simd::avx2)
    transform_avx2(plan, data, work);
  else
    transform_baseline(plan, data, work);
}

}  // namespace earshot
