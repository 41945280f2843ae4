#include "stft.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;
constexpr size_t kLanes = 8;

// A lambda inside an AVX2 function must become part of it, or its vectors would be passed through memory.
#define EARSHOT_INLINE_LAMBDA __attribute__((always_inline))

// Sums of a butterfly: b[k] = sum over j of a[j] exp(-2 pi i j k / radix).
template <class V> struct Complex {
  V re, im;
};
template <class V> EARSHOT_INLINE Complex<V> operator+(Complex<V> a, Complex<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V> EARSHOT_INLINE Complex<V> operator-(Complex<V> a, Complex<V> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V> EARSHOT_INLINE Complex<V> scaled(Complex<V> a, V x) { return {a.re * x, a.im * x}; }
template <class V> EARSHOT_INLINE Complex<V> minus_i(Complex<V> a) { return {a.im, V{} - a.re}; }

template <class V> EARSHOT_INLINE void butterfly2(Complex<V>* a) {
  const Complex<V> x = a[0];
  a[0] = x + a[1];
  a[1] = x - a[1];
}
template <class V> EARSHOT_INLINE void butterfly3(Complex<V>* a) {
  const V half = splat<V>(0.5f), sine = splat<V>(0.86602540378443864676f);
  const Complex<V> sum = a[1] + a[2], turned = scaled(minus_i(a[1] - a[2]), sine), base = a[0] - scaled(sum, half);
  a[0] = a[0] + sum;
  a[1] = base + turned;
  a[2] = base - turned;
}
template <class V> EARSHOT_INLINE void butterfly4(Complex<V>* a) {
  const Complex<V> s02 = a[0] + a[2], d02 = a[0] - a[2], s13 = a[1] + a[3], d13 = minus_i(a[1] - a[3]);
  a[0] = s02 + s13;
  a[1] = d02 + d13;
  a[2] = s02 - s13;
  a[3] = d02 - d13;
}
template <class V> EARSHOT_INLINE void butterfly5(Complex<V>* a) {
  const V c1 = splat<V>(0.30901699437494742410f), c2 = splat<V>(-0.80901699437494742410f);
  const V s1 = splat<V>(0.95105651629515357212f), s2 = splat<V>(0.58778525229247312917f);
  const Complex<V> p14 = a[1] + a[4], m14 = a[1] - a[4], p23 = a[2] + a[3], m23 = a[2] - a[3];
  const Complex<V> even1 = a[0] + scaled(p14, c1) + scaled(p23, c2), even2 = a[0] + scaled(p14, c2) + scaled(p23, c1);
  const Complex<V> odd1 = minus_i(scaled(m14, s1) + scaled(m23, s2)), odd2 = minus_i(scaled(m14, s2) - scaled(m23, s1));
  a[0] = a[0] + p14 + p23;
  a[1] = even1 + odd1;
  a[4] = even1 - odd1;
  a[2] = even2 + odd2;
  a[3] = even2 - odd2;
}

}  // namespace

bool Stft::fits(size_t frame) {
  if (frame < kLeastFrame || frame > kMostFrame || frame % 4) return false;
  for (size_t factor : {2, 3, 5}) {
    while (frame % factor == 0) frame /= factor;
  }
  return frame == 1;
}

Stft::Stft(Simd simd, const std::vector<float>& window, size_t hop)
    : simd_(simd), frame_(window.size()), hop_(hop), window_(window) {
  const size_t half = frame_ / 2;
  for (size_t n = half; n > 1;) {
    const size_t radix = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5;
    Pass pass{radix, n, {}, {}};
    for (size_t p = 0; p < n / radix; p++) {
      for (size_t k = 1; k < radix; k++) {
        const double angle = -kTwoPi * double(p * k) / double(n);
        pass.re.push_back(float(std::cos(angle)));
        pass.im.push_back(float(std::sin(angle)));
      }
    }
    passes_.push_back(std::move(pass));
    n /= radix;
  }
  for (size_t k = 0; k <= half / 2; k++) {
    const double angle = -kTwoPi * double(k) / double(frame_);
    unpack_re_.push_back(float(std::cos(angle)));
    unpack_im_.push_back(float(std::sin(angle)));
  }
  for (auto* buffer : {&a_re_, &a_im_, &b_re_, &b_im_}) buffer->resize(half * kLanes);
}

// Stockham's autosort down the columns of x[frame / 2][kLanes]: the lanes of a row lie side by side.
template <class V> EARSHOT_INLINE Stft::Split Stft::transform(Split x, Split y) const {
  size_t stride = kLanes;
  for (const Pass& pass : passes_) {
    const size_t radix = pass.radix, m = pass.length / radix, step = stride * m;
    const float *wr = pass.re.data(), *wi = pass.im.data();
    const auto run = [&](auto butterfly, size_t r) EARSHOT_INLINE_LAMBDA {
      for (size_t p = 0; p < m; p++, wr += r - 1, wi += r - 1) {
        const float *ar = x.re + stride * p, *ai = x.im + stride * p;
        float *br = y.re + r * stride * p, *bi = y.im + r * stride * p;
        for (size_t q = 0; q < stride; q += lanes_of<V>) {
          Complex<V> a[5];
          for (size_t j = 0; j < r; j++) a[j] = {load<V>(ar + q + j * step), load<V>(ai + q + j * step)};
          butterfly(a);
          store(br + q, a[0].re);
          store(bi + q, a[0].im);
          for (size_t k = 1; k < r; k++) {
            const V tr = splat<V>(wr[k - 1]), ti = splat<V>(wi[k - 1]);
            store(br + q + k * stride, a[k].re * tr - a[k].im * ti);
            store(bi + q + k * stride, a[k].re * ti + a[k].im * tr);
          }
        }
      }
    };
    if (radix == 4)
      run([](Complex<V>* a) EARSHOT_INLINE_LAMBDA { butterfly4<V>(a); }, 4);
    else if (radix == 5)
      run([](Complex<V>* a) EARSHOT_INLINE_LAMBDA { butterfly5<V>(a); }, 5);
    else if (radix == 3)
      run([](Complex<V>* a) EARSHOT_INLINE_LAMBDA { butterfly3<V>(a); }, 3);
    else
      run([](Complex<V>* a) EARSHOT_INLINE_LAMBDA { butterfly2<V>(a); }, 2);
    stride *= radix;
    std::swap(x, y);
  }
  return x;
}

// The even samples as the real and the odd ones as the imaginary part of half as many points.
template <class V>
EARSHOT_INLINE void Stft::forward_group(const float* samples, size_t count, float scale, float* re, float* im) {
  const size_t half = frame_ / 2, bins = half + 1;
  const Split a{a_re_.data(), a_im_.data()}, b{b_re_.data(), b_im_.data()};
  for (size_t lane = 0; lane < kLanes; lane++) {
    const float* x = samples + (lane < count ? lane : 0) * hop_;
    for (size_t i = 0; i < half; i++) {
      a.re[i * kLanes + lane] = x[2 * i] * window_[2 * i];
      a.im[i * kLanes + lane] = x[2 * i + 1] * window_[2 * i + 1];
    }
  }
  const Split z = transform<V>(a, b);
  const Split out = z.re == a.re ? b : a;
  // X[k] = (Z[k] + conj Z[half - k]) / 2 + exp(-2 pi i k / frame) (Z[k] - conj Z[half - k]) / 2i; X[half - k] follows
  // from the same two.
  const V scaling = splat<V>(0.5f * scale);
  float nyquist[kLanes];
  for (size_t k = 0; k <= half / 2; k++) {
    const size_t mirror = (half - k) % half;
    const V wr = splat<V>(unpack_re_[k]), wi = splat<V>(unpack_im_[k]);
    for (size_t q = 0; q < kLanes; q += lanes_of<V>) {
      const V pr = load<V>(z.re + k * kLanes + q), pi = load<V>(z.im + k * kLanes + q);
      const V mr = load<V>(z.re + mirror * kLanes + q), mi = load<V>(z.im + mirror * kLanes + q);
      const V er = pr + mr, ei = pi - mi;        // twice the even samples' spectrum
      const V odd_r = pi + mi, odd_i = mr - pr;  // twice the odd ones'
      const V tr = odd_r * wr - odd_i * wi, ti = odd_r * wi + odd_i * wr;
      store(out.re + k * kLanes + q, (er + tr) * scaling);
      store(out.im + k * kLanes + q, (ei + ti) * scaling);
      if (k == 0)
        store(nyquist + q, (er - tr) * scaling);
      else {
        store(out.re + (half - k) * kLanes + q, (er - tr) * scaling);
        store(out.im + (half - k) * kLanes + q, (ti - ei) * scaling);
      }
    }
  }
  for (size_t lane = 0; lane < count; lane++) {
    float *to_re = re + lane * bins, *to_im = im + lane * bins;
    for (size_t k = 0; k < half; k++) {
      to_re[k] = out.re[k * kLanes + lane];
      to_im[k] = out.im[k * kLanes + lane];
    }
    to_im[0] = 0.0f;
    to_re[half] = nyquist[lane];
    to_im[half] = 0.0f;
  }
}

template <class V>
EARSHOT_INLINE void Stft::inverse_group(const float* re, const float* im, size_t count, float scale, float* out) {
  const size_t half = frame_ / 2, bins = half + 1;
  const Split a{a_re_.data(), a_im_.data()}, b{b_re_.data(), b_im_.data()};
  // Z[k] = (X[k] + conj X[half - k]) + i exp(2 pi i k / frame) (X[k] - conj X[half - k]); real and imaginary part
  // exchanged, so that the forward transform goes back.
  for (size_t lane = 0; lane < kLanes; lane++) {
    const size_t frame = lane < count ? lane : 0;
    const float *xr = re + frame * bins, *xi = im + frame * bins;
    for (size_t k = 0; k <= half / 2; k++) {
      const size_t m = half - k;
      const float pi = k == 0 ? 0.0f : xi[k], mi = k == 0 ? 0.0f : xi[m];  // DC and Nyquist are real
      const float er = xr[k] + xr[m], ei = pi - mi, dr = xr[k] - xr[m], di = pi + mi;
      const float wr = unpack_re_[k], wi = -unpack_im_[k];
      const float tr = -(dr * wi + di * wr), ti = dr * wr - di * wi;
      a.im[k * kLanes + lane] = er + tr;
      a.re[k * kLanes + lane] = ei + ti;
      if (k == 0) continue;
      a.im[m * kLanes + lane] = er - tr;
      a.re[m * kLanes + lane] = ti - ei;
    }
  }
  const Split z = transform<V>(a, b);
  for (size_t lane = 0; lane < count; lane++) {
    float* to = out + lane * hop_;
    for (size_t i = 0; i < half; i++) {
      to[2 * i] += z.im[i * kLanes + lane] * window_[2 * i] * scale;
      to[2 * i + 1] += z.re[i * kLanes + lane] * window_[2 * i + 1] * scale;
    }
  }
}

EARSHOT_AVX2 void Stft::forward_avx2(const float* s, size_t n, float scale, float* re, float* im) {
  forward_group<f32x8>(s, n, scale, re, im);
}
void Stft::forward_baseline(const float* s, size_t n, float scale, float* re, float* im) {
  forward_group<f32x4>(s, n, scale, re, im);
}
EARSHOT_AVX2 void Stft::inverse_avx2(const float* re, const float* im, size_t n, float scale, float* out) {
  inverse_group<f32x8>(re, im, n, scale, out);
}
void Stft::inverse_baseline(const float* re, const float* im, size_t n, float scale, float* out) {
  inverse_group<f32x4>(re, im, n, scale, out);
}

void Stft::forward(const float* samples, size_t count, float scale, float* re, float* im) {
  std::vector<float> mended;
  if (!all_usable(simd_, samples, span(count))) {
    mended.resize(span(count));
    copy_usable(simd_, samples, mended.data(), mended.size());
    samples = mended.data();
  }
  for (size_t t = 0; t < count; t += kLanes) {
    const size_t n = std::min(kLanes, count - t);
    float *to_re = re + t * bins(), *to_im = im + t * bins();
    if (simd_ == Simd::avx2)
      forward_avx2(samples + t * hop_, n, scale, to_re, to_im);
    else
      forward_baseline(samples + t * hop_, n, scale, to_re, to_im);
  }
}

void Stft::inverse(const float* re, const float* im, size_t count, float scale, float* out) {
  for (size_t t = 0; t < count; t += kLanes) {
    const size_t n = std::min(kLanes, count - t);
    if (simd_ == Simd::avx2)
      inverse_avx2(re + t * bins(), im + t * bins(), n, scale, out + t * hop_);
    else
      inverse_baseline(re + t * bins(), im + t * bins(), n, scale, out + t * hop_);
  }
}

}  // namespace earshot
